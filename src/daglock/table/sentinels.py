"""Sentinels: numbers such as -999 that stand for a missing value, which only a user can tell.

A value is questioned where it is one that people write for "missing", occurs more than once, is the
least or the greatest of its column, and is farther from the other values than these are apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from daglock.table.policy import as_argument
from daglock.table.table import Table
from daglock.typing import Array
from daglock.wording import listed, plural, short

# Nines, also with one less at the end as codes for several reasons, and what programs write.
_NINES = [sum(9 * 10**k for k in range(digits)) for digits in range(2, 9)]
_OTHERS = (-1.0, -2.0, -8.0, -9.0, 1e30, -1e30, 1e20, -1e20, 1e36, -3.4028234663852886e38)
WORDS = frozenset(
    [
        *(float(sign * (nine - less)) for nine in _NINES for sign in (1, -1) for less in (0, 1, 2)),
        *_OTHERS,
    ]
)
# So often a value must occur.
FEWEST = 2
# So many other values there must be.
FEWEST_OTHERS = 3
# More columns are counted, not named.
_MOST_SHOWN = 5


class Sentinel(NamedTuple):
    """A value that may stand for a missing one."""

    column: int
    value: float
    times: int
    low: float  # least and greatest of the other values
    high: float


def find_sentinels(data: Array) -> list[Sentinel]:
    """Return the values of each column (n, d) that look like codes for a missing value.

    Examples
    --------
    >>> x = np.linspace(0.0, 50.0, 40)
    >>> x[[3, 8, 20]] = -999.0
    >>> [found[:3] for found in find_sentinels(np.column_stack([x, np.arange(40.0)]))]
    [(0, -999.0, 3)]
    """
    found = []
    for j, column in enumerate(data.T):
        values, counts = np.unique(column[np.isfinite(column)], return_counts=True)
        marks = [
            v in WORDS and c >= FEWEST
            for v, c in zip(values.tolist(), counts.tolist(), strict=True)
        ]
        below, above = _run(marks), _run(marks[::-1])
        for m, k in product(range(below, -1, -1), range(above, -1, -1)):  # the most at first
            rest = values[m : len(values) - k]
            if m + k and len(rest) >= FEWEST_OTHERS and _apart(values, m, k):
                ends = float(rest[0]), float(rest[-1])
                places = (*range(m), *range(len(values) - k, len(values)))
                found += [Sentinel(j, float(values[at]), int(counts[at]), *ends) for at in places]
                break
    return found


def _run(marks: Sequence[bool]) -> int:
    """Return how many of the first are marks, three at most."""
    return next((k for k, mark in enumerate(marks[:3]) if not mark), len(marks[:3]))


def _apart(values: Array, below: int, above: int) -> bool:
    """Whether so many of the least and of the greatest values are far from all others."""
    rest = values[below : len(values) - above]
    width = rest[-1] - rest[0]
    low = not below or rest[0] - values[below - 1] > width
    high = not above or values[len(values) - above] - rest[-1] > width
    return bool(low and high)


def with_sentinels_questioned(table: Table) -> Table:
    """Note which values of a table from a file may stand for missing ones."""
    found = find_sentinels(table.data)
    return replace(table, notes=(*table.notes, *about_sentinels(found, table.labels)))


def about_sentinels(found: Sequence[Sentinel], names: Sequence[str]) -> list[str]:
    """Ask about each value, with the option that makes it missing."""
    sentences = []
    for value in dict.fromkeys(sentinel.value for sentinel in found):
        held = [sentinel for sentinel in found if sentinel.value == value]
        shown = listed(
            (
                f"{names[s.column]!r} ({plural(s.times, 'time')}, other values "
                f"{short(s.low)} to {short(s.high)})"
                for s in held
            ),
            _MOST_SHOWN,
        )
        option = f"--na={value:g}"
        if len(held) <= _MOST_SHOWN:
            option = f"--na {as_argument([f'{names[s.column]}={value:g}' for s in held])}"
        sentences.append(
            f"{value:g} is far from all other values of {shown}: if it stands for a missing "
            f"value, give {option}."
        )
    return sentences
