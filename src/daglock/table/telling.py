"""What is told of the columns of a table before anything is learned: kinds, what is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daglock.table.kinds import ColumnKind, Kind
from daglock.table.table import Table
from daglock.wording import listed

# So many columns that were left out are told of, and so many of one kind; the others are counted.
MOST_TOLD, MOST_ALIKE = 8, 4
# Variables that are named where one is asked for that is none.
MOST_NAMED = 10


def about_left_out(table: Table) -> str:
    """Return a sentence about the columns that were left out unasked, or nothing.

    Examples
    --------
    >>> import numpy as np
    >>> about_left_out(Table(np.zeros((2, 0)), (), left_out={"id": "counts the rows"}))
    'Left out, as no variables: id (counts the rows).'
    """
    gone = [
        f"{name} ({why})"
        for name, why in table.left_out.items()
        if not (name in table.aside and table.aside[name].kind.given)
    ]
    return f"Left out, as no variables: {listed(gone, MOST_TOLD)}." if gone else ""


def about_unknown(name: object, names: Sequence[str], left_out: Mapping[str, str]) -> str:
    """Return a sentence about a name that no variable has, with why a column of it was left out.

    Examples
    --------
    >>> about_unknown("id", ["a", "b"], {"id": "counts the rows"})
    "There is no variable 'id', for that column was left out (counts the rows); the variables are
    a, b."
    """
    gone = left_out.get(name) if isinstance(name, str) else None
    why = "" if gone is None else f", for that column was left out ({gone})"
    more = ", ..." if len(names) > MOST_NAMED else ""
    return (
        f"There is no variable {name!r}{why}; the variables are {', '.join(names[:MOST_NAMED])}"
        f"{more}."
    )


def about_kinds(table: Table) -> list[str]:
    """Return a line for each kind that is not continuous: its columns, the first with their levels.

    Examples
    --------
    >>> import numpy as np
    >>> sex = ColumnKind(Kind.CATEGORICAL, ("F", "I", "M"))
    >>> about_kinds(Table(np.zeros((2, 1)), ("sex",), kinds=(sex,)))
    ['sex is categorical (F, I, M)']
    >>> kinds = (ColumnKind(Kind.COUNT),) * 6
    >>> about_kinds(Table(np.zeros((2, 6)), tuple("abcdef"), kinds=kinds))
    ['a, b, c, d and 2 more are counts']
    """
    alike: dict[Kind, list[tuple[str, ColumnKind]]] = {}
    for name, found in zip(table.labels, table.kinds, strict=True):
        if found.kind is not Kind.CONTINUOUS:
            alike.setdefault(found.kind, []).append((name, found))
    return [_told(kind, columns) for kind, columns in alike.items()]


def _told(kind: Kind, columns: list[tuple[str, ColumnKind]]) -> str:
    """Return which columns are of a kind; why, where it is one, else with their levels."""
    if len(columns) == 1:
        name, found = columns[0]
        why = found.reason.removeprefix("it has ") or ("as given" if found.given else "")
        if found.levels is not None:
            why = listed(found.levels, 5)
        one = "a count" if kind is Kind.COUNT else kind.value
        return f"{name} is {one} ({why})" if why else f"{name} is {one}"
    names = (
        name if found.levels is None else f"{name} ({listed(found.levels, 3)})"
        for name, found in columns
    )
    many = "counts" if kind is Kind.COUNT else kind.value
    return f"{listed(names, MOST_ALIKE)} are {many}"
