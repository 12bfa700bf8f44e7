"""Rows: those that depend on the ones before them, and those that repeat others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from daglock.diagnostics.detectors.batches import batches, is_called_so
from daglock.diagnostics.detectors.time import tells_time
from daglock.diagnostics.detectors.view import MOST_ROWS, View, filled, standardised
from daglock.table import Table
from daglock.typing import Array, IntArray
from daglock.wording import Finding, percent, plural

# Correlation of a row with the next from which on it matters, and in how many standard errors.
LINKED, SURE = 0.3, 5.0
# Neighbours that count as sorted.
_SORTED = 0.995
# With fewer rows, repeats prove nothing.
FEWEST_ROWS = 40
# Share of rows that repeat others from which on it is said.
REPEATED = 0.01
# Share from which on it is a warning, unless it is by chance: fewer of the pairs of rows that agree
# in all columns but one agree in that one, too.
MOST, ALIKE = 0.5, 0.99
# Values that the column with the most of them must have, as a share of the rows.
FINE = 0.05


def rows_depend(
    rows: NDArray[Any] | None, names: tuple[str, ...], labels: NDArray[np.str_] | None = None
) -> bool:
    """Whether rows, of some regimes, resemble their neighbours; no, where there are none.

    Examples
    --------
    >>> walk = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=0)
    >>> rows_depend(walk, ("a", "b", "c")), rows_depend(np.diff(walk, axis=0), ("a", "b", "c"))
    (True, False)
    """
    return rows is not None and bool(find_dependent_rows(View(Table(rows, names), labels)))


def find_dependent_rows(view: View) -> list[Finding]:
    """Warn where rows resemble the next ones, in many columns.

    The correlation of each row with the next, by ranks, within regimes; where the table is sorted
    by some column, or a column tells the conditions, of what that column leaves of the others.
    """
    n = min(view.n, MOST_ROWS)
    columns = np.flatnonzero(view.numeric)
    if n < 30 or len(columns) < 2:
        return []
    first = (view.n - n) // 2  # neighbours must stay neighbours
    window = slice(first, first + n)
    X = np.array(view.table.data[window][:, columns], dtype=np.float64)
    moves = np.array([len(np.unique(x[~np.isnan(x)])) > 1 for x in X.T])
    X, columns = X[:, moves], columns[moves]
    X = filled(X)
    Z = standardised(rankdata(X, axis=0))
    by = [k for k in range(X.shape[1]) if _is_sorted(X[:, k])]
    conditions = [j for j in batches(view)[0] if is_called_so(view, j)]
    blocks = filled(np.array(view.table.data[window][:, conditions], dtype=np.float64))
    if view.labels is not None:
        blocks = np.column_stack([blocks, np.unique(view.labels[window], return_inverse=True)[1]])
    if by or blocks.shape[1]:
        Z = standardised(_without(Z, X[:, by], blocks))
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
        "blocks. daglock takes rows for independent, so links look surer than they are, common "
        "trends look like links, and no direction that is learned is relied on. Have rows drawn "
        "together: those of one label (--groups COLUMN) or neighbours (--blocks ROWS; in Python "
        "model.assess(groups=...))."
    )
    brief = (
        f"in {len(linked)} of {plural(len(columns), 'column')} a row resembles the next: draw "
        "rows together (--groups COLUMN, --blocks ROWS)"
    )
    named = view.named(columns[worst].tolist())
    return [Finding("warning", "Rows may not be independent", text, named, brief=brief)]


def _is_sorted(x: Array) -> bool:
    """Whether a column grows, or falls, from row to row but for a few."""
    step = np.diff(x)
    return bool(max((step >= 0.0).mean(), (step <= 0.0).mean()) >= _SORTED)


def _without(Z: Array, by: Array, blocks: Array) -> Array:
    """Return what smooth functions of the sorting columns, or their values, leave of the others.

    Of columns that stand for blocks of rows it is always their values.
    """
    parts = [np.ones((len(Z), 1))]
    for k, x in enumerate([*by.T, *blocks.T]):
        values, code = np.unique(x, return_inverse=True)
        if len(values) <= 20 or k >= by.shape[1]:
            parts.append(np.eye(len(values))[code.reshape(-1)][:, 1:])
        else:
            rank = 2.0 * rankdata(x) / len(x) - 1.0
            parts.append(np.column_stack([standardised(x[:, None]), *(rank**k for k in (1, 2, 3))]))
    design = np.hstack(parts)
    return np.asarray(Z - design @ np.linalg.lstsq(design, Z, rcond=None)[0])


def find_repeated_rows(view: View) -> list[Finding]:
    """Say that rows occur more than once, where columns have too many values for that.

    Where most do, and not by chance, it is a warning: the copies are most of the evidence.
    """
    finest, fine = max(map(len, view.values)), len(view.measured)
    unlikely = fine >= 3 and view.n >= FEWEST_ROWS and finest >= FINE * view.n
    if not unlikely and fine < 2:
        return []  # codes repeat by themselves
    data = np.ascontiguousarray(view.table.data, dtype=np.float64)
    rows = data.view(np.dtype((np.void, data.dtype.itemsize * view.d))).reshape(-1)
    _, first, counts = np.unique(rows, return_index=True, return_counts=True)
    repeated = view.n - len(first)
    if repeated >= MOST * view.n and not _by_chance(data[first], counts, view.measured):
        return [_most_repeat(view.n, len(first))]
    if not unlikely or repeated < max(2.0, REPEATED * view.n):
        return []
    text = (
        f"{plural(repeated, 'row')} of {view.n:,} ({percent(repeated / view.n)}) are the same as "
        "an earlier row in every column. If cases were entered twice, leave the copies out: they "
        "count as evidence."
    )
    return [Finding("note", "Rows that repeat others", text)]


def _most_repeat(n: int, different: int) -> Finding:
    """Warn that a table has few different rows."""
    text = (
        f"Only {different:,} of {plural(n, 'row')} are different; the others are the same as an "
        "earlier row in every column, and hardly any two rows agree in all columns but one, so it "
        "is not by chance. If cases were entered or joined more than once, leave the copies out "
        "(in pandas: table.drop_duplicates()): each counts as evidence, so links look far surer "
        "than they are, and noise looks like links."
    )
    brief = (
        f"only {different:,} of {n:,} are different, so links look far surer than they are; leave "
        "the copies out"
    )
    return Finding("warning", "Most rows are copies of others", text, brief=brief)


def _by_chance(rows: Array, counts: IntArray, measured: IntArray) -> bool:
    """Tell whether rows may repeat because columns have few values.

    Then far more pairs of rows agree in all columns but one than agree in that one, too.

    Parameters
    ----------
    rows : (m, d), all different.
    counts : (m,) how often each occurs.
    measured : columns of numbers with many values, the only ones that can tell.
    """
    rng = np.random.default_rng(0)
    codes = np.column_stack([np.unique(x, return_inverse=True)[1].reshape(-1) for x in rows.T])
    # a code of each row, less the part of one column: equal where all the others are
    parts = codes.astype(np.uint64) * rng.integers(1, 2**63, codes.shape[1], dtype=np.uint64)
    whole = parts.sum(axis=1, dtype=np.uint64)
    same = _pairs(counts)
    for j in measured.tolist():
        group = np.unique(whole - parts[:, j], return_inverse=True)[1].reshape(-1)
        if same < ALIKE * _pairs(np.bincount(group, weights=counts)):
            return True
    return False


def _pairs(counts: NDArray[Any]) -> float:
    """Return how many pairs there are in groups of these sizes."""
    sizes = np.asarray(counts, dtype=np.float64)
    return float((sizes * (sizes - 1.0)).sum() / 2.0)
