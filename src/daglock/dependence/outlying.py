"""One row that makes columns look like copies: named as what it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from daglock.dependence.determined import find_determined
from daglock.dependence.words import CANNOT_BE_TOLD
from daglock.moments import Moments
from daglock.typing import IntArray
from daglock.wording import listed

# Share of the variance of a column that one row must have.
ALONE = 0.99


def name_outlier(
    cautions: Sequence[str], aside: IntArray, data: NDArray[np.float64], names: Sequence[str]
) -> tuple[str, ...]:
    """Return cautions about columns that were set aside, with the row that alone made it so.

    Where one row has nearly all of the variance of such columns, and the other rows do not make
    them repeat others, that row is named in place of what it seemed to show.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> X[7] = 1e9
    >>> said = f"b is a copy of a. {CANNOT_BE_TOLD}: b is set aside."
    >>> name_outlier([said], np.array([1]), X, ["a", "b"])[0][:57]
    'Row 7 (counted from 0) has over 99% of the variance of b,'
    """
    if not len(aside) or len(data) < 4 or not np.isfinite(data).all():
        return tuple(cautions)
    rows = {_carrier(data[:, j]) for j in aside.tolist()}
    row = rows.pop()
    if rows or row is None:
        return tuple(cautions)
    rest = np.delete(data, row, axis=0)
    varies = np.ptp(rest, axis=0) > 0.0
    if not varies[aside].all():
        return tuple(cautions)
    still = np.flatnonzero(varies)[find_determined(Moments.from_data(rest[:, varies])).aside]
    if np.isin(aside, still).any():
        return tuple(cautions)
    which, one = listed(names[j] for j in aside), len(aside) == 1
    said = (
        f"Row {row} (counted from 0) has over 99% of the variance of {which}, an outlier by which "
        f"alone {'it seems' if one else 'they seem'} to repeat other columns, and "
        f"{'is' if one else 'are'} set aside: mend that row or leave it out, or take "
        'scores="normal".'
    )
    return tuple(said if CANNOT_BE_TOLD in caution else caution for caution in cautions)


def _carrier(values: NDArray[np.float64]) -> int | None:
    """Return the row that has nearly all of the variance of a column, if there is one."""
    scale = np.abs(values - np.median(values)).max()
    if not scale > 0.0:
        return None
    # with n rows, one that is far out has the share 1 - 1/n of the squares around the mean
    far = ((values - np.median(values)) / scale) ** 2
    row = int(far.argmax())
    return row if far[row] >= ALONE * far.sum() else None
