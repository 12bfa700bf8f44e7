"""Rare columns: those without which a table with gaps would count as far more complete rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from daglock.gaps import shared_rows
from daglock.moments.patterned import effective_rows_of
from daglock.table.policy import MOST_SHOWN, as_argument
from daglock.typing import Array, BoolArray
from daglock.wording import listed, percent, plural

# How many times as many rows it must be without a column that is named, and the share of the
# columns that are named at most.
_TIMES, _FEW = 2.0, 0.25
_BEGIN = "Gaps in few columns cost most rows: "


def rare_columns(shared: Array, n: int) -> tuple[list[int], int]:
    """Return the fewest columns that cost most rows, and as how many it counts without them.

    The emptiest come first: they share few rows with any other. None where leaving out a few does
    not double what the table counts.

    Parameters
    ----------
    shared : (d, d) how many rows have both of two columns.
    n : rows.

    Examples
    --------
    >>> shared = np.full((5, 5), 1000.0)
    >>> shared[3] = shared[:, 3] = 20.0
    >>> rare_columns(shared, 1000)
    ([3], 1000)
    """
    emptiest = np.argsort(np.diagonal(shared), kind="stable")
    most = min(max(1, int(_FEW * len(shared))), len(shared) - 2)
    kept, best = 0, effective_rows_of(shared, n)
    for k in range(1, most + 1):
        rest = np.sort(emptiest[k:])
        without = effective_rows_of(shared[np.ix_(rest, rest)], n)
        if without >= _TIMES * best:
            kept, best = k, without
    return sorted(emptiest[:kept].tolist()), best


def about_rare(there: BoolArray, names: Sequence[str], n: int | None = None) -> str:
    """Say which few columns cost most rows, and what to do; empty where none do.

    Parameters
    ----------
    there : which cells are there.
    names : of the columns.
    n : rows of the table, where these are a sample of them.

    Examples
    --------
    >>> there = np.ones((1000, 4), dtype=bool)
    >>> there[20:, 3] = False
    >>> about_rare(there, ["a", "b", "c", "rare"])
    'Gaps in few columns cost most rows: without rare (2.0% of its values are there) it would be as
    if 1,000 of 1,000 rows were complete; leave it out (--drop rare) unless you ask about it.'
    """
    n = len(there) if n is None else n
    rare, rows = rare_columns(shared_rows(there) * (n / max(len(there), 1)), n)
    if not rare:
        return ""
    it, its = ("it", "its") if len(rare) == 1 else ("them", "their")
    called = [names[j] for j in rare]
    share = percent(float(there[:, rare].mean()))
    option = f" (--drop {as_argument(called)})" if len(called) <= MOST_SHOWN else ""
    return (
        f"{_BEGIN}without {listed(called)} ({share} of {its} values are there) it would be as if "
        f"{rows:,} of {plural(n, 'row')} were complete; leave {it} out{option} unless you "
        f"ask about {it}."
    )


def said_of_rare(cautions: Iterable[str]) -> str:
    """Return what was said of rare columns among other cautions; empty where nothing was."""
    return next((caution for caution in cautions if caution.startswith(_BEGIN)), "")
