"""Columns that depend on each other, in sentences that name them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from daglock.dependence.determined import DETERMINED, MAX_CHECKED, Determined, find_determined
from daglock.moments import Moments
from daglock.typing import Array, IntArray
from daglock.wording import Finding, listed, plural

# Rows times pairs of columns whose patterns are compared at most: a person waits for this.
MAX_COMPARED = 10_000_000
# Another column belongs to the same measurement when it adds at most this share of patterns.
_GROWTH = 1.1
CANNOT_BE_TOLD = "Which of them is a cause cannot be told"


def warnings_about(
    moments: Moments, found: Determined | None = None, *, set_aside: bool = False
) -> list[str]:
    """Sentences about too few rows and about columns that others determine; empty when all is well.

    ``found`` is what `find_determined` says, where it was asked already; ``set_aside`` whether the
    graph was learned without these columns.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((50, 2))
    >>> moments = Moments.from_data(np.column_stack([x, x[:, 0]]), names=["a", "b", "c"])
    >>> print(*warnings_about(moments, set_aside=True))
    c is a copy of a, up to scale and shift. Which of them is a cause cannot be told: c is set
    aside, a node without edges; with determined="keep" all are searched.
    """
    n, d = moments.n, moments.d
    sentences = []
    if n <= d:
        sentences.append(
            f"There are {n} rows for {d} columns: the covariance is singular, "
            "and only a sparse graph can be told from noise."
        )
    if found is None:
        found = find_determined(moments)
    names = moments.labels
    if found:
        which, one = listed(names[j] for j in found.aside), len(found.aside) == 1
        done = (
            f"{which} {'is' if one else 'are'} set aside, {'a node' if one else 'nodes'} without "
            'edges; with determined="keep" all are searched.'
            if set_aside
            else f"all are searched, and edges of {which} may fit nothing but rounding; "
            'determined="drop" sets what repeats aside.'
        )
        said = " ".join(relations(found, names))
        sentences.append(f"{said} {CANNOT_BE_TOLD}: {done}")
    elif n > d:
        close = nearly_determined(moments.cov)
        if len(close):
            sentences.append(
                f"Columns {listed(names[j] for j in close)} nearly determine each other: edges "
                "among them rest on differences of less than one part in ten thousand million of "
                "their variance."
            )
    return sentences


def relations(found: Determined, names: Sequence[str], most: int = 5) -> list[str]:
    """Say which columns determine which, one sentence each; the rest is counted.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(0.0, 9.0, (50, 2))
    >>> table = np.column_stack([x, x.sum(axis=1), 2.0 * x[:, 0]])
    >>> names = ["rent", "food", "total", "rent in cents"]
    >>> for sentence in relations(find_determined(Moments.from_data(table)), names):
    ...     print(sentence)
    total is determined exactly by rent, food.
    rent in cents is a copy of rent, up to scale and shift.
    """
    alike: dict[tuple[tuple[int, ...], bool], list[int]] = {}
    for group in found.groups:
        members = [int(j) for j in group if int(j) in found.by]
        all_kept = np.setdiff1d(group, members)
        for j in members:
            # a large group is told at once
            causes = all_kept if len(members) > most else found.by[j]
            alike.setdefault((tuple(causes.tolist()), found.exact[j]), []).append(j)
    said = [_relation(names, which, *causes) for causes, which in alike.items()]
    if len(said) > most:
        rest = sum(map(len, list(alike.values())[most:]))
        said[most:] = [f"{plural(rest, 'more column')} like these."]
    return said


def _relation(
    names: Sequence[str], columns: Sequence[int], causes: Sequence[int], exact: bool
) -> str:
    """Say that columns are determined by others."""
    several = len(columns) > 1
    which = listed(names[j] for j in columns)
    if len(causes) == 1:
        what = "are copies" if several else "is a copy"
        how = "up to scale and shift" if exact else "up to scale, shift and rounding"
        return f"{which} {what} of {names[causes[0]]}, {how}."
    verb = "are" if several else "is"
    how = "exactly" if exact else "up to rounding"
    by = f"{len(causes)} columns: " if len(causes) > 6 else ""
    return f"{which} {verb} determined {how} by {by}{listed(names[j] for j in causes)}."


def nearly_determined(S: Array) -> IntArray:
    """Columns with a share in combinations that hardly vary, up to `MAX_CHECKED` columns.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((50, 3))
    >>> x[:, 2] = x[:, 0] + 3e-6 * x[:, 2]
    >>> nearly_determined(np.cov(x.T)).tolist()
    [0, 2]
    """
    if len(S) > MAX_CHECKED:
        return np.empty(0, dtype=np.intp)
    deviation = np.sqrt(np.diag(S))
    R = S / np.outer(deviation, deviation)
    L, info = scipy.linalg.lapack.dpotrf(R, lower=1)
    if info == 0 and np.diag(L).min() ** 2 > DETERMINED:
        return np.empty(0, dtype=np.intp)
    values, vectors = scipy.linalg.eigh(R, check_finite=False)
    return np.flatnonzero(np.linalg.norm(vectors[:, values < DETERMINED], axis=1) > 1e-3)


def about_patterns(
    rows: NDArray[Any], names: tuple[str, ...], determined: Determined
) -> list[Finding]:
    """Say which columns determine each other only because they have few patterns of values.

    They were measured less often than there are rows, and repeat from row to row.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> quarter = rng.integers(0, 6, size=200)  # six quarters, nine figures for each
    >>> rows = np.column_stack([rng.normal(size=200), rng.normal(size=(6, 9))[quarter]])
    >>> names = ("price", *"abcdefghi")
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
