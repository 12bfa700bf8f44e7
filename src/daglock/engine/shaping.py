"""Inside the class by the shape of the noise: equivalent graphs whose residuals differ in entropy.

Equivalent graphs have the same Gaussian likelihood, and turning a covered edge, whose ends have the
same other parents, leads from any of them to any other (Chickering 1995). Where noise is not
Gaussian they differ in the entropies of their residuals: the log-likelihood of a linear model with
independent noise is −n Σ_j H(residual_j), and H = log σ_j + const − negentropy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from daglock.criteria.criterion import gradient_residual
from daglock.engine.learned import Learned
from daglock.graph import WeightedDAG, canonical_member, is_dag, topological_order
from daglock.knowledge import Masks
from daglock.residuals import dependence, negentropy, polynomials
from daglock.search.regression import least_squares, residual_variances
from daglock.settings import SETTINGS, Settings
from daglock.typing import Array, BoolArray

# A residual variance below this share of the column's is nothing but rounding, without a shape.
ROUNDING = 1e-9


def orient_by_shape(
    learned: Learned, X: Array, S: Array, masks: Masks, settings: Settings = SETTINGS
) -> Learned:
    """Return the result with the graph of its class whose residuals are least Gaussian.

    An edge is turned where that gains enough, and is identified where turning it back would lose
    as much and what its line leaves unexplained does not depend on its cause; or where that follows
    from such edges.

    Parameters
    ----------
    learned : under a criterion that does not tell equivalent graphs apart.
    X : (n, d) rows.
    S : (d, d) their covariance.
    masks : knowledge, which is obeyed.
    """
    rows = X if len(X) <= settings.shape_rows else X[:: -(-len(X) // settings.shape_rows)]
    walk = _Walk(learned.dag, np.asfortranarray(rows, dtype=np.float64), S, masks)
    while (best := walk.best())[0] > settings.shape_gain:
        walk.turn(*best[1])
    sure = {
        edge
        for edge, gain in walk.gains.items()
        if -gain > settings.shape_gain and walk.misfit(*edge) < settings.shape_misfit
    }
    if not sure:
        return learned
    dag, shaped = _dag(learned.dag, walk.parents, sure, S, masks)
    variances = residual_variances(S, dag.parents)
    residual = gradient_residual(S, dag)
    certificate = replace(learned.certificate, dag=dag, kkt_residual=residual)
    return replace(
        learned, dag=dag, noise_variances=variances, certificate=certificate, shaped=shaped
    )


def _dag(
    dag: WeightedDAG,
    parents: list[frozenset[int]],
    sure: set[tuple[int, int]],
    S: Array,
    masks: Masks,
) -> tuple[WeightedDAG, BoolArray]:
    """Return the graph, and which of its edges the shape of the noise identifies."""
    d = dag.d
    sets = [np.array(sorted(P), dtype=np.intp) for P in parents]
    target = np.repeat(np.arange(d), [len(P) for P in sets])
    source = np.concatenate(sets)
    edges = list(zip(source.tolist(), target.tolist(), strict=True))
    known = np.array([edge in sure for edge in edges])
    if masks.allowed is not None:
        known |= ~masks.allowed[target, source]
    _, _, oriented = canonical_member(source, target, d, known, masks.before)
    told = dag.oriented
    by_class = set(zip(dag.source[told].tolist(), dag.target[told].tolist(), strict=True))
    compelled = canonical_member(source, target, d, None, masks.before)[2]
    shaped = oriented & ~compelled
    oriented = np.array([edge in by_class for edge in edges]) | shaped
    place = dag.position
    links = csr_array((np.ones(len(source)), (place[source], place[target])), shape=(d, d))
    if masks.before is not None:
        links = links + csr_array(masks.before[np.ix_(dag.order, dag.order)].astype(np.float64))
    order = dag.order[topological_order(links)]
    weights = [least_squares(S, P, j) for j, P in enumerate(sets)]
    return WeightedDAG.from_parents(order, sets, weights, oriented), shaped


class _Walk:
    """A graph on its way through its class.

    Attributes
    ----------
    parents : of each node.
    gains : for each covered edge that may be turned what that gains, in nats.
    """

    def __init__(self, dag: WeightedDAG, X: Array, S: Array, masks: Masks) -> None:
        self.parents = [frozenset(P.tolist()) for P in dag.parents]
        self.children: list[set[int]] = [set() for _ in range(dag.d)]
        for i, j in zip(dag.source.tolist(), dag.target.tolist(), strict=True):
            self.children[i].add(j)
        self.X, self.S, self.masks = X, S, masks
        self.memo: dict[tuple[int, frozenset[int]], float] = {}
        self.gains: dict[tuple[int, int], float] = {}
        self._look(range(dag.d))

    def best(self) -> tuple[float, tuple[int, int]]:
        """Return the largest gain and its edge."""
        edge = max(self.gains, key=lambda edge: self.gains[edge], default=(0, 0))
        return self.gains.get(edge, 0.0), edge

    def turn(self, i: int, j: int) -> None:
        """Turn the covered edge i -> j."""
        rest = self.parents[i]
        self.parents[j], self.parents[i] = rest, rest | {j}
        self.children[i].remove(j)
        self.children[j].add(i)
        self.gains = {edge: gain for edge, gain in self.gains.items() if not {i, j} & {*edge}}
        self._look((i, j))

    def misfit(self, i: int, j: int) -> float:
        """Return by how much the residual of j depends on that of i, for the edge i -> j."""
        return dependence(
            self._residual(j, self.parents[j]), polynomials(self._residual(i, self.parents[i]))
        )

    def _look(self, nodes: Iterable[int]) -> None:
        """Find the covered edges at some nodes."""
        edges = {(i, j) for j in nodes for i in self.parents[j]}
        edges |= {(i, j) for i in nodes for j in self.children[i]}
        for i, j in edges:
            rest = self.parents[j] - {i}
            if self.parents[i] == rest and self._may(j, i) and self._varies(i, j, rest):
                now = self._fit(i, rest) + self._fit(j, self.parents[j])
                then = self._fit(j, rest) + self._fit(i, rest | {j})
                self.gains[i, j] = then - now

    def _fit(self, j: int, P: frozenset[int]) -> float:
        """Return the log-likelihood of node j with parents P, up to a constant."""
        known = self.memo.get((j, P))
        if known is None:
            r = self._residual(j, P)
            variance = max(float(np.var(r)), 1e-300)
            known = len(r) * (negentropy(r) - 0.5 * float(np.log(variance)))
            self.memo[j, P] = known
        return known

    def _varies(self, i: int, j: int, rest: frozenset[int]) -> bool:
        """Whether what is left of the two is more than rounding, whichever way the edge goes."""
        return all(
            np.var(self._residual(node, P)) > ROUNDING * self.S[node, node]
            for node, P in ((i, rest | {j}), (j, rest | {i}))
        )

    def _residual(self, j: int, P: frozenset[int]) -> Array:
        """Return what a regression of j on P leaves."""
        columns = np.array(sorted(P), dtype=np.intp)
        return np.asarray(self.X[:, j] - self.X[:, columns] @ least_squares(self.S, columns, j))

    def _may(self, i: int, j: int) -> bool:
        """Whether knowledge leaves i -> j instead of j -> i free."""
        masks = self.masks
        if masks.allowed is not None and not masks.allowed[i, j]:
            return False
        if masks.required is not None and masks.required[j, i]:
            return False
        if masks.before is None:
            return True
        edges = masks.before.copy()
        for k, P in enumerate(self.parents):
            edges[list(P), k] = True
        edges[j, i], edges[i, j] = masks.before[j, i], True
        return is_dag(edges)
