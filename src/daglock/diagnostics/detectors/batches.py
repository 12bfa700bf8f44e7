"""Batches: columns that stand for conditions under which other columns were measured."""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from daglock.diagnostics.detectors.time import tells_time
from daglock.diagnostics.detectors.view import MOST_BATCHES, View
from daglock.table.policy import as_argument
from daglock.typing import Array, IntArray
from daglock.wording import Finding, Level, plural

FEWEST_ROWS = 40
# Runs of equal values, as a share of what a random order of the rows has.
RUNS = 0.25
# Share of a variance between the batches from which on a mean counts as shifted.
SHIFT = 0.05
# Share of the other columns that must shift.
MANY = 1 / 3
_NAME = re.compile(
    r"(^|[^a-z])(batch|plate|site|cent(er|re)|lab|cohort|study|condition|environment|experiment|"
    r"regime|domain)($|[^a-z])",
    re.I,
)


def find_batches(view: View) -> list[Finding]:
    """Question columns of few values between which many means shift.

    They come in long runs of rows, or are called as batches are. A cause that the table was sorted
    by looks the same, so it is a warning only where the name speaks for it.
    """
    found, shifted = batches(view)
    if not found:
        return []
    one, most = len(found) == 1, max(shifted)
    its, it_is = ("its", "it is") if one else ("their", "they are")
    text = (
        f"The means of {plural(most, 'other column')} differ between {its} values"
        f"{', of which the rows come in blocks' if _in_blocks(view, found[0]) else ''}. If {it_is} "
        "a batch, a site or a condition of the experiment, not a measurement, links can come from "
        "these shifts alone: name the column of regimes, and every column has a mean of its own in "
        "each; where you know what a condition intervenes on, say that too (--targets), and it "
        "tells directions. If it was measured as the others were, all is well."
    )
    title = f"{view.called(found)}: {'a batch or condition' if one else 'batches or conditions'}?"
    level: Level = "warning" if any(map(partial(is_called_so, view), found)) else "note"
    fix = f"--regime {as_argument([view.names[found[0]]])}"
    return [Finding(level, title, text, view.named(found), fix, "batch?")]


def batches(view: View) -> tuple[list[int], list[int]]:
    """Return the columns that look like batches, those with most shifts first, and these.

    Where regimes are known, only what shifts within them counts.
    """
    if view.n < FEWEST_ROWS or view.d < 3:
        return [], []
    found = {}
    for j in range(view.d):
        if (
            2 <= len(view.values[j]) <= min(MOST_BATCHES, view.n // 10)
            and view.present[j] == view.n
            and not tells_time(view, j)
            and (_in_blocks(view, j) or is_called_so(view, j))
        ):
            shifts = _shifts(view, j)
            if shifts >= max(2, MANY * int(np.delete(view.numeric, j).sum())):
                found[j] = shifts
    order = sorted(found, key=lambda j: -found[j])
    return order, [found[j] for j in order]


def is_called_so(view: View, j: int) -> bool:
    """Whether a column has the name of a batch or condition."""
    return _NAME.search(view.names[j]) is not None


def _in_blocks(view: View, j: int) -> bool:
    """Whether equal values are neighbours far more often than in a random order."""
    column: Array = view.table.data[:, j]
    counts: IntArray = view.counts[j]
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
        total += inside.mean() * view.within[inside].mean(axis=0) ** 2
    limit = max(SHIFT, 3.0 * len(groups) / len(labels))
    total[j] = 0.0
    return int((total[view.numeric] > limit).sum())
