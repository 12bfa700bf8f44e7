"""Batches: columns that stand for conditions under which other columns were measured; repeats."""

from __future__ import annotations

import numpy as np

from daglock.diagnostics.detectors.time import tells_time
from daglock.diagnostics.detectors.view import MOST_BATCHES, View
from daglock.typing import Array, IntArray
from daglock.wording import Finding, percent, plural

FEWEST_ROWS = 40
# Runs of equal values, as a share of what a random order of the rows has.
RUNS = 0.25
# Share of a variance between the batches from which on a mean counts as shifted.
SHIFT = 0.05
# Share of rows that repeat others from which on it is said.
REPEATED = 0.01
# Values that the column with the most of them must have, as a share of the rows.
FINE = 0.05


def find_batches(view: View) -> list[Finding]:
    """Question columns of few values, each in long runs of rows, between which many means shift."""
    if view.n < FEWEST_ROWS or view.d < 3:
        return []
    found, shifted = [], 0
    for j in range(view.d):
        if not 2 <= len(view.values[j]) <= min(MOST_BATCHES, view.n // 10):
            continue
        if (
            view.present[j] < view.n
            or tells_time(view, j)
            or not _comes_in_runs(view.table.data[:, j], view.counts[j])
        ):
            continue
        shifts = _shifts(view, j)
        others = int(np.delete(view.numeric, j).sum())
        if shifts >= max(2, others / 3):
            found.append(j)
            shifted = max(shifted, shifts)
    if not found:
        return []
    one = len(found) == 1
    its, it_is = ("its", "it is") if one else ("their", "they are")
    text = (
        f"The rows come in blocks of {its} values, and the means of "
        f"{plural(shifted, 'other column')} differ between them. If {it_is} a batch, a site or a "
        "condition of the experiment, not a measurement, links can come from the blocks alone: "
        "leave it out and learn from one block at a time, or say so in columns.yaml "
        f"({view.names[found[0]]}: regime). If the table was only sorted, all is well."
    )
    title = f"{view.called(found)}: {'a batch or condition' if one else 'batches or conditions'}?"
    fix = "--columns columns.yaml"
    return [Finding("note", title, text, view.named(found), fix, "batch?")]


def _comes_in_runs(column: Array, counts: IntArray) -> bool:
    """Whether equal values are neighbours far more often than in a random order."""
    n = len(column)
    runs = int((np.diff(column) != 0.0).sum()) + 1
    expected = n * (1.0 - float(((counts / n) ** 2).sum())) + 1.0
    return expected > 20.0 and runs <= RUNS * expected


def _shifts(view: View, j: int) -> int:
    """How many other columns have means that differ between the values of a column."""
    labels = view.sample[:, j]
    total = np.zeros(view.d)
    groups = np.unique(labels)
    for value in groups:
        inside = labels == value
        total += inside.mean() * view.scaled[inside].mean(axis=0) ** 2
    limit = max(SHIFT, 3.0 * len(groups) / len(labels))
    total[j] = 0.0
    return int((total[view.numeric] > limit).sum())


def find_repeated_rows(view: View) -> list[Finding]:
    """Say that rows occur more than once, where columns have too many values for that."""
    finest = max(map(len, view.values))
    if len(view.measured) < 3 or view.n < FEWEST_ROWS or finest < FINE * view.n:
        return []  # codes repeat by themselves
    data = np.ascontiguousarray(view.table.data, dtype=np.float64)
    rows = data.view(np.dtype((np.void, data.dtype.itemsize * view.d))).reshape(-1)
    repeated = view.n - len(np.unique(rows))
    if repeated < max(2.0, REPEATED * view.n):
        return []
    text = (
        f"{plural(repeated, 'row')} of {view.n:,} ({percent(repeated / view.n)}) are the same as "
        "an earlier row in every column. If cases were entered twice, leave the copies out: they "
        "count as evidence."
    )
    return [Finding("note", "Rows that repeat others", text)]
