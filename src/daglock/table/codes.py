"""Sentinels: numbers that stand for no number, such as −999 where nothing was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from daglock.typing import Array

# Nines that nobody measures by accident: far from all other values they are codes.
_NINES = tuple(sign * (10.0**k - 1.0) for k in range(3, 10) for sign in (-1.0, 1.0))
_TENTHS = (-99.9, -999.9, 999.9, 99.99, 999.99, -99.99, -999.99)
# Codes of surveys: questioned only beside whole numbers that are much nearer to each other.
_SHORT = (99.0, 98.0, 97.0, 88.0, 77.0)
# Negative codes in columns that are otherwise never negative.
_NEGATIVE = (-1.0, -7.0, -8.0, -9.0, -88.0, -99.0)
# A column has at most so many kinds of missing values.
_MOST = 3


@dataclass(frozen=True)
class Sentinel:
    """A value that looks like a code for a missing one."""

    value: float
    count: int  # cells that hold it


def find_sentinels(column: ArrayLike) -> list[Sentinel]:
    """Return the values of a numeric column that look like codes for missing ones.

    A value is questioned if it is the smallest or the largest, is written as such codes are (−999,
    9999, 99, −9, −1) and stands apart from all other values, by half their range or more. Small
    negative codes count where no other value is negative. Missing cells (NaN) are passed over.

    Examples
    --------
    >>> find_sentinels([12.1, 9.8, -999.0, 11.4, -999.0, 10.2])
    [Sentinel(value=-999.0, count=2)]
    >>> find_sentinels([980.0, 990.0, 999.0, 1003.0])
    []
    """
    cells = np.asarray(column, dtype=np.float64)
    values, counts = np.unique(cells[np.isfinite(cells)], return_counts=True)
    return sentinels_of(values, counts)


def sentinels_of(values: Array, counts: NDArray[Any]) -> list[Sentinel]:
    """Return the same, of the sorted distinct values of a column and how often each occurs."""
    found: list[Sentinel] = []
    while len(values) > 3 and len(found) < _MOST:
        ends = [k for k in (0, -1) if _is_code(values, counts, k)]
        if not ends:
            break
        end = ends[0]
        found.append(Sentinel(float(values[end]), int(counts[end])))
        kept = slice(1, None) if end == 0 else slice(None, -1)
        values, counts = values[kept], counts[kept]
    return found


def _is_code(values: Array, counts: NDArray[Any], end: int) -> bool:
    """Whether the first or the last of the sorted values looks like a code."""
    value = float(values[end])
    rest = values[1:] if end == 0 else values[:-1]
    gap = abs(value - float(rest[0 if end == 0 else -1]))
    spread = float(rest[-1] - rest[0])
    if value in _NINES or value in _TENTHS:
        # on a logarithmic scale the end of a long tail is near
        ordinary = bool(rest[0] > 0.0) and 0.0 < value <= 5.0 * float(rest[-1])
        return gap >= 0.5 * spread and not (ordinary and counts[end] == 1)
    whole = bool((rest == np.round(rest)).all())
    if value in _SHORT:
        # one far value can be a measurement; a code is there again and again
        return whole and gap >= 2.0 * spread and counts[end] >= 2
    if value in _NEGATIVE and end == 0:
        # the end of a tail is rarer than what comes before it, a code is not
        nearest = int(counts[1:4].max())
        often = 3 * nearest if value == -1.0 else nearest
        few = value == -1.0 and len(rest) < 8  # where from -1 to 0 is a step like any other
        return bool(rest[0] >= 0.0) and whole and not few and counts[0] > max(often, 1)
    return False
