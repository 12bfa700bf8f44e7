"""From columns, as they stand in a file, to a table: index, names, choice, numbers, rows.

`Raw` is what the reader of a format hands over; `assemble` makes a table of it, as `policy` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from daglock.errors import InvalidDataError
from daglock.table.names import choose, different, is_unnamed, missing_name
from daglock.table.policy import (
    MOST_SHOWN,
    counts_rows,
    first_gap,
    infinite_cell_error,
    with_counters_questioned,
    without_blank_rows,
    words_error,
)
from daglock.table.table import Table
from daglock.typing import Array
from daglock.wording import plural

if TYPE_CHECKING:
    from pyarrow import ChunkedArray


@dataclass
class Column:
    """A column while it is read."""

    name: str
    text: ChunkedArray  # or what a typed file holds
    values: Array = field(default_factory=lambda: np.empty(0))  # once they are known to be numbers

    def where(self, pattern: str) -> int | None:
        """Return the first row that holds a value to which a pattern does not apply."""
        import pyarrow.compute as pc

        fits = pc.fill_null(pc.match_substring_regex(self.text, pattern), True).to_numpy()
        row = int(np.argmin(fits)) if len(fits) else 0
        return row if len(fits) and not fits[row] else None

    def all_are(self, pattern: str) -> bool:
        """Whether every value fits a pattern."""
        return self.where(pattern) is None

    def show(self, row: int, most: int = 40) -> str:
        """Return a cell as a message shows it."""
        text = str(self.text[row].as_py())
        return repr(text if len(text) <= most else f"{text[: most - 3]}...")


# Fills in the values of numeric columns; returns the others, each with a row to show.
Convert = Callable[[Sequence[Column], list[str]], list[tuple[Column, int]]]


@dataclass(frozen=True)
class Raw:
    """The columns of a file before they are numbers."""

    label: str
    columns: list[Column]
    convert: Convert
    place: Callable[[int], str]  # how a message calls the place of a row
    hint: str = ""  # what else may be wrong where columns are too few


def assemble(
    raw: Raw,
    notes: list[str],
    *,
    index_column: str | bool | None,
    keep: Sequence[str] | None,
    drop: Sequence[str],
) -> Table:
    """Choose the columns, turn them into numbers, refuse what is none."""
    columns = _without_empty(raw.columns, notes)
    columns = _without_index(raw, columns, index_column, notes)
    names = different([column.name for column in columns], notes)
    columns = [replace(columns[j], name=names[j]) for j in choose(names, keep, drop)]
    if len(columns) < 2:
        found = f"only {columns[0].name!r} is there" if columns else "there is none"
        hint = raw.hint if len(raw.columns) < 2 else ""
        raise InvalidDataError(f"At least two columns are needed to learn a graph; {found}{hint}.")
    others = raw.convert(columns, notes)
    if others:
        raise _not_numbers(raw, others)
    data = np.column_stack([column.values for column in columns])
    if not len(data):
        raise InvalidDataError(f"{raw.label} has no rows.")
    infinite = np.argwhere(np.isinf(data))
    if len(infinite):
        row, j = (int(k) for k in infinite[0])
        raise infinite_cell_error(columns[j].name, columns[j].show(row), raw.place(row))
    gap = first_gap(data)
    first = "" if gap is None else f"{raw.place(gap[0])}, column {columns[gap[1]].name!r}"
    kept = tuple(column.name for column in columns)
    table = without_blank_rows(Table(data, kept, tuple(notes), first), raw.label)
    return with_counters_questioned(table)


def _without_empty(columns: list[Column], notes: list[str]) -> list[Column]:
    """Leave out what a separator at the end of every line makes: no name and no value."""
    kept = [
        column
        for column in columns
        if not (is_unnamed(column.name) and column.text.null_count == len(column.text))
    ]
    if len(kept) < len(columns):
        notes.append(
            f"Left out: {plural(len(columns) - len(kept), 'column')} without a name and without "
            "a value."
        )
    return kept


def _without_index(
    raw: Raw, columns: list[Column], index_column: str | bool | None, notes: list[str]
) -> list[Column]:
    """Leave out the column that labels the rows."""
    if isinstance(index_column, str):
        rest = [column for column in columns if column.name != index_column]
        if len(rest) == len(columns):
            raise missing_name(index_column, [column.name for column in columns])
        return rest
    if index_column is False or not columns or not is_unnamed(columns[0].name):
        return columns
    first = replace(columns[0])
    if raw.convert([first], []):
        what = "holding text"
    elif counts_rows(first.values):
        what = "counting rows"
    else:
        return columns
    notes.append(f"The first column, unnamed and {what}, was taken as an index and left out.")
    return columns[1:]


def _not_numbers(raw: Raw, others: Sequence[tuple[Column, int]]) -> InvalidDataError:
    """Build the error that names every column that is not numeric, with an example of each."""
    shown = []
    for column, row in others[:MOST_SHOWN]:
        if "\n" in str(column.text[row].as_py()):
            return open_quote(raw.place(row), raw.label)
        shown.append(f"{column.name!r} ({column.show(row)} in {raw.place(row)})")
    return words_error(shown, [column.name for column, _ in others])


def open_quote(place: str, label: str) -> InvalidDataError:
    """Build the error about a quote that does not close."""
    return InvalidDataError(
        f'A quote (") opens in {place} of {label} and does not close there: mend that line.'
    )
