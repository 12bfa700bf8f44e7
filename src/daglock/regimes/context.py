"""Context: a covariance of some of the rows, by what it differs from that of all rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from daglock.typing import Array, IntArray


class Context(NamedTuple):
    """``S_c = scale · (base · S + Σ_r sign_r f_r f_rᵀ)``, S the covariance of all rows.

    Attributes
    ----------
    base : 1 where rows are taken away from all, 0 where they are added up.
    factor : (m, d) the rows f_r.
    sign : (m,)
    scale : number of all rows over that of the context.

    Examples
    --------
    >>> context = Context(1.0, np.array([[0.5, 0.0]]), np.array([-1.0]), 2.0)
    >>> context.covariance(np.eye(2)).tolist()
    [[1.5, 0.0], [0.0, 2.0]]
    """

    base: float
    factor: Array
    sign: Array
    scale: float

    def covariance(self, S: Array) -> Array:
        """Return S_c."""
        signed = self.sign[:, None] * self.factor
        return np.asarray(self.scale * (self.base * S + self.factor.T @ signed))

    def among(self, S: Array, nodes: IntArray) -> Array:
        """Return S_c of some of the variables."""
        some = self._replace(factor=self.factor[:, nodes])
        return some.covariance(S[np.ix_(nodes, nodes)])

    def variances(self, S: Array) -> Array:
        """Return the diagonal of S_c."""
        squares = self.sign @ self.factor**2
        return np.asarray(self.scale * (self.base * np.diagonal(S) + squares))
