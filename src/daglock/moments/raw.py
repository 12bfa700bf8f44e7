"""Moments on the way: of blocks of rows, to be merged, not checked yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.blas import dsyrk

from daglock.errors import InvalidDataError
from daglock.table.frames import read_matrix
from daglock.table.policy import column, refuse_constant, require_finite
from daglock.table.resolution import find_resolution, merge_resolutions
from daglock.typing import Array
from daglock.wording import listed

if TYPE_CHECKING:
    from daglock.moments.moments import Moments

# OpenBLAS 0.3.30 ends the process in this product where the matrix is larger, and it has several
# threads; so it is then made of panels of so many columns.
_MOST_BYTES, _PANEL = 1 << 31, 512
# Smaller variances have lost their digits: numbers end at 1e-308.
_TINY = 1e-300
_BLOCK_CELLS = 1 << 22  # cells of X that are centred at a time: 32 MB of doubles
_WIDTH = 512  # rows of a triangle that are mirrored at a time


def add_product(B: Array, C: Array, weight: float = 1.0) -> Array:
    """Return ``C + weight · B Bᵀ``, of which only the upper triangle is right; C is overwritten.

    Parameters
    ----------
    B : (d, m), in either order.
    C : (d, d), column after column.

    Examples
    --------
    >>> np.triu(add_product(np.array([[1.0, 2.0], [0.0, 3.0]]), np.zeros((2, 2), order="F")))
    array([[5., 6.],
           [0., 9.]])
    """
    if C.nbytes < _MOST_BYTES:
        a, trans = (B, 0) if B.flags.f_contiguous else (B.T, 1)
        return np.asarray(dsyrk(weight, a, trans=trans, beta=1.0, c=C, overwrite_c=True))
    for start in range(0, len(C), _PANEL):
        end = min(len(C), start + _PANEL)
        own = B[:end] @ B[start:end].T
        own *= weight
        C[:end, start:end] += own
    return C


class Raw(NamedTuple):
    """Moments that are not checked yet, with the smallest and largest value of each column.

    The step of its grid is infinite where there are too few values to tell.
    """

    cov: Array
    n: int
    means: Array
    low: NDArray[Any]
    high: NDArray[Any]
    step: Array

    def merge(self, other: Raw) -> Raw:
        """Raw moments of the rows of both."""
        cov, means = merge_moments(self, other)
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        step = merge_resolutions(self.step, other.step)
        return Raw(cov, self.n + other.n, means, low, high, step)


def accumulate(table: NDArray[Any], names: Sequence[str] | None, first_row: int = 0) -> Raw:
    """Centre and multiply block after block of rows."""
    n, d = table.shape
    if n == 0:
        raise InvalidDataError("At least two rows are needed; got n = 0.")
    require_finite(table, names, first_row)
    with np.errstate(over="ignore", invalid="ignore"):  # Moments reports an overflow
        means = table.mean(axis=0, dtype=np.float64)
        cov = np.zeros((d, d), order="F")
        remainder = np.zeros(d)
        rows = max(1, _BLOCK_CELLS // d)
        for start in range(0, n, rows):
            centred = np.subtract(table[start : start + rows], means, dtype=np.float64)
            remainder += centred.sum(axis=0) / n
            cov = add_product(centred.T, cov, 1.0 / n)
        # What the rounding of the means left behind: the corrected two-pass formula.
        cov = add_product(remainder[:, None], cov, -1.0)
        mirror_upper(cov)
    # The transpose of a symmetric matrix is itself, with its rows contiguous.
    low, high = table.min(axis=0), table.max(axis=0)
    return Raw(cov.T, n, means + remainder, low, high, find_resolution(table))


def accumulate_chunks(
    chunks: Iterable[ArrayLike], names: Sequence[str] | None
) -> tuple[Raw, tuple[str, ...] | None]:
    """Return the raw moments of a table that arrives in pieces, and the names of its columns."""
    total: Raw | None = None
    labels = None if names is None else tuple(map(str, names))
    for chunk in chunks:
        table, labels = read_matrix(chunk, labels)
        if table.shape[0] == 0:
            continue
        if total is not None and table.shape[1] != total.means.size:
            raise InvalidDataError(
                f"Every chunk must have the same columns; one has {table.shape[1]} "
                f"and an earlier one {total.means.size}."
            )
        part = accumulate(table, labels, 0 if total is None else total.n)
        total = part if total is None else total.merge(part)
    if total is None:
        raise InvalidDataError("There are no rows: every chunk is empty.")
    return total, labels


def require_variation(raw: Raw, names: Sequence[str] | None) -> None:
    """Raise the error that names the columns that do not vary, or by too little to be squared."""
    # by the values: the computed variance of a constant column can be a rounding above zero
    refuse_constant(raw.low == raw.high, names)
    tiny = np.flatnonzero(np.diagonal(raw.cov) < _TINY)
    if len(tiny):
        spans = np.subtract(raw.high, raw.low, dtype=np.float64)
        shown = listed([f"{column(names, int(j))} (by {spans[j]:.2g})" for j in tiny], 5)
        raise InvalidDataError(
            "These columns vary, but by so little that their variance is below what a computer's "
            f"numbers can hold: {shown}; multiply them by 1e200, say."
        )


def mirror_upper(A: Array) -> None:
    """Copy the upper triangle onto the lower one, in place, block by block."""
    for start in range(0, A.shape[0], _WIDTH):
        stop = start + _WIDTH
        A[stop:, start:stop] = A[start:stop, stop:].T
        corner = np.triu(A[start:stop, start:stop])
        A[start:stop, start:stop] = corner + np.triu(corner, 1).T


def merge_moments(first: Moments | Raw, second: Moments | Raw) -> tuple[Array, Array]:
    """Covariance and means of the union of two samples."""
    share = second.n / (first.n + second.n)
    shift = second.means - first.means
    cov = (1 - share) * first.cov + share * second.cov
    cov += (share * (1 - share) * shift)[:, None] * shift[None, :]
    return cov, first.means + share * shift


def known_steps(step: Array) -> Array:
    """Return 0 for a step that is not known."""
    return np.where(np.isfinite(step), step, 0.0)


def frozen(array: ArrayLike) -> Array:
    """Return a read-only array: the same one when it is read-only already, else a copy."""
    values = np.asarray(array)
    if values.dtype != np.float64 or values.flags.writeable:
        values = values.astype(np.float64)
        values.flags.writeable = False
    return values
