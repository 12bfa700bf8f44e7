"""What is told of the columns of a table before anything is learned: kinds, what is left out."""

from __future__ import annotations

from collections import Counter

from daglock.table.kinds import ColumnKind, Kind
from daglock.table.table import Table
from daglock.wording import listed, plural

# So many columns are told of; the others are counted.
MOST_TOLD = 8


def about_left_out(table: Table, but: tuple[str, ...] = ()) -> str:
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
        if name not in but and not (name in table.aside and table.aside[name].kind.given)
    ]
    return f"Left out, as no variables: {listed(gone, MOST_TOLD)}." if gone else ""


def about_kinds(table: Table) -> list[str]:
    """Return a line for each column that is not continuous, those beyond the first few counted.

    Examples
    --------
    >>> import numpy as np
    >>> sex = ColumnKind(Kind.CATEGORICAL, ("F", "I", "M"))
    >>> about_kinds(Table(np.zeros((2, 1)), ("sex",), kinds=(sex,)))
    ['sex is categorical (F, I, M)']
    """
    others = [
        (name, found)
        for name, found in zip(table.labels, table.kinds, strict=True)
        if found.kind is not Kind.CONTINUOUS
    ]
    lines = [f"{name} is {_told(found)}" for name, found in others[:MOST_TOLD]]
    rest = Counter(found.kind.value for _, found in others[MOST_TOLD:])
    if rest:
        counts = listed(f"{count} {kind}" for kind, count in rest.most_common())
        verb = "is" if rest.total() == 1 else "are"
        lines.append(f"{plural(rest.total(), 'more column')} {verb} not continuous ({counts})")
    return lines


def _told(found: ColumnKind) -> str:
    """Return what a column is and why, in a few words."""
    why = found.reason.removeprefix("it has ") or ("as given" if found.given else "")
    if found.levels is not None:
        why = listed(found.levels, 5)
    kind = "a count" if found.kind is Kind.COUNT else found.kind.value
    return f"{kind} ({why})" if why else kind
