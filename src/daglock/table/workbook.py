"""How large a workbook is once it is unpacked, found out before anything is made of it.

A sheet is held as a rectangle from its first cell to its last: one value that stands far out makes
it larger than any memory, and the reader would end the program.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import IO

from daglock.errors import InvalidDataError
from daglock.table.limits import too_large_error
from daglock.table.source import Source
from daglock.wording import size_text

# A cell of a sheet that holds something, and where it is.
_CELL = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})([0-9]{1,7})"[^>/]*>')
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_BLOCK = 1 << 20
# No cell is written in more bytes than these, but for its text, and each takes so many in memory.
_LONGEST = 512
_BYTES = 32


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
