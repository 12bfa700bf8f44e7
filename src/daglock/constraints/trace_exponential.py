"""The trace exponential ``φ(A) = tr exp(A) − d`` of a non-negative matrix, without cancellation."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from daglock.constraints.components import SupportGraph
from daglock.constraints.core import LARGEST
from daglock.typing import Array

DEGREE = 16
# Row i: coefficients 1/(4i+r)! of A^r, r = 1..4, that multiply A^(4i).
_TAYLOR = np.array([[1.0 / math.factorial(4 * i + r) for r in range(1, 5)] for i in range(4)])
_BALANCE_ABOVE = 1e3


class TraceExponential:
    """``φ(A) = tr(exp(A) − I)`` and ``φ'(A) = exp(A)ᵀ`` for ``A >= 0``."""

    has_domain = False

    def value(self, A: Array) -> float:
        """φ of a strongly connected block; +inf when it overflows."""
        trace = float(np.trace(expm1(A)))
        if trace == 0.0:
            trace = float(np.trace(expm1(A, all_paths=True)))
        return _infinite_if_saturated(trace, len(A))

    def value_and_derivative(self, A: Array) -> tuple[float, Array]:
        """φ and φ' of a strongly connected block: every entry of φ' is positive."""
        E = expm1(A)
        if not E.all():
            E = expm1(A, all_paths=True)
        value = _infinite_if_saturated(float(np.trace(E)), len(A))
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
    ``E(2A) = 2E(A) + E(A)²``. Zero entries are exact: no path leads there, or, unless
    ``all_paths``, only paths of more than ``16·2^s`` edges, whose weight is below 1e-14 ‖A‖.
    Entries that overflow stay near the square root of the largest double or above.

    References
    ----------
    Higham (2008), *Functions of Matrices*, algorithm 10.20 (scaling and squaring) and §4.2.
    """
    n = len(A)
    top = float(A.max(initial=0.0))
    if top == 0.0:
        return np.zeros((n, n))
    norm_exponent = math.log2(top) + math.log2(float(np.linalg.norm(A / top)))
    if norm_exponent > math.log2(_BALANCE_ABOVE):
        return _balanced_expm1(A, all_paths)
    return _scaled_expm1(A, norm_exponent, all_paths)


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
    """Scale ``A = T B T⁻¹`` so that large and small entries of one cycle even out, then back."""
    balanced, (scale, _) = linalg.matrix_balance(A, permute=False, separate=True)
    B = balanced.astype(np.float64, copy=False)
    top = float(B.max())
    norm_exponent = math.log2(top) + math.log2(float(np.linalg.norm(B / top)))
    E = _scaled_expm1(B, norm_exponent, all_paths)
    with np.errstate(over="ignore"):
        return np.minimum(np.minimum(E * scale[:, None], LARGEST) / scale, LARGEST)


def _ceiling(n: int) -> float:
    """Largest entry that an n × n matrix may have so that its square does not overflow."""
    return math.sqrt(LARGEST / (4.0 * n))


def _infinite_if_saturated(trace: float, n: int) -> float:
    """+inf when a diagonal entry was held at the ceiling before the last squaring."""
    return math.inf if trace >= 0.99 * _ceiling(n) ** 2 else trace
