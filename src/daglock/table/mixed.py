"""Tables in memory with text among their columns, some of which says numbers.

What a file says of itself in its other columns (the decimal mark, that commas stand between
thousands) the columns of a frame say of each other. Text that can be read in two ways is not read:
see `doubts`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from daglock.errors import DataWarning
from daglock.table.cells import INFINITE, NUMBER, clean, doubtful_points, fill_numbers, not_plain
from daglock.table.columns import Column, as_table
from daglock.table.doubts import Doubt, in_two_ways, of_bounds, of_comma, of_other_mark, of_point
from daglock.table.given import level_text
from daglock.table.policy import shown_text
from daglock.table.table import Table
from daglock.typing import Array
from daglock.wording import listed

_FITS = {mark: f"{pattern}|{INFINITE}" for mark, pattern in NUMBER.items()}
_NO_COMMA = "^[^,]*$"
# A number with a point or a comma, with one of them, and with two, which tell the decimal mark.
_MARK, _ONE_MARK, _TWO_MARKS = "[.,]", "^[^.,]*[.,][^.,]*$", "[.,].*[.,]"
_POINT, _COMMA = r"^[^.,]*\.[^.,]*$", "^[^.,]*,[^.,]*$"


def mixed_table(data: Array, texts: Mapping[int, pa.Array], names: Sequence[str]) -> Table:
    """Put columns of numbers and others of a table in memory together; text may say numbers.

    The columns of ``data`` at the places of ``texts`` are not looked at.
    """
    columns: list[Column] = []
    text: list[Column] = []
    others: list[Column] = []
    for j, name in enumerate(names):
        column = Column(name, pa.chunked_array([texts.get(j, pa.nulls(len(data)))]), data[:, j])
        columns.append(column)
        if j in texts:
            kind = column.text.type
            if types.is_large_string(kind) or types.is_string_view(kind) or types.is_null(kind):
                column.text = pc.cast(column.text, pa.string())
            (text if types.is_string(column.text.type) else others).append(column)
    notes: list[str] = []
    written = {column.name: column.text for column in text}
    rest = not_plain(text, None, notes)
    doubts = [of_bounds(column.name, column.censored) for column in text if column.censored]
    # a comma in a column of numbers puts the marks of all columns into question
    asked = text if any(map(_has_comma, rest)) else []
    decimal, unsure = _decimal_mark(asked, written)
    if not asked:
        unsure = [
            of_point(own.name, [own.show(row) + f" in row {row}" for row in rows])
            for own, *rows in doubtful_points(text)
        ]
    doubts += unsure
    doubtful = {doubt.column for doubt in doubts}
    read = list(asked) if decimal == "," else rest
    words = fill_numbers([own for own in read if own.name not in doubtful], decimal, notes)
    for column in text:
        if column.name in doubtful:  # it stays as it was written, but for what says "missing"
            column.text = pc.utf8_trim_whitespace(_there(column, written))
            others.append(column)
    others += [column for column, _ in words]
    apart = set(map(id, others))
    numbers = [column for column in text if id(column) not in apart]
    if numbers:
        said = [repr(column.name) for column in numbers]
        notes.append(f"The text in {listed(said, 5)} says numbers, and was taken so.")
    grouped = _about_grouped(numbers, written) if asked else ""
    if grouped:  # nobody sees the notes of a frame
        warnings.warn(grouped, DataWarning, stacklevel=3)
    return replace(as_table(columns, others, notes), doubts=tuple(doubts))


def _decimal_mark(
    columns: Sequence[Column], written: Mapping[str, pa.ChunkedArray]
) -> tuple[str, list[Doubt]]:
    """Decide by the numbers that can be read in one way only; say which columns are in doubt."""
    doubts: list[Doubt] = []
    points, commas, either = {}, {}, {}
    for column in columns:
        clean(column)
        marks = [mark for mark, pattern in _FITS.items() if column.all_are(pattern)]
        cells = _there(column, written)
        rows = [_first_row(cells, pattern) for pattern in (_POINT, _COMMA)] if marks else []
        both = [_shown(cells, row) for row in rows if row is not None]
        if len(both) == 2 and _first_row(cells, _TWO_MARKS) is None:
            doubts.append(in_two_ways(column.name, both))
        elif marks == ["."]:
            points[column.name] = _shown(cells, column.where(_FITS[","]))
        elif marks == [","]:
            commas[column.name] = _shown(cells, column.where(_FITS["."]))
        elif marks and _has_comma(column):
            either[column.name] = _shown(cells, column.where(_NO_COMMA))
    if commas and points:
        held = [f"{name!r} ({cell})" for name, cell in points.items()]
        doubts += [of_other_mark(name, cell, held) for name, cell in commas.items()]
    elif not (commas or points):
        doubts += [of_comma(name, cell) for name, cell in either.items()]
    return "," if commas and not points else ".", doubts


def _about_grouped(columns: Sequence[Column], written: Mapping[str, pa.ChunkedArray]) -> str:
    """Say in which columns the only mark of a number was left out; empty where in none."""
    held = []
    for column in columns:
        cells = _there(column, written)
        bare = pc.if_else(pc.match_substring_regex(column.text, _MARK), None, cells)
        row = _first_row(bare, _ONE_MARK)
        if row is not None:
            value = level_text(float(column.values[row]))
            held.append(f"{column.name!r} ({_shown(cells, row)} became {value})")
    if not held:
        return ""
    return (
        f"A point or comma was taken to stand between thousands, and left out, in {listed(held, 5)}"
        ": where it is a decimal mark, make the text numbers first."
    )


def _there(column: Column, written: Mapping[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    """Return the cells of a column as they were written, without those that say "missing"."""
    return pc.if_else(pc.is_valid(column.text), written[column.name], None)


def _has_comma(column: Column) -> bool:
    """Whether a column of numbers has a comma in some cell."""
    has_comma = pc.any(pc.match_substring(column.text, ",")).as_py()
    return bool(has_comma) and any(map(column.all_are, _FITS.values()))


def _first_row(cells: pa.ChunkedArray, pattern: str) -> int | None:
    """Return the first row with a cell to which a pattern applies."""
    rows = np.flatnonzero(pc.fill_null(pc.match_substring_regex(cells, pattern), False).to_numpy())
    return int(rows[0]) if len(rows) else None


def _shown(cells: pa.ChunkedArray, row: int | None) -> str:
    """Return a cell and its place as a message shows them."""
    return "" if row is None else f"{shown_text(str(cells[row].as_py()))} in row {row}"
