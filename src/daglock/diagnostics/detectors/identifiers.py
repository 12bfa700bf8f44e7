"""Identifiers: columns that name the rows, or groups of them, and measure nothing."""

from __future__ import annotations

import re

import numpy as np

from daglock.diagnostics.detectors.time import tells_time
from daglock.diagnostics.detectors.view import MOST_BATCHES, View
from daglock.table.policy import as_argument
from daglock.typing import Array
from daglock.wording import Finding

# With fewer rows, different whole numbers prove nothing.
FEWEST_ROWS = 20
# Whole numbers that are all different and fill so much of their range were given out, not measured.
_DENSE = 1.5
_NAME = re.compile(r"(^|[^a-z])(id|ids|key|uuid|index|idx|serial|record|rownum|nr)($|[^a-z])", re.I)


def find_identifiers(view: View) -> list[Finding]:
    """Question columns that name each row.

    Whole numbers, all different, that fill their range, follow the order of the rows, or stand
    under a name such as "id".
    """
    found = [j for j in np.flatnonzero(view.numeric).tolist() if _names_rows(view, j)]
    if not found:
        return []
    one = len(found) == 1
    text = (
        f"{'It holds a different whole number' if one else 'They hold different whole numbers'} in "
        "each row, as an identifier or a counter does: a name is neither cause nor effect. Leave "
        f"{'it' if one else 'them'} out, unless {'it measures' if one else 'they measure'} "
        "something."
    )
    title = f"{view.called(found)} {'seems' if one else 'seem'} to number the rows"
    return [Finding("warning", title, text, view.named(found), view.drop(found), "identifier?")]


def _names_rows(view: View, j: int) -> bool:
    """Whether a column has a number of its own for each row."""
    values, n = view.values[j], view.n
    if n < FEWEST_ROWS or len(values) < n or not view.whole[j]:
        return False
    dense = values[-1] - values[0] + 1.0 <= _DENSE * n
    return bool(dense or _is_ordered(view.table.data[:, j]) or _NAME.search(view.names[j]))


def find_groups(view: View) -> list[Finding]:
    """Question columns that number groups of rows: families, patients, sites.

    Many whole numbers, each in one run of neighbouring rows, in growing order.
    """
    found = []
    for j in np.flatnonzero(view.numeric & view.whole).tolist():
        n_values, column = len(view.values[j]), view.table.data[:, j]
        if not MOST_BATCHES < n_values <= view.n // 2 or view.present[j] < view.n:
            continue
        values = view.values[j]
        dense = values[-1] - values[0] + 1.0 <= 2.0 * n_values
        runs = int((np.diff(column) != 0.0).sum()) + 1
        if (
            dense
            and runs <= 1.05 * n_values
            and _is_ordered(column, ties=True)
            and not tells_time(view, j)
        ):
            found.append(j)
    if not found:
        return []
    size = view.n / len(view.values[found[0]])
    text = (
        f"The rows come in groups of {size:.1f} on average. Rows of one group are not independent, "
        "and with them the links look surer than they are. Name the number as groups, which are "
        "then drawn together, and it is no variable; in Python leave it out, and "
        f"model.assess(groups=table[{view.names[found[0]]!r}])."
    )
    fix = f"--groups {as_argument(view.named(found[:1]))}"
    if len(found) > 1:
        fix += f" {view.drop(found[1:])}"
    verb = "numbers" if len(found) == 1 else "number"
    title = f"{view.called(found)} {verb} groups of rows"
    return [Finding("warning", title, text, view.named(found), fix, "groups?")]


def _is_ordered(column: Array, ties: bool = False) -> bool:
    """Whether a column only grows, or only falls."""
    step = np.diff(column)
    if ties:  # but for a few that were added later
        return bool(max((step >= 0.0).mean(), (step <= 0.0).mean()) > 0.99)
    return bool((step > 0.0).all() or (step < 0.0).all())
