"""Curved effects: each variable is a sum of smooth curves of its parents, and Gaussian noise.

    score = Σ_j [log RSS_j + (log|A_PP| − log|R_PP| + b·|P_j|) / n] + k·|E|

RSS_j is what curves of the parents leave of the column j itself, the rest in brackets what their
bends cost, see `daglock.search.curves`. A curve has a direction: turned round, the noise is no
longer the same along it. So the DAG itself is identified, except where lines do: without bends
equivalent graphs have one score.

References
----------
Bühlmann, Peters and Ernest, CAM: causal additive models, high-dimensional order search and
penalized regression, Annals of Statistics 42 (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from daglock.checking import Candidates
from daglock.criteria.criterion import LogCriterion, Start, edges_into, strengths
from daglock.criteria.price import by_chance, default_gamma, edge_cost
from daglock.curves import Curves, members
from daglock.graph import WeightedDAG
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.search.all_sets import Sets, make_curve_sets
from daglock.search.curves import (
    CurveSpec,
    curve_costs,
    curve_fits,
    curve_gains,
    curve_gains_of_edges,
    make_curve_spec,
    make_curve_work,
)
from daglock.search.exact import Best, solve
from daglock.search.node import AnySpec
from daglock.search.parents import knowledge_flags
from daglock.search.state import work_out
from daglock.settings import SETTINGS, Settings
from daglock.typing import Array, IntArray

# How large bends may be, see `Curves.ridge`. From so sharp a one on a curve is of more functions.
SHARPNESS = (0.25, 1.0, 4.0, 16.0, 64.0, 256.0)
_SHARP = 16.0
MORE_FUNCTIONS = 12


class Curved(LogCriterion):
    """``Σ_j log RSS_j + k·|E|``, RSS_j with what bends cost in its logarithm.

    The weight of an edge is a strength, ``√(1 − RSS_j(P) / RSS_j(P without i))``, between 0 and 1:
    the absolute value of a partial correlation, were the curve a line.
    """

    name: ClassVar[str] = "curves"
    described: ClassVar[str] = "curved effects, and a noise variance of its own for each variable"
    in_short: ClassVar[str] = "curves"
    called: ClassVar[str] = "curved effects"
    search_scale: ClassVar[str] = "the certificate's score"
    score_equivalent: ClassVar[bool] = False
    default_start: ClassVar[str] = "order"
    moments: Curves

    @cached_property
    def plain(self) -> CurveSpec:
        """Without prices and knowledge: for what parents cost."""
        kept = self.moments
        size = kept.ridged, kept.n_functions, kept.n, kept.bend
        return make_curve_spec(*size, 0.0, max_parents=kept.d - 1)

    def spec(
        self, weight: float, cost: float, max_parents: int, masks: Masks, *, bounded: bool = True
    ) -> CurveSpec:
        """Return all of it as the kernels take it."""
        known = masks.allowed, masks.required, masks.before
        return self.plain._replace(
            cost=float(cost),
            max_parents=int(max_parents),
            knowledge=knowledge_flags(self.moments.d, *known),
        )

    @staticmethod
    def variance_price(n: int, d: int) -> float:
        """Nothing: there is no other criterion to compare with."""
        return 0.0

    @cached_property
    def matrix(self) -> Array:
        """The correlation of the columns."""
        return np.asarray(self.moments.standardised().cov)

    @cached_property
    def unit(self) -> Array:
        """Ones: RSS is that of standardised columns, and has what bends cost in it."""
        return np.ones(self.moments.d)

    def sets(self, max_parents: int, masks: Masks, deadline: float = np.inf) -> Sets:
        """Regress every variable on curves of every set of others."""
        known = masks.allowed, masks.required, masks.before
        return make_curve_sets(self.plain, max_parents, *known, deadline=deadline)

    def residuals(self, parents: list[IntArray]) -> Array:
        """Return what stands for the residual variance of every node, bends paid for."""
        return np.asarray(np.exp(curve_costs(self.plain, parents)))

    def own_variances(self, parents: list[IntArray]) -> Array:
        """Return the residual variance of every node, in the unit of its column."""
        return np.asarray(curve_fits(self.plain, parents)[0] * np.diag(self.moments.cov))

    def edge_weights(self, parents: list[IntArray]) -> list[Array]:
        """Return strengths."""
        source, target = edges_into(parents)
        gains = curve_gains_of_edges(self.plain, parents, source, target)
        return strengths(gains, target, len(parents))

    def gradient_residual(self, dag: WeightedDAG) -> float:
        """Nothing: what is estimated has a closed form."""
        return 0.0

    def largest_gains(self, spec: AnySpec, order: IntArray, parents: list[IntArray]) -> Array:
        """Return what one more predecessor would gain each node, without the price of its edge."""
        assert isinstance(spec, CurveSpec)
        return curve_gains(spec, order, parents)

    @staticmethod
    def best_of_all(sets: Sets, cost: float, deadline: float = np.inf) -> Best:
        """By one dynamic programme."""
        return solve(sets, np.log(sets.rss), cost, deadline=deadline)

    @staticmethod
    def none_is_better(graphs: Candidates, score: float, cost: float) -> bool:
        """Whether no DAG has a score below this one: the least is computed."""
        return bool(score <= graphs.least(np.log(graphs.rss), cost))

    def start(
        self, how: str | IntArray, cost: float, masks: Masks, settings: Settings, deadline: float
    ) -> Start:
        """Begin with those that curves of all others explain least, or with the order given."""
        return self.cheap_start() if isinstance(how, str) else Start(how, 1.0)

    def cheap_start(self) -> Start:
        """By how little curves of all others explain: a cause is explained by less."""
        return Start(np.argsort(-self.plain.least.round(6), kind="stable"), 1.0)

    def default_restarts(self, settings: Settings) -> int:
        """As many as the settings say for this size."""
        return settings.default_restarts(self.moments.d)

    def gains_by_chance(self, prices: Array, n_edges: int) -> Array:
        """Return a tail of χ², with the degrees of freedom of a curve."""
        return by_chance(self.moments.n, prices, self.moments.freedoms, self.moments.extras)

    def overdispersion(self, rss: Array) -> None:
        """Return None: what turning an edge costs is compared at two prices."""
        return None


def fit_curves(
    X: Array, names: Sequence[str] | None = None, like: Curves | None = None
) -> Curves | Moments:
    """Return what a graph with curved effects is learned from, bends as large as the data say.

    Every column is explained by whichever others explain it best, and the sharpness of bends is
    the one under which that is likeliest, all columns together. Where lines are likelier than any
    bends there is nothing to keep but plain moments.

    Parameters
    ----------
    X : (n, d)
    names : of the columns.
    like : what was kept of nearly the same rows: as many functions, of the same sharpness.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((500, 2))
    >>> x[:, 1] += x[:, 0]
    >>> fit_curves(x)
    <Moments: 500 rows, 2 columns>
    >>> x[:, 1] += x[:, 0] ** 2
    >>> fit_curves(x)
    <Curves: 500 rows, 2 columns, 7 functions of each>
    """
    if like is not None:
        return Curves.from_data(X, names, like.n_functions, like.sharpness)
    kept = Curves.from_data(X, names)
    sharpest = _sharpened(kept)
    if sharpest.n_functions == 1:
        return Moments.from_data(X, names)
    if sharpest.sharpness < _SHARP:
        return sharpest
    return min(sharpest, _sharpened(Curves.from_data(X, names, MORE_FUNCTIONS)), key=_explained)


def _sharpened(kept: Curves) -> Curves:
    """Return the same with the likeliest sharpness, or with lines alone."""
    bent = [replace(kept, sharpness=sharpness) for sharpness in SHARPNESS]
    return min(kept.lines(), *bent, key=_explained)


def _explained(kept: Curves) -> float:
    """Return what all columns cost, each with the best parents among all others."""
    n, d = kept.n, kept.d
    cost = edge_cost(n, d, default_gamma(n, d))
    most = SETTINGS.most_parents(kept.n_fewest, d)
    spec = Curved(kept).spec(1.0, cost, most, Masks())
    work, place = make_curve_work(spec), np.arange(d)
    none, out = np.zeros((2, d), dtype=np.uint8)
    return float(sum(work_out(spec, work, place, u, d, u, none, out) for u in range(d)))


def bends(kept: Curves, dag: WeightedDAG) -> tuple[Array, Array, Array]:
    """Return of each edge what its curve explains, what of that no line does, and what it is worth.

    Returns
    -------
    explained, bend : share of the variance of the target that goes without the source, and without
        the bends of its curve, with the curves of the other parents.
    gain : what the bends explain in units of 2 log-likelihood, less their price.
    """
    A, K, n = kept.ridged, kept.n_functions, kept.n
    found = np.empty((3, dag.n_edges))
    for e, (i, j) in enumerate(zip(dag.source.tolist(), dag.target.tolist(), strict=True)):
        P = dag.parents[j]
        rest = P[i != P]
        all_of_them, line = members(P, K), np.append(members(rest, K), i * K)
        rss, log = _left(A, all_of_them, j * K)
        straight, log_straight = _left(A, line, j * K)
        without, _ = _left(A, line[:-1], j * K)
        price = log - log_straight + kept.bend
        found[:, e] = without - rss, straight - rss, n * np.log(straight / rss) - price
    return found[0], found[1], found[2]


def _left(A: Array, U: IntArray, j: int) -> tuple[float, float]:
    """Return what functions U leave of column j, and log|A_UU|."""
    block, own = A[np.ix_(U, U)], A[U, j]
    return float(1.0 - own @ np.linalg.solve(block, own)), float(np.linalg.slogdet(block)[1])
