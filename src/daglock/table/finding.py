"""What columns of numbers are, found by looking at their values.

A column that does not vary, holds no value or dates, counts the rows or numbers the cases is no
variable. Two values are
binary. Whole numbers with few different values are ordinal, codes of which only the order is to be
relied on; whole numbers from 0 or 1 on with a long tail to the right are counts. All else is
continuous. The values stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock.table.kinds import CONTINUOUS, ColumnKind, Kind
from daglock.typing import Array, BoolArray, IntArray

# Whole numbers are codes when so many different ones, at most, lie close together near zero ...
MOST_CODES = 10
LARGEST_CODE = 100
# ... and each stands in so many rows on average; the same is asked of levels of text.
ROWS_A_LEVEL = 5
# Counts begin at 0 or 1 and have a tail, by the skewness of so many rows; beyond the largest they
# are as good as continuous.
LEAST_SKEW = 0.5
FEWEST_TAILED = 20
LARGEST_COUNT = 100_000
# Fewer rows can be numbered 1, 2, 3, ... by design.
FEWEST_COUNTED = 10
# Whole numbers that a name calls identifiers are, when there are more different ones.
FEWEST_IDENTIFIED = 30
# Whole numbers such as 20200131 are dates when there are so many different ones, all of them days.
FIRST_DAY, LAST_DAY = 1800_01_01, 2199_12_31
FEWEST_DAYS = 5
# A look at so many rows tells most continuous columns; of the others all rows are looked at.
_GLANCE = 64
_BLOCK = 4096
# Whole numbers in so narrow a range are tallied.
_NARROW = 128
_MOST_SKEWED = 100_000

_NAMES_CASES = re.compile(
    r"(?i:(?:.*[\W_])?(?:id|ids|uuid|guid|rowid)|row[\W_]?(?:names?|nr|no|num|numbers?|id|index)"
    r"|index|unnamed: \d+)|.*[a-z](?:ID|Id)"
)


class _Look(NamedTuple):
    """What a look at all rows of some columns tells."""

    low: Array
    high: Array
    whole: BoolArray
    there: IntArray  # how many values there are


def find_numbers(data: NDArray[Any], labels: Sequence[str]) -> list[ColumnKind]:
    """Return the kind of each column of numbers, missing values aside.

    Examples
    --------
    >>> rows = np.arange(40)
    >>> table = np.column_stack([rows + 1, rows % 2, rows % 4, np.sqrt(rows), 0 * rows])
    >>> [found.kind.value for found in find_numbers(table, ["nr", "sex", "grade", "x", "year"])]
    ['identifier', 'binary', 'ordinal', 'continuous', 'constant']
    """
    kinds = [CONTINUOUS] * data.shape[1]
    if not data.size:
        return kinds
    columns = _not_plainly_continuous(data)
    low, high, whole, there = _look(data, columns)
    with np.errstate(invalid="ignore", over="ignore"):
        span = high - low
    for j in columns[there == 0].tolist():
        kinds[j] = ColumnKind(Kind.CONSTANT, reason="it has no value")
    # where there is no value, or an infinite one, nothing more can be told
    known = np.isfinite(span)
    narrow = known & whole & (span > 0) & (span < _NARROW)
    tallies = _tallies(data, columns[narrow], low[narrow])
    tally_of = dict(zip(np.flatnonzero(narrow).tolist(), tallies, strict=True))
    wide = known & whole & (span >= _NARROW) & (span <= LARGEST_COUNT) & (low >= 0) & (low <= 1)
    skews = dict(zip(columns[wide].tolist(), _skewness(data, columns[wide]), strict=True))
    for k in np.flatnonzero(known).tolist():
        j = int(columns[k])
        values, ends = data[:, j], (float(low[k]), float(high[k]))
        if span[k] == 0:
            kinds[j] = ColumnKind(Kind.CONSTANT, reason="it does not vary")
        elif np.count_nonzero(tally_of[k]) == 2 if k in tally_of else _has_two(values, *ends):
            reason = f"it has two values, {ends[0]:g} and {ends[1]:g}"
            kinds[j] = ColumnKind(Kind.BINARY, reason=reason)
        elif not whole[k]:
            continue
        elif there[k] == len(values) >= FEWEST_COUNTED and counts_rows(values):
            kinds[j] = ColumnKind(Kind.IDENTIFIER, reason="it counts the rows")
        elif ends[0] >= FIRST_DAY and ends[1] <= LAST_DAY and _are_days(values):
            reason = "it holds dates as whole numbers, year, month and day"
            kinds[j] = ColumnKind(Kind.DATE, reason=reason)
        elif k in tally_of:
            kinds[j] = _kind_of_few(tally_of[k], ends[0], labels[j])
        elif _NAMES_CASES.fullmatch(labels[j]):
            kinds[j] = _numbered()
        elif j in skews and there[k] >= FEWEST_TAILED:
            kinds[j] = _kind_by_tail(*ends, skews[j])
    return kinds


def counts_rows(values: NDArray[Any]) -> bool:
    """Whether a column only counts: each row one more than the row before."""
    n = len(values)
    if n < 3:
        return False
    first = float(values[0])
    if float(values[1]) != first + 1 or float(values[-1]) != first + n - 1:
        return False
    return np.array_equal(values, first + np.arange(n))


def _are_days(values: NDArray[Any]) -> bool:
    """Whether whole numbers are dates, written year, month, day: by chance one in 27 numbers is."""
    days = np.unique(values[~np.isnan(values)]).astype(np.int64)
    year, month, day = days // 10000, days // 100 % 100, days % 100
    if len(days) < FEWEST_DAYS or not ((month >= 1) & (month <= 12) & (day >= 1)).all():
        return False
    first = (year - 1970).astype("datetime64[Y]").astype("datetime64[M]") + (month - 1)
    length = (first + 1).astype("datetime64[D]") - first.astype("datetime64[D]")
    return bool((day <= length.astype(np.int64)).all())


def _not_plainly_continuous(data: NDArray[Any]) -> IntArray:
    """Return the columns that a few rows do not show to be continuous."""
    if data.dtype.kind in "iub":
        return np.arange(data.shape[1])
    glance = data[:: max(1, len(data) // _GLANCE)]
    with np.errstate(invalid="ignore"):
        fractions = glance != np.floor(glance)
    fractions &= ~np.isnan(glance)
    # a fraction that stands beside no third value may belong to a constant or to one of two values
    few = np.array([len(np.unique(column[~np.isnan(column)])) < 3 for column in glance.T])
    return np.flatnonzero(~fractions.any(axis=0) | few)


def _look(data: NDArray[Any], columns: IntArray) -> _Look:
    """Look at all rows of some columns, in blocks that stay in the cache."""
    d = len(columns)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    whole, there = np.ones(d, dtype=np.bool_), np.zeros(d, dtype=np.intp)
    if not d:
        return _Look(low, high, whole, there)
    for start in range(0, len(data), _BLOCK):
        block = data[start : start + _BLOCK]
        if d < data.shape[1]:
            block = block[:, columns]
        np.fmin(low, np.fmin.reduce(block, axis=0), out=low)
        np.fmax(high, np.fmax.reduce(block, axis=0), out=high)
        there += len(block)
        if block.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                is_whole = np.floor(block) == block
            if not is_whole.all():
                gaps = np.isnan(block)
                whole &= (is_whole | gaps).all(axis=0)
                there -= gaps.sum(axis=0)
    return _Look(low, high, whole, there)


def _has_two(values: NDArray[Any], low: float, high: float) -> bool:
    """Whether nothing stands between the lowest and the highest value."""
    for some in (values[:_GLANCE], values):  # most columns show a third value at once
        if not ((some == low) | (some == high) | (some != some)).all():
            return False
    return True


def _tallies(data: NDArray[Any], columns: IntArray, low: Array) -> IntArray:
    """Count how often low, low + 1, low + 2, ... occur in columns of whole numbers, a row each."""
    d = len(columns)
    # one more place for missing values
    total = np.zeros(d * (_NARROW + 1), dtype=np.intp)
    first = np.arange(d) * (_NARROW + 1)
    for start in range(0, len(data) if d else 0, _BLOCK):
        block = data[start : start + _BLOCK]
        block = (block if d == data.shape[1] else block[:, columns]) - low
        gaps = np.isnan(block)
        if gaps.any():
            block[gaps] = _NARROW
        places = block.astype(np.intp) + first
        total += np.bincount(places.ravel(), minlength=total.size)
    return total.reshape(d, _NARROW + 1)[:, :_NARROW]


def _kind_of_few(tally: IntArray, low: float, label: str) -> ColumnKind:
    """Tell codes and counts apart, by how often each whole number occurs."""
    steps = np.flatnonzero(tally)
    k, n, high = len(steps), int(tally.sum()), low + float(steps[-1])
    if k > FEWEST_IDENTIFIED and _NAMES_CASES.fullmatch(label):
        return _numbered()
    close = high - low < 2 * k and max(abs(low), abs(high)) <= LARGEST_CODE
    if k <= MOST_CODES and close and n >= ROWS_A_LEVEL * k:
        reason = f"it has {k} different whole numbers from {low:g} to {high:g}"
        return ColumnKind(Kind.ORDINAL, reason=reason)
    if low in (0.0, 1.0) and n >= FEWEST_TAILED:
        shares = tally[steps] / n
        centred = steps - shares @ steps
        skew = float(shares @ centred**3) / float(shares @ centred**2) ** 1.5
        return _kind_by_tail(low, high, skew)
    return CONTINUOUS


def _kind_by_tail(low: float, high: float, skew: float) -> ColumnKind:
    """Return the kind of whole numbers from 0 or 1 on with this skewness."""
    if skew <= LEAST_SKEW:
        return CONTINUOUS
    reason = f"it has whole numbers from {low:g} to {high:g} with a tail, skewness {skew:.1f}"
    return ColumnKind(Kind.COUNT, reason=reason)


def _numbered() -> ColumnKind:
    """Return the kind of whole numbers that a name calls identifiers."""
    return ColumnKind(Kind.IDENTIFIER, reason="its name and its whole numbers are an identifier's")


def _skewness(data: NDArray[Any], columns: IntArray) -> Array:
    """Return the third standardised moment of columns; evenly spaced rows of many suffice."""
    rows = data[:: -(-len(data) // _MOST_SKEWED), columns].astype(np.float64)
    there = ~np.isnan(rows)
    n = np.maximum(there.sum(axis=0), 1)
    rows[~there] = 0.0
    rows -= rows.sum(axis=0) / n
    rows[~there] = 0.0
    squares = rows * rows
    variance, third = squares.sum(axis=0) / n, (squares * rows).sum(axis=0) / n
    return np.asarray(third / np.maximum(variance, np.finfo(np.float64).tiny) ** 1.5)
