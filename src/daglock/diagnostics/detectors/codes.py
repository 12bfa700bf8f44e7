"""Codes: sentinels, zeros that were not measured, and columns of few values."""

from __future__ import annotations

import numpy as np

from daglock.counts import can_be_counted
from daglock.diagnostics.detectors.view import View
from daglock.table.codes import sentinels_of
from daglock.table.kinds import Kind
from daglock.table.policy import as_argument
from daglock.wording import Finding, listed, percent, plural, short

# Positive values must start so far from zero, at these quantiles, in units of their median, and by
# so many times the largest gap among the lower half of them.
ZERO_GAP, ZERO_BULK, ZERO_GAPS = 0.08, 0.25, 2.0
# With more zeros than this they are what is usual.
MOST_ZEROS = 0.6
# Different values up to which a column of whole numbers may be codes.
FEW_VALUES = 7


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
