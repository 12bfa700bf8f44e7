"""Inside the class by the shape of the noise: equivalent graphs whose residuals differ in entropy.

Equivalent graphs have the same Gaussian likelihood (`walking` goes from one to the next). Where
noise is not Gaussian they differ in the entropies of their residuals: the log-likelihood of a
linear model with independent noise is −n Σ_j H(residual_j), H = log σ_j + const − negentropy.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from daglock.criteria.criterion import gradient_residual
from daglock.engine.learned import Learned
from daglock.engine.walking import Walk, oriented_by
from daglock.graph import WeightedDAG
from daglock.knowledge import Masks
from daglock.residuals import dependence, negentropy, polynomials
from daglock.search.regression import least_squares, residual_variances
from daglock.settings import SETTINGS
from daglock.typing import Array

# A residual variance below this share of the column's is nothing but rounding, without a shape.
ROUNDING = 1e-9


def orient_by_shape(learned: Learned, X: Array, S: Array, masks: Masks) -> Learned:
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
    rows = X if len(X) <= SETTINGS.shape_rows else X[:: -(-len(X) // SETTINGS.shape_rows)]
    walk = _Walk(learned.dag, np.asfortranarray(rows, dtype=np.float64), S, masks)
    walk.climb(SETTINGS.shape_gain)
    sure = {
        edge
        for edge, gain in walk.gains.items()
        if -gain > SETTINGS.shape_gain and walk.misfit(*edge) < SETTINGS.shape_misfit
    }
    if not sure:
        return learned
    sets = walk.sets()
    oriented, shaped, order = oriented_by(learned.dag, sets, sure, masks)
    weights = [least_squares(S, P, j) for j, P in enumerate(sets)]
    dag = WeightedDAG.from_parents(order, sets, weights, oriented)
    variances = residual_variances(S, dag.parents)
    residual = gradient_residual(S, dag)
    certificate = replace(learned.certificate, dag=dag, kkt_residual=residual)
    return replace(
        learned, dag=dag, noise_variances=variances, certificate=certificate, shaped=shaped
    )


class _Walk(Walk):
    """A walk to the residuals that are least Gaussian."""

    def __init__(self, dag: WeightedDAG, X: Array, S: Array, masks: Masks) -> None:
        self.X, self.S = X, S
        super().__init__(dag, masks)

    def fit(self, j: int, P: frozenset[int]) -> float:
        """Return the log-likelihood of node j with parents P, up to a constant."""
        r = self._residual(j, P)
        variance = max(float(np.var(r)), 1e-300)
        return len(r) * (negentropy(r) - 0.5 * float(np.log(variance)))

    def is_told(self, i: int, j: int, rest: frozenset[int]) -> bool:
        """Whether what is left of the two is more than rounding, whichever way the edge goes."""
        return all(
            bool(np.var(self._residual(node, P)) > ROUNDING * self.S[node, node])
            for node, P in ((i, rest | {j}), (j, rest | {i}))
        )

    def misfit(self, i: int, j: int) -> float:
        """Return by how much the residual of j depends on that of i, for the edge i -> j."""
        return dependence(
            self._residual(j, self.parents[j]), polynomials(self._residual(i, self.parents[i]))
        )

    def _residual(self, j: int, P: frozenset[int]) -> Array:
        """Return what a regression of j on P leaves."""
        columns = np.array(sorted(P), dtype=np.intp)
        return np.asarray(self.X[:, j] - self.X[:, columns] @ least_squares(self.S, columns, j))
