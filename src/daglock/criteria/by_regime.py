"""Experiments: every node is scored on the regimes that leave it alone.

    score = Σ_j Σ_c (n_jc/n) log RSS_jc + k·|E|

with RSS_jc the residual variance of node j in its context c: in all regimes that leave its
mechanism alone, or, under imperfect interventions, in one that changes it. Graphs that are
equivalent under the interventions have one score, and what is identified is the interventional
class: beyond the equivalence class, the direction of every edge with one end in the targets of a
regime, and what follows from these.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from daglock.criteria.criterion import Criterion
from daglock.criteria.unequal import UnequalVariances
from daglock.graph import WeightedDAG
from daglock.knowledge import Masks
from daglock.regimes import Context, Group, Regimes
from daglock.search.all_sets import Sets, make_context_sets
from daglock.search.contexts import ContextSpec, context_fits, make_context_spec
from daglock.search.node import AnySpec
from daglock.search.regression import least_squares, residual_variance
from daglock.search.several import context_gains
from daglock.typing import Array, BoolArray, IntArray


class ByRegime(UnequalVariances):
    """``Σ_j log RSS_j + k·|E|``, RSS_j the exponential of what a node costs beside its edges.

    References
    ----------
    Hauser and Bühlmann, Characterization and greedy learning of interventional Markov equivalence
    classes of directed acyclic graphs, JMLR 13 (2012), section 4.
    """

    name: ClassVar[str] = "regimes"
    described: ClassVar[str] = (
        "a noise variance of its own for each variable, on the regimes that leave it alone"
    )
    in_short: ClassVar[str] = "one for each"
    called: ClassVar[str] = "by regime"
    moments: Regimes

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Groups of regimes that make up contexts; all regimes come first."""
        found = {Group(tuple(range(len(self.moments.parts)))): None}
        for j in range(self.moments.d):
            found.update(dict.fromkeys(self.moments.groups(j)))
        return tuple(found)

    @cached_property
    def of_nodes(self) -> list[list[tuple[int, float]]]:
        """For each node its contexts: the number of a group, and the share of all rows."""
        kept, number = self.moments, {group: k for k, group in enumerate(self.groups)}
        return [
            [(number[group], kept.rows_of(group) / kept.n) for group in kept.groups(j)]
            for j in range(kept.d)
        ]

    @cached_property
    def contexts(self) -> list[Context]:
        """Rows of each group, in units of the deviations within regimes."""
        scaled = self.moments.standardised()
        return [scaled.context(group) for group in self.groups]

    @cached_property
    def unit(self) -> Array:
        """Return what one unit of what stands for a residual variance is in the data, (d,)."""
        shares = np.array([sum(weight for _, weight in own) for own in self.of_nodes])
        return np.asarray(np.diag(self.moments.cov) ** shares)

    @property
    def _extra(self) -> float:
        """What a coefficient costs that an edge has beyond its first: the BIC's price."""
        return float(np.log(self.moments.n) / self.moments.n)

    def loosened(self) -> Criterion:
        """Return one without the price of further coefficients.

        Edges into a node that regimes change are dearer than those out of it. That alone is no
        reason to call a direction identified.
        """
        return _Unpriced(self.moments)

    def spec(
        self, weight: float, cost: float, max_parents: int, masks: Masks, *, bounded: bool = True
    ) -> AnySpec:
        """Return all of it as the kernels take it."""
        return self.context_spec(cost, max_parents, masks, bounded=bounded)

    def context_spec(
        self, cost: float, max_parents: int, masks: Masks, *, bounded: bool = True
    ) -> ContextSpec:
        """Return all of it as the kernels take it."""
        return make_context_spec(
            self.matrix,
            self.contexts,
            self.of_nodes,
            cost,
            self._extra,
            max_parents=max_parents,
            allowed=masks.allowed,
            required=masks.required,
            before=masks.before,
            bounded=bounded,
        )

    def sets(self, max_parents: int, masks: Masks, deadline: float = np.inf) -> Sets:
        """Regress every variable on every set of others, in each of its contexts."""
        matrices = [context.covariance(self.matrix) for context in self.contexts]
        return make_context_sets(
            matrices, self.of_nodes, self._extra, max_parents, *masks, deadline=deadline
        )

    def residuals(self, parents: list[IntArray]) -> Array:
        """Return what stands for the residual variance of every node."""
        spec = self.context_spec(0.0, self.moments.d - 1, Masks(), bounded=False)
        extra = spec.extra * np.array([len(P) for P in parents])
        return np.asarray(np.exp(context_fits(spec, parents) + extra) * self.unit)

    def own_variances(self, parents: list[IntArray]) -> Array:
        """Return the residual variance of every node in the regimes that leave it alone."""
        left = [
            residual_variance(self._own(j, P), np.arange(len(P)), len(P))
            for j, P in enumerate(parents)
        ]
        return np.array(left) * np.diag(self.moments.cov)

    def edge_weights(self, parents: list[IntArray]) -> list[Array]:
        """Return coefficients, from the regimes that leave a node alone."""
        deviation = np.sqrt(np.diag(self.moments.cov))
        return [
            least_squares(self._own(j, P), np.arange(len(P)), len(P)) * deviation[j] / deviation[P]
            for j, P in enumerate(parents)
        ]

    def gradient_residual(self, dag: WeightedDAG) -> float:
        """Return the largest gradient of the fit at the weights, in units of the columns."""
        worst, deviation = 0.0, np.sqrt(np.diag(self.moments.cov))
        for j, (P, w) in enumerate(zip(dag.parents, dag.by_target(dag.weight), strict=True)):
            if len(P):
                S = self._own(j, P)
                scale = np.sqrt(np.diag(S))
                gap = np.abs(S[:-1, -1] - S[:-1, :-1] @ (w * deviation[P] / deviation[j]))
                gap /= np.where(scale[:-1] > 0.0, scale[:-1], np.inf) * scale[-1]
                worst = float(np.maximum(worst, gap.max()))  # keeps a NaN
        return worst

    def _own(self, j: int, P: IntArray) -> Array:
        """Return the covariance of P and j, scaled, in the regimes that leave j alone."""
        return self.contexts[self.of_nodes[j][0][0]].among(self.matrix, np.append(P, j))

    def largest_gains(self, spec: AnySpec, order: IntArray, parents: list[IntArray]) -> Array:
        """Return what one more predecessor would gain each node, without the price of its edge."""
        assert isinstance(spec, ContextSpec)
        return context_gains(spec, order, parents)

    def told_apart(self, source: IntArray, target: IntArray) -> BoolArray:
        """Tell for each edge whether a regime targets one of its ends and not the other."""
        changed = self.moments.changed
        assert changed is not None
        return np.asarray((changed[:, source] != changed[:, target]).any(axis=0))


class _Unpriced(ByRegime):
    """The same with coefficients in further contexts for nothing."""

    @property
    def _extra(self) -> float:
        """Nothing."""
        return 0.0
