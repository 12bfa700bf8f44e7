"""The log-determinant ``φ(A) = −log det(I − A)`` of a non-negative matrix with its domain."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import lapack

from daglock.constraints.components import SupportGraph
from daglock.constraints.core import LARGEST
from daglock.typing import Array

_LEAF = 32


class LogDeterminant:
    """``φ(A) = −log det(I − A)`` and ``φ'(A) = (I − A)⁻ᵀ`` for ``A >= 0`` with spectral radius < 1.

    Outside this domain φ is +inf and φ' is reported as zero.
    """

    has_domain = True

    def value(self, A: Array) -> float:
        """φ of a strongly connected block."""
        factors = _factorise(A)
        return math.inf if factors is None else _value(A, factors[0])

    def value_and_derivative(self, A: Array) -> tuple[float, Array]:
        """φ and φ' of a strongly connected block."""
        factors = _factorise(A)
        if factors is None:
            return math.inf, np.zeros_like(A)
        return _value(A, factors[0]), _inverse(factors).T

    def derivative(self, A: Array, graph: SupportGraph) -> Array:
        """φ' of any matrix in the domain, given by its entries on the edges of ``graph``.

        ``X = (I − A)⁻¹ = I + A X`` by substitution over the strong components, last one first:
        ``X_b = (I − A_bb)⁻¹ (I_b + A_b,later X_later)``. Only non-negative numbers are added, so
        ``X_ji = 0`` exactly when no path leads from j to i.
        """
        X = np.eye(graph.d)
        with np.errstate(over="ignore"):
            for nodes, inner, leaving in graph.components_last_first():
                if leaving.size:
                    weights = np.zeros((nodes.size, leaving.size))
                    position = np.searchsorted(nodes, graph.rows[leaving])
                    weights[position, np.arange(leaving.size)] = A[leaving]
                    later = np.minimum(weights @ X[graph.columns[leaving]], LARGEST)
                    X[nodes] += later
                if inner.size:
                    factors = _factorise(graph.block(A, nodes, inner))
                    if factors is None:
                        return np.zeros_like(X)
                    X[nodes] = np.minimum(_inverse(factors) @ X[nodes], LARGEST)
        return X.T


def _factorise(A: Array) -> tuple[Array, Array] | None:
    """LU factors of ``I − A``, or None outside the domain.

    ``I − A`` is a non-singular M-matrix exactly when ``x = (I − A)⁻¹ 1`` exists and is positive
    (Berman and Plemmons 1994, theorem 6.2.3, condition I27).
    """
    matrix = -A
    matrix.flat[:: len(A) + 1] += 1.0
    lu, pivots, info = lapack.dgetrf(matrix)
    if info != 0:
        return None
    x, _ = lapack.dgetrs(lu, pivots, np.ones(len(A)))
    inside = bool(np.isfinite(x).all() and (x > 0.0).all())
    return (lu, pivots) if inside else None


def _inverse(factors: tuple[Array, Array]) -> Array:
    """``(I − A)⁻¹ >= 0`` from the LU factors."""
    inverse: Array = lapack.dgetri(*factors)[0]
    return np.nan_to_num(np.maximum(inverse, 0.0), nan=LARGEST, posinf=LARGEST)


def _value(A: Array, lu: Array) -> float:
    """φ from the diagonal of U, or by elimination where that would lose digits."""
    value = -float(np.log(np.abs(np.diagonal(lu))).sum())
    # The logarithms of U carry an absolute error near n·1e-16: ask for a relative 1e-10.
    return value if value >= 2e-6 * len(A) else eliminate(A)


def eliminate(A: Array) -> float:
    """``−log det(I − A) = −Σ_k log1p(−a_kk)`` for ``A`` in the domain, accurate when it is tiny.

    Gaussian elimination ``A <- A + a_:k a_k: / (1 − a_kk)`` adds non-negative numbers only.
    Large matrices are halved: ``φ(A) = φ(A₁₁) + φ(A₂₂ + A₂₁ (I − A₁₁)⁻¹ A₁₂)``.
    """
    n = len(A)
    if n > _LEAF:
        m = n // 2
        factors = _factorise(A[:m, :m])
        if factors is not None:
            X, _ = lapack.dgetrs(*factors, A[:m, m:])
            return eliminate(A[:m, :m]) + eliminate(A[m:, m:] + A[m:, :m] @ np.maximum(X, 0.0))
    A = A.copy()
    value = 0.0
    for k in range(n):
        pivot = float(A[k, k])
        value -= math.log1p(-pivot)
        row = A[k, k + 1 :] / (1.0 - pivot)
        A[k + 1 :, k + 1 :] += A[k + 1 :, k, None] * row
    return value
