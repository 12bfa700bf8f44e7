"""What is said of tables whose gaps are kept, and which of their rows are whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidDataError
from daglock.table.policy import as_argument, column
from daglock.typing import BoolArray
from daglock.wording import listed, plural

# Two columns that share fewer rows than this are named.
FEWEST_SHARED = 10
# Complete rows that are needed, and which share of all rows, before they stand for the table.
FEWEST_COMPLETE, LEAST_COMPLETE = 50, 1 / 3


def refuse_empty(empty: BoolArray, names: Sequence[str] | None) -> None:
    """Raise the error that names the columns without any value, if there are some."""
    if empty.any():
        which = [int(j) for j in np.flatnonzero(empty)]
        hint = "" if names is None else f" (--drop {as_argument([names[j] for j in which])})"
        raise InvalidDataError(
            f"Without any value: {listed((column(names, j) for j in which), 5)}; leave out what "
            f"has none{hint}."
        )


def about_dropped(count: int, n: int, missing: str) -> str:
    """Say that rows were left out of a table that has n others.

    Examples
    --------
    >>> about_dropped(1, 9, "drop")
    '1 of 10 rows has missing values and was left out.'
    >>> about_dropped(2, 8, "model")
    '2 of 10 rows have no value in any variable and were left out.'
    """
    what = "no value in any variable" if missing == "model" else "missing values"
    has, was = ("has", "was") if count == 1 else ("have", "were")
    return f"{count:,} of {plural(count + n, 'row')} {has} {what} and {was} left out."


def about_apart(there: BoolArray, names: Sequence[str] | None) -> str:
    """Say which columns are hardly ever observed together, from which cells are there.

    Examples
    --------
    >>> there = np.ones((100, 3), dtype=bool)
    >>> there[:60, 0] = there[60:, 1] = False
    >>> about_apart(there, ["a", "b", "c"])[:50]
    "Never observed together: column 'a' and column 'b'"
    """
    cells = there.astype(np.float32)
    shared = cells.T @ cells
    first, second = (
        ends.tolist() for ends in np.nonzero(np.triu(shared < FEWEST_SHARED, 1) & (len(there) > 0))
    )
    pairs = list(zip(first, second, strict=True))
    if not pairs or len(there) < FEWEST_SHARED:
        return ""
    never = [(i, j) for i, j in pairs if not shared[i, j]]
    chosen, how = (never, "Never") if never else (pairs, f"In fewer than {FEWEST_SHARED} rows")
    shown = listed((f"{column(names, i)} and {column(names, j)}" for i, j in chosen), 3)
    return (
        f"{how} observed together: {shown}; the data do not tell how these depend on each other "
        "given the others, so believe no link and no missing link between them."
    )


def stand_for_all(complete: BoolArray) -> bool:
    """Whether the complete rows are enough to look at where gaps cannot be.

    Examples
    --------
    >>> stand_for_all(np.arange(300) < 120), stand_for_all(np.arange(300) < 80)
    (True, False)
    """
    return bool(complete.sum() >= max(FEWEST_COMPLETE, LEAST_COMPLETE * len(complete)))


def whole_rows(rows: NDArray[Any] | None) -> NDArray[Any] | None:
    """Return the rows without a gap, where they are enough to stand for the table, else None."""
    if rows is None:
        return None
    complete = ~np.isnan(rows).any(axis=1)
    if complete.all():
        return rows
    return rows[complete] if stand_for_all(complete) else None


def about_complete(complete: BoolArray) -> str:
    """Say what the complete rows are used for, or why they are not."""
    count = int(complete.sum())
    if stand_for_all(complete):
        return (
            f"The shape of the noise and what else needs whole rows is judged by the "
            f"{plural(count, 'row')} without a gap."
        )
    few = f"Only {plural(count, 'row')} {'has' if count == 1 else 'have'} no gap"
    return (
        f"{few if count else 'No row is without a gap'}: nothing is said of the shape of the noise "
        "or of whether lines hold, and directions are doubted accordingly."
    )
