"""Codes: sentinels, zeros that were not measured, and columns of few values.

A sentinel is a number that stands for no number, such as −999 where nothing was measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.counts import can_be_counted
from daglock.diagnostics.detectors.view import View
from daglock.table.kinds import Kind
from daglock.table.policy import as_argument
from daglock.typing import Array
from daglock.wording import Finding, listed, percent, plural, short

# Nines that nobody measures by accident: far from all other values they are codes.
_NINES = tuple(sign * (10.0**k - 1.0) for k in range(3, 10) for sign in (-1.0, 1.0))
_TENTHS = (-99.9, -999.9, 999.9, 99.99, 999.99, -99.99, -999.99)
# Codes of surveys: questioned only beside whole numbers that are much nearer to each other.
_SHORT = (99.0, 98.0, 97.0, 88.0, 77.0)
# Negative codes in columns that are otherwise never negative.
_NEGATIVE = (-1.0, -7.0, -8.0, -9.0, -88.0, -99.0)
# A column has at most so many kinds of missing values.
_MOST = 3
# Positive values must start so far from zero, at these quantiles, in units of their median, and by
# so many times the largest gap among the lower half of them.
ZERO_GAP, ZERO_BULK, ZERO_GAPS = 0.08, 0.25, 2.0
# With more zeros than this they are what is usual.
MOST_ZEROS = 0.6
# Different values up to which a column of whole numbers may be codes.
FEW_VALUES = 7


@dataclass(frozen=True)
class Sentinel:
    """A value that looks like a code for a missing one."""

    value: float
    count: int  # cells that hold it


def sentinels_of(values: Array, counts: NDArray[Any]) -> list[Sentinel]:
    """Return the values of a numeric column that look like codes for missing ones.

    A value is questioned if it is the smallest or the largest, is written as such codes are (−999,
    9999, 99, −9, −1) and stands apart from all other values, by half their range or more. Small
    negative codes count where no other value is negative.

    Parameters
    ----------
    values : the different ones, sorted.
    counts : how often each occurs.

    Examples
    --------
    >>> sentinels_of(np.array([-999.0, 9.8, 10.2, 11.4, 12.1]), np.array([2, 1, 1, 1, 1]))
    [Sentinel(value=-999.0, count=2)]
    >>> sentinels_of(np.array([980.0, 990.0, 999.0, 1003.0]), np.ones(4))
    []
    """
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


def find_sentinel_values(view: View) -> list[Finding]:
    """Question numbers that stand for no number."""
    found = {
        j: sentinels
        for j in np.flatnonzero(view.numeric).tolist()
        if (sentinels := sentinels_of(view.values[j], view.counts[j]))
    }
    if not found:
        return []
    shown = [
        f"{view.names[j]} holds {_number(s.value)} in {plural(s.count, 'row')}"
        for j, sentinels in found.items()
        for s in sentinels
    ]
    text = (
        f"{listed(shown, 5)}, far from all other values. If that stands for a missing value, it "
        "must not be used as a number."
    )
    codes = sorted({_number(s.value) for sentinels in found.values() for s in sentinels})
    title = f"{listed(codes)}: {'a code' if len(codes) == 1 else 'codes'} for missing values?"
    fix = _as_missing([(view.names[j], s.value) for j, these in found.items() for s in these])
    return [Finding("warning", title, text, view.named(found), fix, "sentinel?")]


def find_impossible_zeros(view: View) -> list[Finding]:
    """Question exact zeros in columns whose other values all lie far above zero."""
    found = []
    for j in np.flatnonzero(view.numeric).tolist():
        values, counts = view.values[j], view.counts[j]
        if values[0] != 0.0 or len(values) < 20 or counts[0] > MOST_ZEROS * counts.sum():
            continue
        positive, weight = values[1:], np.cumsum(counts[1:]) / counts[1:].sum()
        middle = positive[np.searchsorted(weight, 0.5)]
        bulk = positive[np.searchsorted(weight, 0.05)]
        gap = np.diff(positive[: len(positive) // 2 + 1]).max()
        apart = positive[0] >= max(ZERO_GAP * middle, ZERO_GAPS * gap)
        if apart and bulk >= ZERO_BULK * middle and counts[0] >= 2:
            found.append(j)
    if not found:
        return []
    shown = [
        f"{view.names[j]} ({percent(view.counts[j][0] / view.present[j])} zeros, then from "
        f"{short(float(view.values[j][1]))})"
        for j in found
    ]
    text = (
        f"{listed(shown)}: nothing lies between. If a zero there means that nothing was measured, "
        "it is a missing value."
    )
    title = f"Zeros in {view.called(found)} may be missing values"
    fix = _as_missing([(view.names[j], 0.0) for j in found])
    return [Finding("warning", title, text, view.named(found), fix, "zeros?")]


def find_few_values(view: View) -> list[Finding]:
    """Say which columns have two values, and which have few whole ones, perhaps labels."""
    if can_be_counted(view.table):  # then no line is drawn through any values
        return []
    binary, few = [], []
    for j in np.flatnonzero(view.numeric).tolist():
        kind, values = view.table.kinds[j], view.values[j]
        if kind.given:
            continue
        if len(values) == 2:
            binary.append(j)
        elif len(values) <= FEW_VALUES and view.whole[j] and view.present[j] >= 8 * len(values):
            few.append((j, kind.kind))
    findings = []
    labels = [j for j, kind in few if kind is not Kind.ORDINAL]
    if labels:
        text = (
            f"{_it_they(labels)} few different whole numbers. As amounts, the step from 1 to "
            "2 is as large as that from 2 to 3. If they are labels or grades, say so: daglock "
            "check FILE --write columns.yaml writes what was assumed, to edit."
        )
        title = f"{view.called(labels)}: amounts or labels?"
        fix = "--columns columns.yaml"
        findings.append(Finding("note", title, text, view.named(labels), fix, "codes?"))
    if binary:
        text = (
            "A line through two values is an approximation: as a cause, its weight is the "
            "difference between the two groups; as an effect, a difference of shares, which holds "
            "in the middle and not near 0 or 1."
        )
        title = f"{view.called(binary)}: two values"
        findings.append(Finding("note", title, text, view.named(binary), "", "two values"))
    return findings


def _as_missing(cells: list[tuple[str, float]]) -> str:
    """Return the option that makes values of some columns missing."""
    return f"--na {as_argument([f'{name}={_number(value)}' for name, value in cells])}"


def _it_they(columns: list[int]) -> str:
    """Return the start of a sentence about columns."""
    return "It has" if len(columns) == 1 else "They have"


def _number(value: float) -> str:
    """Write a code as it stands in the file."""
    return f"{value:.0f}" if value == round(value) else f"{value:g}"
