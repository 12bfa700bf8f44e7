"""Sheets of Excel and OpenDocument: read as the text that they would be saved as.

So header, remarks above it, missing values and decimal commas in cells of text are found as in any
other text. Rows are counted as Excel counts them.

How large a workbook is once it is unpacked is found out before anything is made of it: a sheet is
held as a rectangle from its first cell to its last, so that one value that stands far out makes it
larger than any memory, and the reader would end the program.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from difflib import get_close_matches
from typing import IO, TYPE_CHECKING, Any

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table.columns import Raw
from daglock.table.limits import too_large_error
from daglock.table.source import Source
from daglock.table.text import read_text
from daglock.wording import listed, plural, size_text

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

_ZIP = b"PK\x03\x04"
# A ZIP archive, or a document of old programs of Microsoft.
WORKBOOK = (_ZIP, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_INSIDE = (b"xl/", b"opendocument.spreadsheet")
# A cell of a sheet that holds something, and where it is.
_CELL = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})([0-9]{1,7})"[^>/]*>')
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_BLOCK = 1 << 20
# No cell is written in more bytes than these, but for its text, and each takes so many in memory.
_LONGEST = 512
_BYTES = 32


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
        text = str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
        # the point of a number is known; in text with three digits below it, it would not be
        return f"{text}0" if text[-4:-3] == "." else text
    if isinstance(cell, timedelta):
        return repr(cell.total_seconds() / 86400)  # a duration is a number of days
    # a row is a line: so places can be told
    return " ".join(str(cell).splitlines())


def _as_rows(place: Callable[[int], str], above: int) -> Callable[[int], str]:
    """Return what calls a line of the text the row of the sheet that it is."""
    return lambda row: f"row {int(place(row).removeprefix('line ')) + above}"


def refuse_large(source: Source) -> None:
    """Raise the error about a workbook that would take more memory than may be taken."""
    limits = source.hints.limits
    try:
        with zipfile.ZipFile(io.BytesIO(source.raw)) as archive:
            total = sum(entry.file_size for entry in archive.infolist())
            most = limits.unpacked(len(source.raw))
            if total > most:
                what = f"unpacks to {size_text(total)}"
                raise too_large_error(source.label, what, most, total)
            for name in archive.namelist():
                if _SHEET.fullmatch(name):
                    with archive.open(name) as sheet:
                        _refuse_wide(source, sheet)
    except InvalidDataError:
        raise
    except Exception:  # what is wrong with it, who reads it says
        return


def _refuse_wide(source: Source, sheet: IO[bytes]) -> None:
    """Raise the error about a sheet with a cell that stands too far out."""
    places: set[bytes] = set()
    first, last = 2**31, 0
    rest = b""
    while block := sheet.read(_BLOCK):
        text = rest + block
        for column, row in _CELL.findall(text):
            places.add(column)
            first, last = min(first, int(row)), max(last, int(row))
        rest = text[-_LONGEST:]
    if not places:
        return
    columns = [_number(place) for place in places]
    cells = (max(columns) - min(columns) + 1) * (last - first + 1)
    most = source.hints.limits.bytes
    if cells * _BYTES > most:
        far = max(places, key=_number).decode()
        what = f"has a sheet that reaches to column {far} and row {last:,}, {cells:,} cells"
        raise too_large_error(source.label, what, most, cells * _BYTES)


def _number(place: bytes) -> int:
    """Return the number of a column that goes by letters.

    Examples
    --------
    >>> _number(b"A"), _number(b"AB")
    (1, 28)
    """
    number = 0
    for letter in place:
        number = 26 * number + letter - 64
    return number
