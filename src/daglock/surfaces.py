"""Surfaces: one smooth function of all parents together, for few columns and few rows.

A sum of curves is blind to what parents do together: of a function of eight that is no sum, the
share that belongs to each alone is next to nothing. Here x_j is a draw of a Gaussian process over
its parents, and noise: with y and z the standardised columns of j and of its parents P,

    y ~ N(0, σ²(I + ρK)),    K = exp(−|z − z'|² / (2w²)),

    f_j(P) = log(yᵀ(I + ρK)⁻¹y / n) + (log|I + ρK| − |P|·log n) / n

with the likeliest σ²: −2 log of the likelihood, per row and up to the constant of curves, so that
the two can be compared. The price of an edge has log(n)/n in it for the coefficient of a line;
here all is integrated over, and that is given back. Rows are dealt out to blocks of at most
`BLOCK`, each with a function of its own: for each set of parents n/500 factorisations of 500 rows.
They are dealt out by their sums, so that the order in which they stand does not matter.

References
----------
Friedman and Nachman, Gaussian process networks, UAI (2000).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from daglock.typing import Array, BoolArray, IntArray

# w, in standard deviations: those that are tried, and ρ (docs/theory.md).
WIDTHS = (0.7, 1.0, 1.4, 2.0)
SIGNAL = 2.0
# Rows that are factorised together, and how many factorisations there may be: some ten seconds.
BLOCK = 500
MOST = 4096


@dataclass(frozen=True, eq=False)
class Surfaces:
    """What every column costs with every set of parents, as a surface or as a sum of curves.

    Parameters
    ----------
    width : w.
    cost : (2^d, d) f_j(U) in cell (U, j), U read as bits, the lesser of the two; what it has where
        j is in U means nothing.
    """

    width: float
    cost: Array

    def of(self, parents: list[IntArray]) -> Array:
        """Return what every column costs with these parents.

        Examples
        --------
        >>> cost = np.array([[0.0, 0.0], [0.0, -0.5], [-0.4, 0.0], [0.0, 0.0]])
        >>> Surfaces(1.0, cost).of([np.array([], dtype=int), np.array([0])]).tolist()
        [0.0, -0.5]
        """
        return np.asarray(self.cost[_sets(parents), np.arange(len(parents))])

    def gains_of_edges(self, parents: list[IntArray], source: IntArray, target: IntArray) -> Array:
        """Return for edges i -> j what i gains j beside its other parents."""
        sets = _sets(parents)[target]
        gains = self.cost[sets ^ (1 << source), target] - self.cost[sets, target]
        return np.asarray(np.maximum(gains, 0.0))

    def largest_gains(self, parents: list[IntArray], allowed: BoolArray, most: int) -> Array:
        """Return what one more of the allowed, [i, j], would gain each column."""
        gains, sets = np.zeros(len(parents)), _sets(parents)
        for j, (U, P) in enumerate(zip(sets.tolist(), parents, strict=True)):
            more = np.setdiff1d(np.flatnonzero(allowed[:, j]), [*P, j])
            if len(P) < most and len(more):
                gains[j] = max(self.cost[U, j] - self.cost[U | (1 << more), j].min(), 0.0)
        return gains

    def select(self, columns: IntArray) -> Surfaces:
        """Return the same of some of the columns, in this order.

        Examples
        --------
        >>> cost = np.arange(8.0).reshape(4, 2)
        >>> Surfaces(1.0, cost).select(np.array([1, 0])).cost.tolist()
        [[1.0, 0.0], [5.0, 4.0], [3.0, 2.0], [7.0, 6.0]]
        """
        m = len(columns)
        sets = (np.arange(1 << m)[:, None] >> np.arange(m) & 1) @ (1 << columns)
        return replace(self, cost=self.cost[np.ix_(sets, columns)])


def are_few(n: int, d: int) -> bool:
    """Tell whether rows and columns are few enough for all sets of parents to have surfaces.

    Examples
    --------
    >>> [are_few(n, d) for n, d in ((2000, 10), (2001, 10), (1000, 11), (500, 13), (8000, 8))]
    [True, False, True, False, True]
    """
    return d <= MOST.bit_length() and -(-n // BLOCK) << d <= MOST


def surface_costs(X: Array, parents: list[IntArray], nodes: IntArray, width: float) -> Array:
    """Return f_j of some columns, all of which have parents."""
    square, logs = np.zeros((2, len(nodes)))
    for _, Z in _blocks(X):
        for k, j in enumerate(nodes.tolist()):
            own, log = _whitened(_kernel(Z[:, parents[j]], width), Z[:, [j]])
            square[k] += own[0]
            logs[k] += log
    return _per_row(square, logs, np.array([len(parents[j]) for j in nodes]), len(X))


def all_surface_costs(X: Array, width: float) -> Array:
    """Return f_j in cell (U, j), U read as bits, (2^d, d); where j is in U it means nothing."""
    n, d = X.shape
    square, logs, size = np.zeros((1 << d, d)), np.zeros(1 << d), np.zeros(1 << d)
    for _, Z in _blocks(X):
        kernels = [_kernel(z[:, None], width) for z in Z.T]
        square[0] += (Z * Z).sum(axis=0)
        for U, K in _products(kernels):
            own, log = _whitened(K, Z)
            square[U] += own
            logs[U] += log
            size[U] = U.bit_count()
    return _per_row(square, logs[:, None], size[:, None], n)


def surface_residuals(X: Array, P: IntArray, j: int, width: float) -> Array:
    """Return what a surface of P leaves of column j: each row given the others, over its deviation.

    With A = I + ρK these are ``(A⁻¹y)_i / √(A⁻¹)_ii``: Gaussian with the variance σ² of the noise,
    as far as the model holds.
    """
    left = np.empty(len(X))
    for rows, Z in _blocks(X):
        inverse = np.linalg.inv(SIGNAL * _kernel(Z[:, P], width) + np.eye(len(Z)))
        left[rows] = inverse @ Z[:, j] / np.sqrt(np.diag(inverse))
    return left


def _per_row(square: Array, logs: Array, size: Array, n: int) -> Array:
    """Return f_j from yᵀA⁻¹y, log|A| and |P|."""
    return np.asarray(np.log(square / n) + (logs - size * np.log(n)) / n)


def _sets(parents: list[IntArray]) -> IntArray:
    """Return sets of parents as the bits of numbers."""
    return np.array([int((1 << P).sum()) for P in parents], dtype=np.intp)


def _blocks(X: Array) -> Iterator[tuple[IntArray, Array]]:
    """Yield rows of blocks of nearly the same size, and these rows standardised."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    count = -(-len(X) // BLOCK)
    by_sum = np.argsort(Z.sum(axis=1), kind="stable")
    for b in range(count):
        rows = by_sum[b::count]
        yield rows, Z[rows]


def _kernel(Z: Array, width: float) -> Array:
    """Return ``exp(−|z_a − z_b|² / (2w²))`` of rows of columns."""
    square = sum((z[:, None] - z) ** 2 for z in Z.T)
    return np.asarray(np.exp(square / (-2.0 * width**2)))


def _products(kernels: list[Array]) -> Iterator[tuple[int, Array]]:
    """Yield every set of columns but the empty one, as bits, with the product of their kernels.

    Examples
    --------
    >>> [(U, float(K[0, 0])) for U, K in _products([np.full((1, 1), x) for x in (2.0, 3.0, 5.0)])]
    [(1, 2.0), (3, 6.0), (7, 30.0), (5, 10.0), (2, 3.0), (6, 15.0), (4, 5.0)]
    """

    def beyond(U: int, K: Array | None, first: int) -> Iterator[tuple[int, Array]]:
        for i in range(first, len(kernels)):
            product = kernels[i] if K is None else K * kernels[i]
            yield U | 1 << i, product
            yield from beyond(U | 1 << i, product, i + 1)

    return beyond(0, None, 0)


def _whitened(K: Array, Y: Array) -> tuple[Array, float]:
    """Return yᵀA⁻¹y of every column of Y, and log|A|, for A = I + ρK."""
    A = SIGNAL * K
    A[np.diag_indices_from(A)] += 1.0
    L = cholesky(A.T, lower=True, overwrite_a=True, check_finite=False)
    W = solve_triangular(L, Y, lower=True, check_finite=False)
    return (W * W).sum(axis=0), float(2.0 * np.log(np.diag(L)).sum())
