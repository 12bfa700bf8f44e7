"""A Cholesky factor to which rows are added one after the other."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsv

from daglock.typing import Array


class GrowingFactor:
    """A Cholesky factor that grows by a row at a time; what is not used yet is the identity."""

    def __init__(self) -> None:
        self._L: Array = np.eye(64, order="F")
        self._k = 0

    def append(self, row: Array, pivot: float) -> None:
        """Add a row."""
        k = self._k
        if k == len(self._L):
            grown = np.eye(2 * k, order="F")
            grown[:k, :k] = self._L
            self._L = grown
        self._L[k, :k], self._L[k, k] = row, pivot
        self._k = k + 1

    def solve(self, b: Array, *, transposed: bool = False) -> Array:
        """Solve L x = b, or Lᵀ x = b."""
        x = np.zeros(len(self._L))
        x[: self._k] = b
        dtrsv(self._L, x, lower=1, trans=int(transposed), overwrite_x=1)
        return x[: self._k]
