"""Criterion: what a graph costs, and all that the engine has to know to make it cheap.

A criterion belongs to moments. It owns the matrix that the search works on, the score, the price
of an edge by chance, where to start, and what is identified. The search itself only sees

    Σ_j weight_j · φ(RSS_j) + k·|E|,    φ the logarithm or the identity,

and a criterion that is not of this form, like that of one pooled variance, comes down to it by
turns: the graph for given weights, the weights for a given graph.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from daglock.checking import Candidates
from daglock.graph import WeightedDAG
from daglock.knowledge import Masks
from daglock.search.all_sets import Sets, make_sets
from daglock.search.exact import Best, best_unequal
from daglock.search.gains import largest_gains
from daglock.search.node import AnySpec
from daglock.search.regression import least_squares, residual_variances
from daglock.search.spec import Spec, make_spec
from daglock.settings import Settings
from daglock.solution import FitTrace
from daglock.typing import Array, BoolArray, IntArray


class Start(NamedTuple):
    """Where a search begins.

    Attributes
    ----------
    order : (d,)
    weight : of the fit of each node, as `Criterion.weight` has it.
    trace : of the continuous stage, where it was run.
    """

    order: IntArray
    weight: float
    trace: FitTrace = FitTrace()


@dataclass(frozen=True)
class Criterion(ABC):
    """What a graph on these moments costs, per row: fit plus price of the edges; lower is better.

    Attributes
    ----------
    moments : Moments, or whatever `Statistics` it takes.
    name : as the user writes it and files have it.
    described, in_short : what "the model has", in words.
    called : the same in two or three words, in brackets after a score.
    search_scale : of the scores that the search reports, in words.
    score_equivalent : whether equivalent DAGs have one score, so that only the class is identified.
    logarithmic : φ of the search, see above.
    default_start : "continuous" or "order".
    may_cost_less : whether the price is lowered where a graph leaves more unexplained than chance
        does; not where the model is known for an approximation, which leaves something anyhow.
    """

    moments: Any
    name: ClassVar[str]
    described: ClassVar[str]
    in_short: ClassVar[str]
    called: ClassVar[str]
    search_scale: ClassVar[str]
    score_equivalent: ClassVar[bool]
    logarithmic: ClassVar[bool]
    default_start: ClassVar[str]
    may_cost_less: ClassVar[bool] = True

    # --- the score ---

    @staticmethod
    @abstractmethod
    def fit(rss: Array) -> float:
        """Return what these residual variances cost, per row."""

    @classmethod
    def score(cls, rss: Array, n_edges: int, cost: float) -> float:
        """Return fit plus price."""
        return cls.fit(rss) + cost * n_edges

    @staticmethod
    @abstractmethod
    def variance_price(n: int, d: int) -> float:
        """Return what the BIC asks for the noise variances, per row."""

    @staticmethod
    @abstractmethod
    def noise_variances(rss: Array) -> Array:
        """Return the noise variance of every node."""

    # --- what the search minimises ---

    @cached_property
    @abstractmethod
    def matrix(self) -> Array:
        """Matrix (d, d) that the search works on."""

    @cached_property
    @abstractmethod
    def unit(self) -> Array:
        """Return what one unit of a residual variance of `matrix` is in the data, (d,)."""

    @staticmethod
    @abstractmethod
    def weight(rss: Array) -> float:
        """Return the weight of the nodes' fit at residual variances in the unit of `matrix`."""

    def spec(
        self, weight: float, cost: float, max_parents: int, masks: Masks, *, bounded: bool = True
    ) -> AnySpec:
        """Return all of it as the kernels take it."""
        return make_spec(
            self.matrix,
            cost,
            weight=weight,
            logarithmic=self.logarithmic,
            max_parents=max_parents,
            allowed=masks.allowed,
            required=masks.required,
            before=masks.before,
            bounded=bounded,
        )

    def sets(self, max_parents: int, masks: Masks, deadline: float = np.inf) -> Sets:
        """Regress every variable on every set of others.

        Raises
        ------
        OutOfTimeError
        """
        return make_sets(self.matrix, max_parents, *masks, deadline=deadline)

    def residuals(self, parents: list[IntArray]) -> Array:
        """Return the residual variance of every node, solved afresh, or what stands for it."""
        return residual_variances(self.moments.cov, parents)

    def own_variances(self, parents: list[IntArray]) -> Array:
        """Return the residual variance of every node itself, or what stands for it."""
        return self.residuals(parents)

    def loosened(self) -> Criterion:
        """Return the criterion with which it is asked once more, at a lower price, what turns."""
        return self

    def told_apart(self, source: IntArray, target: IntArray) -> BoolArray:
        """Tell for each edge whether equivalent graphs with the edge turned have another score."""
        return np.zeros(len(source), dtype=np.bool_)

    def edge_weights(self, parents: list[IntArray]) -> list[Array]:
        """Return the weights of the edges into every node."""
        return [least_squares(self.moments.cov, P, j) for j, P in enumerate(parents)]

    def gradient_residual(self, dag: WeightedDAG) -> float:
        """Return the largest gradient of the fit at the weights, in units of the columns."""
        return gradient_residual(self.moments.cov, dag)

    def largest_gains(self, spec: AnySpec, order: IntArray, parents: list[IntArray]) -> Array:
        """Return what one more predecessor would gain each node, without the price of its edge."""
        assert isinstance(spec, Spec)
        return largest_gains(spec, order, parents)

    def node_fits(self, rss: Array, weight: float) -> Array:
        """Return ``weight · φ(RSS)``."""
        return np.log(rss) if self.logarithmic else weight * rss

    @staticmethod
    @abstractmethod
    def best_of_all(sets: Sets, cost: float, deadline: float = np.inf) -> Best:
        """Return the best of all DAGs.

        Raises
        ------
        OutOfTimeError
        """

    @staticmethod
    @abstractmethod
    def none_is_better(graphs: Candidates, score: float, cost: float) -> bool:
        """Whether no DAG has a score below this one; arithmetic of its own."""

    # --- where to start ---

    @abstractmethod
    def start(
        self, how: str | IntArray, cost: float, masks: Masks, settings: Settings, deadline: float
    ) -> Start:
        """Return an order to begin with: "continuous", "order", or the one that was given.

        Raises
        ------
        OutOfTimeError
        """

    @abstractmethod
    def cheap_start(self) -> Start:
        """Return an order that costs nothing."""

    @abstractmethod
    def default_restarts(self, settings: Settings) -> int:
        """Return how often to restart the search; from the ablation in docs/theory.md."""

    # --- how much chance explains ---

    @abstractmethod
    def gains_by_chance(self, prices: Array, n_edges: int) -> Array:
        """Return the probability that a parent too many gains more than each price."""

    @abstractmethod
    def overdispersion(self, rss: Array) -> float | None:
        """Return by what to divide the cost of turning an edge before it is compared.

        None where that is compared at two prices instead, see docs/theory.md, section 6.
        """


class LogCriterion(Criterion):
    """``Σ_j log RSS_j + k·|E|``: no node's residual weighs more than another's."""

    logarithmic: ClassVar[bool] = True

    @staticmethod
    def fit(rss: Array) -> float:
        """``Σ_j log RSS_j``."""
        return float(np.sum(np.log(rss)))

    @staticmethod
    def noise_variances(rss: Array) -> Array:
        """Return the residual variances, or what stands for them."""
        return rss

    @staticmethod
    def weight(rss: Array) -> float:
        """One, whatever the residuals."""
        return 1.0

    @staticmethod
    def best_of_all(sets: Sets, cost: float, deadline: float = np.inf) -> Best:
        """By one dynamic programme."""
        return best_unequal(sets, cost, deadline)

    def cheap_start(self) -> Start:
        """By number."""
        return Start(np.arange(self.moments.d), 1.0)

    def default_restarts(self, settings: Settings) -> int:
        """As many as the settings say for this size."""
        return settings.default_restarts(self.moments.n, self.moments.d)

    def overdispersion(self, rss: Array) -> None:
        """Return None: what turning an edge costs is compared at two prices."""
        return None


def strengths(gains: Array, target: IntArray, d: int) -> list[Array]:
    """Return for each node how far it depends on each parent: ``√(1 − exp(−gain))``."""
    strength = np.sqrt(-np.expm1(-gains))
    return [strength[target == j] for j in range(d)]


def gradient_residual(S: Array, dag: WeightedDAG) -> float:
    """Largest |Cov(X_i, residual of X_j)| over the edges i -> j, divided by sd(X_i) sd(X_j)."""
    deviation, worst = np.sqrt(np.diag(S)), 0.0
    for j, (P, w) in enumerate(zip(dag.parents, dag.by_target(dag.weight), strict=True)):
        if len(P):
            gap = np.abs(S[P, j] - S[P[:, None], P] @ w) / (deviation[P] * deviation[j])
            worst = float(np.maximum(worst, gap.max()))  # keeps a NaN
    return worst
