"""Columns that were measured less often than there are rows: they repeat from row to row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.diagnostics.determined import Determined
from daglock.diagnostics.finding import Finding, listed
from daglock.typing import IntArray

# Rows times pairs of columns that are compared at most: a person waits for this.
MAX_COMPARED = 10_000_000
# Another column belongs to the same measurement when it adds at most this share of patterns.
_GROWTH = 1.1


def about_patterns(
    rows: NDArray[Any], names: tuple[str, ...], determined: Determined
) -> list[Finding]:
    """Say which columns determine each other only because they have few patterns of values.

    Examples
    --------
    >>> from daglock.moments import Moments
    >>> rng = np.random.default_rng(0)
    >>> quarter = rng.integers(0, 6, size=200)  # six quarters, nine figures for each
    >>> rows = np.column_stack([rng.normal(size=200), rng.normal(size=(6, 9))[quarter]])
    >>> names = ("price", *"abcdefghi")
    >>> from daglock.diagnostics.determined import find_determined
    >>> (finding,) = about_patterns(rows, names, find_determined(Moments.from_data(rows)))
    >>> finding.title
    '9 columns with 6 patterns of values'
    """
    findings = []
    for group in determined.groups:
        if len(rows) * len(group) ** 2 > MAX_COMPARED:
            continue
        columns, n_patterns = _fewest_patterns(rows[:, group])
        if 2 < n_patterns <= len(columns):
            title = f"{len(columns)} columns with {n_patterns} patterns of values"
            text = (
                f"{listed(names[j] for j in group[columns])} have only {n_patterns} different "
                f"combinations of values in {len(rows):,} rows, as if they had been measured once "
                f"a quarter, say. They tell as much as {n_patterns} rows do, which is too few for "
                "so many columns: choose a few of them."
            )
            findings.append(Finding("warning", title, text))
    return findings


def _fewest_patterns(rows: NDArray[Any]) -> tuple[IntArray, int]:
    """Columns that change together, and how many combinations of values they have.

    The first is the column with which most others hardly have more combinations than it has
    values; others are added as long as the combinations hardly grow.
    """
    codes = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in rows.T]
    n_values = [int(code.max()) + 1 for code in codes]
    few = [j for j, count in enumerate(n_values) if 2 < count <= len(rows) // 2]
    if not few:
        return np.empty(0, dtype=np.intp), 0

    def together(joint: IntArray, count: int, j: int) -> IntArray | None:
        values, both = np.unique(joint * n_values[j] + codes[j], return_inverse=True)
        return both.reshape(-1) if len(values) <= max(_GROWTH * count, count + 1) else None

    partners = [sum(together(codes[i], n_values[i], j) is not None for j in few) for i in few]
    _, _, first = max(zip(partners, [n_values[j] for j in few], few, strict=True))
    joint, columns = codes[first], [first]
    for j in sorted(set(few) - {first}, key=lambda j: -n_values[j]):
        both = together(joint, int(joint.max()) + 1, j)
        if both is not None:
            joint = both
            columns.append(j)
    return np.sort(np.array(columns, dtype=np.intp)), int(joint.max()) + 1
