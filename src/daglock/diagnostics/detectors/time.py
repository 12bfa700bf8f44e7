"""Time: columns that tell when, and rows that depend on those before them."""

from __future__ import annotations

import re

import numpy as np
from scipy.stats import rankdata

from daglock.diagnostics.detectors.view import MOST_ROWS, View, filled, standardised
from daglock.typing import Array
from daglock.wording import Finding, plural

# What columns of these names hold when they tell the time; plurals count, they do not date.
CALENDAR = {
    "year": ((1500.0, 2200.0), (50.0, 99.0)),
    "month": ((1.0, 12.0),),
    "week": ((1.0, 53.0),),
    "day": ((1.0, 31.0), (1.0, 366.0)),
    "weekday": ((0.0, 7.0),),
    "quarter": ((1.0, 4.0),),
    "hour": ((0.0, 24.0),),
}
# Correlation of a row with the next from which on it matters, and in how many standard errors.
LINKED, SURE = 0.3, 5.0
# Neighbours that count as sorted.
_SORTED = 0.995


def find_calendar(view: View) -> list[Finding]:
    """Question columns whose names and values are those of years, months or days."""
    found = [j for j in np.flatnonzero(view.numeric & view.whole).tolist() if tells_time(view, j)]
    if not found:
        return []
    one = len(found) == 1
    cyclic = [j for j in found if _unit(view.names[j]) != "year"]
    text = (
        f"Nothing in a table causes the time: say that {'it comes' if one else 'they come'} first, "
        f"with roots: [{', '.join(view.named(found))}] in a knowledge file (--knowledge), or leave "
        f"{'it' if one else 'them'} out."
    )
    if cyclic:
        text += (
            f" A line takes the ends of {view.called(cyclic)} for far apart, which they are not."
        )
    title = f"{view.called(found)} {'tells' if one else 'tell'} the time"
    return [Finding("note", title, text, view.named(found), view.drop(found), "time?")]


def _unit(name: str) -> str | None:
    """Return which unit of time a column is called by."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    words = re.sub(r"[^a-z]+", " ", spaced.lower()).split()
    for unit in CALENDAR:
        if unit in words or any(
            word.endswith(unit) and unit in ("year", "month") for word in words
        ):
            return unit
    return None


def tells_time(view: View, j: int) -> bool:
    """Whether a column tells the time: name and values fit."""
    unit, values = _unit(view.names[j]), view.values[j]
    if unit is None:
        return False
    return any(low <= values[0] and values[-1] <= high for low, high in CALENDAR[unit])


def find_dependent_rows(view: View) -> list[Finding]:
    """Warn where rows resemble the next ones, in many columns.

    The correlation of each row with the next, by ranks; where the table is sorted by some column,
    of what that column leaves of the others.
    """
    n = min(view.n, MOST_ROWS)
    columns = np.flatnonzero(view.numeric)
    if n < 30 or len(columns) < 2:
        return []
    first = (view.n - n) // 2  # neighbours must stay neighbours
    X = np.array(view.table.data[first : first + n][:, columns], dtype=np.float64)
    moves = np.array([len(np.unique(x[~np.isnan(x)])) > 1 for x in X.T])
    X, columns = X[:, moves], columns[moves]
    X = filled(X)
    Z = standardised(rankdata(X, axis=0))
    by = [k for k in range(X.shape[1]) if _is_sorted(X[:, k])]
    if by:
        Z = standardised(_without(Z, X[:, by]))
    told = sorted({*by, *(k for k, j in enumerate(columns.tolist()) if tells_time(view, j))})
    Z = np.delete(Z, told, axis=1)
    columns = np.delete(columns, told)
    if not len(columns):
        return []
    r = (Z[1:] * Z[:-1]).sum(axis=0) / (n - 1)
    linked = np.flatnonzero(r > max(LINKED, SURE / np.sqrt(n)))
    if len(linked) < max(2, 0.2 * len(columns)):
        return []
    worst = linked[np.argsort(-r[linked], kind="stable")]
    shown = ", ".join(f"{view.names[columns[k]]} ({r[k]:.2f})" for k in worst[:4])
    text = (
        f"In {len(linked)} of {plural(len(columns), 'column')} a row resembles the next "
        f"(correlation by rank: {shown}), as in series over time, repeated measurements or sorted "
        "blocks. daglock takes rows for independent, so links look surer than they are, and common "
        "trends look like links. Take differences or every k-th row, or give groups that are "
        "drawn together (--groups COLUMN, in Python model.assess(groups=...))."
    )
    brief = (
        f"in {len(linked)} of {plural(len(columns), 'column')} a row resembles the next; take "
        "every k-th row or differences, or name groups (--groups COLUMN)"
    )
    named = view.named(columns[worst].tolist())
    return [Finding("warning", "Rows may not be independent", text, named, brief=brief)]


def _is_sorted(x: Array) -> bool:
    """Whether a column grows, or falls, from row to row but for a few."""
    step = np.diff(x)
    return bool(max((step >= 0.0).mean(), (step <= 0.0).mean()) >= _SORTED)


def _without(Z: Array, by: Array) -> Array:
    """Return what smooth functions of the sorting columns, or their values, leave of the others."""
    parts = [np.ones((len(Z), 1))]
    for x in by.T:
        values, code = np.unique(x, return_inverse=True)
        code = code.reshape(-1)
        if len(values) <= 20:
            parts.append(np.eye(len(values))[code][:, 1:])
        else:
            rank = 2.0 * rankdata(x) / len(x) - 1.0
            parts.append(np.column_stack([standardised(x[:, None]), *(rank**k for k in (1, 2, 3))]))
    design = np.hstack(parts)
    return np.asarray(Z - design @ np.linalg.lstsq(design, Z, rcond=None)[0])
