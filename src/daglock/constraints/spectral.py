"""Spectral functions φ of a non-negative matrix, which add up over strong components.

The trace exponential ``tr exp(A) − d`` without cancellation, and the log-determinant
``−log det(I − A)`` with its domain.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from daglock.constraints.components import SupportGraph
from daglock.constraints.core import LARGEST
from daglock.typing import Array, IntArray

DEGREE = 16
# Row i: coefficients 1/(4i+r)! of A^r, r = 1..4, that multiply A^(4i).
_TAYLOR = np.array([[1.0 / math.factorial(4 * i + r) for r in range(1, 5)] for i in range(4)])
_BALANCE_ABOVE = 1e3
_LEAF = 32
_SWEEPS = 10


class TraceExponential:
    """``φ(A) = tr(exp(A) − I)`` and ``φ'(A) = exp(A)ᵀ`` for ``A >= 0``."""

    has_domain = False

    def value(self, A: Array) -> float:
        """φ of a strongly connected block; +inf when it overflows."""
        trace = _trace(expm1(A))
        return trace if trace > 0.0 else _trace(expm1(A, all_paths=True))

    def value_and_derivative(self, A: Array) -> tuple[float, Array]:
        """φ and φ' of a strongly connected block: every entry of φ' is positive."""
        E = expm1(A)
        if not E.all():
            E = expm1(A, all_paths=True)
        value = _trace(E)
        E.flat[:: len(A) + 1] += 1.0
        return value, E.T

    def derivative(self, A: Array, graph: SupportGraph) -> Array:
        """φ' of any matrix, given by its entries on the edges of ``graph``.

        ``φ'_ij`` is non-zero where a path leads from j to i: weakly connected components apart.
        """
        derivative = np.eye(graph.d)
        for nodes, edges in graph.weak_components():
            E = expm1(graph.block(A, nodes, edges), all_paths=True)
            E.flat[:: len(E) + 1] += 1.0
            derivative[np.ix_(nodes, nodes)] = E.T
        return derivative


def expm1(A: Array, *, all_paths: bool = False) -> Array:
    """``exp(A) − I`` of a non-negative matrix, by additions and products of non-negative numbers.

    Taylor polynomial of degree 16 (Paterson–Stockmeyer, six products) of ``A/2^s``, then s times
    ``E(2A) = 2E(A) + E(A)²``; a sparse matrix of small norm by its Taylor series alone. An entry
    is zero where no path leads, or where the weight of all paths underflows. Unless
    ``all_paths``, paths of more than ``16·2^s`` edges may be left out: their weight is below
    1e-14. Entries that overflow stay above the square root of the largest double.

    References
    ----------
    Higham (2008), *Functions of Matrices*, algorithm 10.20 (scaling and squaring) and §4.2.
    """
    n = len(A)
    norm_exponent = _log2_norm(A)
    if norm_exponent == -math.inf:
        return np.zeros((n, n))
    if norm_exponent > math.log2(_BALANCE_ABOVE):
        return _balanced_expm1(A, all_paths)
    # Costs of about 20 sparse-dense products and of nine dense ones, measured.
    if norm_exponent <= 2.0 and 25 * np.count_nonzero(A) + 70 * n < n * n:
        return _sparse_expm1(A)
    return _scaled_expm1(A, norm_exponent, all_paths)


def _sparse_expm1(A: Array) -> Array:
    """Taylor series of a sparse matrix of small norm, until no entry changes any more."""
    edges = sparse.csr_array(A)
    term: Array = A
    E = A.copy()
    degree = 1
    while term.any():
        for _ in range(4):
            degree += 1
            term = np.asarray(edges @ (term / degree), dtype=np.float64)
            E += term
        if degree > DEGREE and (term <= 1e-17 * E).all():
            break
    return E


def _scaled_expm1(A: Array, norm_exponent: float, all_paths: bool) -> Array:
    """Scaling and squaring; ``norm_exponent`` is log2 of the Frobenius norm."""
    n = len(A)
    squarings = max(0, math.ceil(norm_exponent))
    if all_paths:
        squarings = max(squarings, math.ceil(math.log2(max(n, DEGREE) / DEGREE)))
    if squarings:
        A = np.ldexp(A, -squarings)
    powers = np.empty((4, n, n))
    powers[0] = A
    np.matmul(A, A, out=powers[1])
    np.matmul(powers[1], A, out=powers[2])
    np.matmul(powers[1], powers[1], out=powers[3])
    terms = (_TAYLOR @ powers.reshape(4, n * n)).reshape(4, n, n)
    E: Array = terms[3]
    for term in (terms[2], terms[1], terms[0]):
        E = powers[3] @ E
        E += term
    ceiling = _ceiling(n)
    for _ in range(squarings):
        if E.max() > ceiling:
            clipped = np.minimum(E, ceiling)
            E = 2.0 * clipped + clipped @ clipped
            if np.array_equal(np.minimum(E, ceiling), clipped):
                break
        else:
            E = 2.0 * E + E @ E
    return E


def _balanced_expm1(A: Array, all_paths: bool) -> Array:
    """``exp(A) − I`` by way of ``B_ij = A_ij 2^(x_j − x_i)``, whose entries are more even."""
    x = _balance(A)
    shift = x[None, :] - x[:, None]
    with np.errstate(over="ignore"):
        B = np.minimum(np.ldexp(A, shift), LARGEST)
        E = _scaled_expm1(B, _log2_norm(B), all_paths)
        restored: Array = np.ldexp(E, -shift)
        return np.minimum(restored, LARGEST)


def _balance(A: Array) -> IntArray:
    """Exponents that bring the largest entries of row i and column i together, for each i.

    Large and tiny weights on one cycle then meet in the middle, and none is lost by scaling.
    This is Osborne's (1960) balancing, on logarithms.
    """
    with np.errstate(divide="ignore"):
        log_A = np.log2(A)
    np.fill_diagonal(log_A, -np.inf)
    x = np.zeros(len(A))
    for _ in range(_SWEEPS):
        for i in range(len(A)):
            row = float((log_A[i] + x).max()) - x[i]
            column = float((log_A[:, i] - x).max()) + x[i]
            if math.isfinite(row) and math.isfinite(column):
                x[i] += 0.5 * (row - column)
    return np.rint(x).astype(np.intp)


def _log2_norm(A: Array) -> float:
    """log2 of the Frobenius norm; the norm itself might overflow."""
    top = float(A.max(initial=0.0))
    return math.log2(top) + math.log2(float(np.linalg.norm(A / top))) if top > 0.0 else -math.inf


def _ceiling(n: int) -> float:
    """Largest entry that an n × n matrix may have so that its square does not overflow."""
    return math.sqrt(LARGEST / (4.0 * n))


def _trace(E: Array) -> float:
    """Trace, +inf when a diagonal entry was held at the ceiling before the last squaring."""
    largest = float(np.diagonal(E).max(initial=0.0))
    return math.inf if largest >= 0.99 * _ceiling(len(E)) ** 2 else float(np.trace(E))


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


Spectral: TypeAlias = TraceExponential | LogDeterminant
