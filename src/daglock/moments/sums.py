"""Sums: moments of rows that go by in blocks, each of them one product; mergeable.

Values are taken from a common shift c before they are multiplied, ``Σ (x−c)`` and
``Σ (x−c)(x−c)ᵀ``, so that a block is one pass and one product. With the mean o of ``x − c`` and the
variance v, the covariance ``Σ (x−c)(x−c)ᵀ/n − o oᵀ`` loses log₁₀(1 + o²/v) digits: where some o²
grows beyond 100 v, as where rows are sorted, the sums are closed, and the next begin at a new
shift. Closed sums are merged around their means (Chan, Golub and LeVeque 1983, eq. 2.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.moments.raw import add_product, mirror_upper
from daglock.typing import Array, IntArray

# A column whose mean is so many standard deviations from the shift has its sums closed.
_FAR = 10.0
# Above this many columns products are added up where they are, for want of memory.
LARGE = 512


class Sums:
    """Rows, their means, and what they scatter around them.

    Examples
    --------
    >>> sums = Sums(2)
    >>> sums.add([np.array([0.0, 2.0]), np.array([1.0, 3.0])])
    True
    >>> sums.add([np.array([4.0]), np.array([2.0])])
    True
    >>> sums.close()
    >>> sums.n, sums.means.tolist(), sums.scatter.round(9).tolist()
    (3, [2.0, 2.0], [[8.0, 2.0], [2.0, 2.0]])
    """

    def __init__(self, d: int) -> None:
        self.d = d
        self.n = 0
        self.means = np.zeros(d)
        self._rest = np.zeros(d)  # what the means lack for want of digits
        self.scatter: Array = np.zeros((0, 0))  # of closed sums
        self._open = 0  # rows since the shift
        self._shift = np.zeros(d)
        self._first = np.zeros(d)
        self._second: Array = np.zeros((0, 0))  # the upper triangle, where there are many columns
        self._block: Array = np.zeros((0, 0))

    def add(self, columns: Sequence[NDArray[Any]]) -> bool:
        """Add rows, given by their columns; return False, and add none, if one is not finite."""
        m = len(columns[0]) if columns else 0
        if not m:
            return True
        if self._block.shape[1] < m:
            self._block = np.empty((self.d + 1, m))
        with np.errstate(over="ignore", invalid="ignore"):
            if not self._open:
                self._shift = _middle(columns)
            if not (self._add_large(columns, m) if self.d > LARGE else self._add(columns, m)):
                return False
        self._open += m
        return True

    def _centred(self, columns: Sequence[NDArray[Any]], m: int) -> Array:
        """Return the block, a row for each column, less the shift."""
        block = self._block[: self.d, :m]
        for j, column in enumerate(columns):
            np.subtract(column, self._shift[j], out=block[j])
        return block

    def _add(self, columns: Sequence[NDArray[Any]], m: int) -> bool:
        """Add a block; a row of ones gives the sums of the others."""
        self._centred(columns, m)
        block = self._block[:, :m]
        block[-1] = 1.0
        product = block @ block.T
        first, second = product[-1, :-1], product[:-1, :-1]
        if not np.isfinite(np.diagonal(second)).all():
            return False
        if self._is_far(first, np.diagonal(second), m):
            self.close()
            self._shift, self._block = _middle(columns), np.empty((self.d + 1, m))
            return self._add(columns, m)
        if not self._open:
            self._first, self._second = first.copy(), second.copy()
        else:
            self._first += first
            self._second += second
        return True

    def _add_large(self, columns: Sequence[NDArray[Any]], m: int) -> bool:
        """Add a block to a product that is too large to be there twice."""
        block = self._centred(columns, m)
        first, squares = block.sum(axis=1), np.einsum("ij,ij->i", block, block)
        if not np.isfinite(squares).all():
            return False
        if self._is_far(first, squares, m):
            self.close()
            self._shift, self._block = _middle(columns), np.empty((self.d + 1, m))
            return self._add_large(columns, m)
        if not self._open:
            self._first, self._second = np.zeros(self.d), np.zeros((self.d, self.d), order="F")
        self._first += first
        self._second = add_product(block, self._second)
        return True

    def _is_far(self, first: Array, squares: Array, m: int) -> bool:
        """Whether the mean is far from the shift, with a block of m more rows."""
        if not self._open:
            return False
        n = self._open + m
        mean = (self._first + first) / n
        square = (np.diagonal(self._second) + squares) / n
        return bool((mean**2 > _FAR**2 * np.maximum(square - mean**2, 0.0)).any())

    def close(self) -> None:
        """Put what was added since the last shift together with what was closed before."""
        if not self._open:
            return
        offset = self._first / self._open
        scatter = self._second
        if self.d > LARGE:
            mirror_upper(scatter)
        scatter -= (self._open * offset)[:, None] * offset
        self._include(self._open, *_two_sum(self._shift, offset), scatter)
        self._open, self._second, self._block = 0, np.zeros((0, 0)), np.zeros((0, 0))

    def select(self, columns: IntArray) -> Sums:
        """Return closed sums of some of the columns."""
        some = Sums(len(columns))
        some.n, some.means, some._rest = self.n, self.means[columns], self._rest[columns]
        some.scatter = self.scatter[np.ix_(columns, columns)]
        return some

    def merge(self, other: Sums) -> Sums:
        """Return these with the rows of others."""
        self.close()
        other.close()
        if other.n:
            self._include(other.n, other.means, other._rest, other.scatter)
        return self

    def _include(self, n: int, means: Array, rest: Array, scatter: Array) -> None:
        """Merge rows, given by their number, means and scatter.

        The means have twice the digits: where they are many standard deviations from zero, rows in
        many parts would lose them otherwise.
        """
        if not self.n:
            self.n, self.means, self._rest, self.scatter = n, means, rest, scatter
            return
        total, shift = self.n + n, (means - self.means) + (rest - self._rest)
        self.scatter += scatter
        self.scatter += (self.n * (n / total) * shift)[:, None] * shift
        self.means, self._rest = _two_sum(self.means, self._rest + (n / total) * shift)
        self.n = total


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Return ``a + b`` and what it is rounded by (Knuth 1997, section 4.2.2, theorem B)."""
    total = a + b
    second = total - a
    return total, (a - (total - second)) + (b - second)


def _middle(columns: Sequence[NDArray[Any]]) -> Array:
    """Return the means; of a column that does not vary its value, to the last bit."""
    means = np.array([column.mean(dtype=np.float64) for column in columns])
    for j, column in enumerate(columns):
        if column[0] == column[-1] and (column == column[0]).all():
            means[j] = column[0]
    return np.where(np.isfinite(means), means, 0.0)
