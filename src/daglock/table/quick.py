"""Large text files with nothing odd in them: numbers are made of the cells as the file goes by.

Which columns hold numbers is told by the first rows. Where anything is not as it seemed there (a
word among numbers, a line that is too short, letters that are not UTF-8, an infinite value),
nothing is returned, and `text` reads the file with all its care.
"""

from __future__ import annotations

import io
import re
from gzip import GzipFile
from itertools import islice
from sys import getrefcount
from time import monotonic, sleep
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types
from pyarrow.csv import ConvertOptions, InvalidRow, ParseOptions, ReadOptions, read_csv

from daglock.errors import InvalidDataError
from daglock.table.around import BLANK, about_blank
from daglock.table.cells import MISSING, is_comment, says_decimals
from daglock.table.columns import Column
from daglock.table.layout import Layout, find_layout
from daglock.table.records import lines_of, records
from daglock.table.source import LARGE, Progress, Source
from daglock.wording import plural

# So much of a file tells its layout, and so many rows the types of its columns.
_HEAD = 1 << 20
_ROWS = 500
_BLOCK = 1 << 20
# Before version 23 the threads of pyarrow wait for each other for ever when a line is wrong.
THREADS = int(pa.__version__.split(".")[0]) >= 23
# References to a stream in `_wait_until_released` if pyarrow has none: of the caller, of itself and
# of `getrefcount`; and how many seconds it waits.
_OWN_REFERENCES, _RELEASE = 3, 1.0
# So many columns may turn out to be no numbers after all before the careful way is taken.
_SECOND_THOUGHTS = 3
# The message of one thread has the row, too.
_NO_NUMBER = re.compile(r"In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to double")
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# Bytes of a block that are looked at again with the next one.
_OVERLAP = 16
_LARGE_NUMBER = 2.0**53
_MARK = b"\xef\xbb\xbf"


def read_quickly(source: Source, notes: list[str]) -> tuple[Layout, list[pa.ChunkedArray]] | None:
    """Return layout and columns, numbers as numbers; None where that is not so simple."""
    hints = source.hints
    plain = hints.encoding in (None, "utf-8", "utf8") and hints.decimal in (None, ".")
    if source.size < LARGE or not plain:
        return None
    head = _head(source)
    if head is None:
        return None
    own: list[str] = []
    try:
        layout = find_layout(head.encode(), source.label, hints, own)
    except InvalidDataError:
        return None
    if layout.separator == " ":
        return None
    is_number, is_sure = _numbers(head, layout)
    mark = len(_MARK) if source.head.startswith(_MARK) else 0
    for _ in range(1 + _SECOND_THOUGHTS):
        try:
            cells, remarks, watched = _split(source, layout, mark, is_number)
            break
        except pa.ArrowException as error:
            wrong = _NO_NUMBER.match(str(error))
            if wrong is None:
                return None
            is_number[int(wrong[1])] = False
    else:
        return None
    if any(map(_is_odd, cells)):
        return None
    # 2.050 became 2.05: whether its point stood between thousands can no longer be seen
    if watched.has_point and hints.decimal is None and any(is_number) and not is_sure:
        return None
    notes += own
    if watched.blank and all(is_number):
        notes.append(about_blank(layout.body_line + watched.blank - 1))
    if remarks:
        notes.append(f"Between the rows {plural(remarks, 'line')} of remarks were passed over.")
    return layout, cells


def _head(source: Source) -> str | None:
    """Return the first lines; None where they are not plain UTF-8."""
    with _opened(source) as stream:
        raw = stream.read(_HEAD)
    raw = raw[: raw.rfind(b"\n") + 1].removeprefix(_MARK)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text or "\r" in text.replace("\r\n", "") else text


def _opened(source: Source) -> IO[bytes]:
    """Open the bytes of a file, wherever they are."""
    if isinstance(source.content, bytes):
        return io.BytesIO(source.content)
    return source.content.open("rb", buffering=0)


def _numbers(head: str, layout: Layout) -> tuple[list[bool], bool]:
    """Tell which columns hold plain numbers in the first rows, and if points are decimal marks."""
    lines = lines_of(head)[layout.body_line - 1 :]
    rows = [record.cells for record in islice(records(lines, layout.separator), _ROWS)]
    columns = list(zip(*(row for row in rows if len(row) == layout.n_columns), strict=True))
    result, is_sure = [True] * layout.n_columns, False
    for j, own in enumerate(columns):
        there = [cell for cell in map(str.strip, own) if cell not in MISSING]
        result[j] = all(map(_PLAIN.fullmatch, there))
        if result[j] and not is_sure and any("." in cell for cell in there):
            is_sure = says_decimals(Column("", pa.chunked_array([there], pa.string())))
    return result, is_sure


def _split(
    source: Source, layout: Layout, mark: int, is_number: list[bool]
) -> tuple[list[pa.ChunkedArray], int, Watched]:
    """Let pyarrow read the rows; return also how many remarks it passed over, and what it saw."""
    names = [str(j) for j in range(layout.n_columns)]
    remarks = 0

    def judge(row: InvalidRow) -> Any:
        nonlocal remarks
        remarks += is_comment(row.text)
        is_blank = not row.text.strip(f'{layout.separator} \t"')
        return "skip" if is_blank or is_comment(row.text) else "error"

    with _opened(source) as stream:
        stream.seek(mark + layout.body_byte)
        watched = Watched(stream, source.size, source.hints.progress)
        table = read_csv(
            watched,
            ReadOptions(column_names=names, block_size=_BLOCK, use_threads=THREADS),
            ParseOptions(
                delimiter=layout.separator, newlines_in_values=True, invalid_row_handler=judge
            ),
            ConvertOptions(
                column_types={
                    name: pa.float64() if own else pa.string()
                    for name, own in zip(names, is_number, strict=True)
                },
                null_values=MISSING,
                strings_can_be_null=True,
            ),
        )
    _wait_until_released(watched)
    return [table.column(name) for name in names], remarks, watched


def _wait_until_released(watched: Watched) -> None:
    """Wait until no thread of pyarrow holds the stream any more.

    A thread that releases it while Python ends aborts the process: "terminate called without an
    active exception".
    """
    until = monotonic() + _RELEASE
    while getrefcount(watched) > _OWN_REFERENCES and monotonic() < until:
        sleep(0.001)


def _is_odd(cells: pa.ChunkedArray) -> bool:
    """Whether a column holds what is to be looked at with care: no number, or bytes of no text."""
    if types.is_floating(cells.type):
        ends = pc.min_max(cells).as_py()
        # infinite, or a whole number of so many digits that the text is to be looked at
        return bool(max(abs(ends["min"] or 0.0), abs(ends["max"] or 0.0)) >= _LARGE_NUMBER)
    return bool(pc.any(pc.match_substring(cells, "\0")).as_py())


class Watched(io.RawIOBase):
    """Bytes whose reader can be watched.

    Attributes
    ----------
    blank : number of a blank line that has a row below it, the first line being 1; 0 without one.
    has_point : whether there is a point in them.
    """

    def __init__(self, stream: IO[bytes] | GzipFile, size: int, progress: Progress | None) -> None:
        super().__init__()
        self._stream, self._size, self._progress = stream, size, progress
        self.blank, self.has_point = 0, False
        self._lines, self._last = 1, b""

    def readable(self) -> bool:
        """Say that there is something to read."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes."""
        block = self._stream.read(-1 if size is None else size)
        if self._progress is not None:
            self._progress(self._stream.tell(), self._size)
        self.has_point = self.has_point or b"." in block
        if not self.blank:
            self._look(block)
        return block

    def _look(self, block: bytes) -> None:
        """Look for a blank line, also where it lies across the ends of blocks."""
        text = self._last + block
        if b"\n\n" in text or b"\n\r\n" in text:
            found = BLANK.search(text)
            if found is not None:
                self.blank = self._lines + text.count(b"\n", 0, found.start() + 1)
        end = max(0, len(text) - _OVERLAP)
        self._lines += text.count(b"\n", 0, end)
        self._last = text[end:]
