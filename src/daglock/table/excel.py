"""Sheets of Excel and OpenDocument: read as the text that they would be saved as.

So header, remarks above it, missing values and decimal commas in cells of text are found as in any
other text. Rows are counted as Excel counts them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table.columns import Raw
from daglock.table.source import Source
from daglock.table.text import read_text
from daglock.table.workbook import refuse_large
from daglock.wording import listed, plural

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

_ZIP = b"PK\x03\x04"
# A ZIP archive, or a document of old programs of Microsoft.
WORKBOOK = (_ZIP, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_INSIDE = (b"xl/", b"opendocument.spreadsheet")


def read_excel(source: Source, notes: list[str]) -> Raw:
    """Split a sheet into columns: the one that was asked for, else the first that is shown."""
    if source.raw.startswith(_ZIP) and not any(mark in source.raw for mark in _INSIDE):
        raise InvalidDataError(f"{source.label} is a ZIP archive: unpack it first.")
    refuse_large(source)
    book = _opened(source)
    name = _sheet(book, source, notes)
    try:
        sheet = book.get_sheet_by_name(name)
        rows, start = sheet.to_python(), sheet.start
    except Exception as error:  # what is wrong inside a sheet, the reader raises as it likes
        raise InvalidDataError(
            f"The sheet {name!r} of {source.label} cannot be read: {error}."
        ) from error
    if not rows:
        raise InvalidDataError(f"The sheet {name!r} of {source.label} is empty.")
    titles = _titles(rows)
    if any(map(_filled, rows[:titles])):
        notes.append(f"Passed over: {plural(titles, 'row')} with a title above the table.")
    rows = rows[titles:]
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows([_cell(cell) for cell in row] for row in rows)
    above = titles + (0 if start is None else start[0])  # empty rows are not among the rows
    hints = replace(
        source.hints,
        separator=",",
        encoding="utf-8",
        skip_lines=max(0, source.hints.skip_lines - above),
        progress=None,
    )
    raw = read_text(Source(source.label, lines.getvalue().encode(), ".csv", hints), notes)
    return replace(raw, place=_as_rows(raw.place, above), hint="")


def _opened(source: Source) -> CalamineWorkbook:
    """Open the workbook, or say why that is not possible."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(source.raw))
    except PasswordError as error:
        raise InvalidDataError(
            f"{source.label} is protected by a password: save it without one."
        ) from error
    except (CalamineError, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else "it cannot be opened"
        raise InvalidDataError(
            f"{source.label} is no workbook that can be read, or a damaged one: {reason}."
        ) from error


def _sheet(book: CalamineWorkbook, source: Source, notes: list[str]) -> str:
    """Return the name of the sheet that is meant."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    sheets = [sheet for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    names = [sheet.name for sheet in sheets]
    wanted = source.hints.sheet
    if wanted is not None:
        if wanted in names:
            return wanted
        close = get_close_matches(wanted, names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there is {listed(map(repr, names))}."
        raise InvalidParameterError(f"{source.label} has no sheet {wanted!r}; {hint}")
    if not names:
        raise InvalidDataError(f"{source.label} has no sheet with cells.")
    shown = [sheet.name for sheet in sheets if sheet.visible == SheetVisibleEnum.Visible]
    first = (shown or names)[0]
    if len(names) > 1:
        notes.append(
            f"Of the sheets {listed(map(repr, names))} the first, {first!r}, was read: give "
            "--sheet to take another."
        )
    return first


def _titles(rows: Sequence[Sequence[Any]]) -> int:
    """Return how many rows stand above a table: those with one cell, where others have more."""
    several = [_filled(row) > 1 for row in rows]
    return several.index(True) if any(several) else 0


def _filled(row: Sequence[Any]) -> int:
    """Return how many cells of a row hold something."""
    return sum(cell != "" for cell in row)


def _cell(cell: Any) -> str:
    """Return a cell as text: numbers with all their digits, dates as 2024-01-31."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, timedelta):
        return repr(cell.total_seconds() / 86400)  # a duration is a number of days
    # a row is a line: so places can be told
    return " ".join(str(cell).splitlines())


def _as_rows(place: Callable[[int], str], above: int) -> Callable[[int], str]:
    """Return what calls a line of the text the row of the sheet that it is."""
    return lambda row: f"row {int(place(row).removeprefix('line ')) + above}"
