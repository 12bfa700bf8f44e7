"""CSV files: each is a piece, split and turned into numbers by pyarrow as it goes by.

How the files are laid out, and which columns hold numbers, is told by the first rows of the first
one. A file whose header is not the same is looked at by itself.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias

import pyarrow as pa
from pyarrow import types
from pyarrow.csv import ConvertOptions, InvalidRow, ParseOptions, ReadOptions, open_csv

from daglock.errors import InvalidDataError
from daglock.sources.local import Count, Piece
from daglock.table.cells import (
    MISSING,
    NUMBER,
    POINTS,
    clean,
    decimal_mark,
    fill_numbers,
    is_comment,
    says_decimals,
)
from daglock.table.columns import Column, different
from daglock.table.layout import Layout, find_layout
from daglock.table.policy import shown_text
from daglock.table.quick import Watched
from daglock.table.records import lines_of, records
from daglock.table.source import Hints
from daglock.wording import default_names

_HEAD = 1 << 20
_ROWS = 500
_BLOCK = 1 << 20
_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_NO_NUMBER = re.compile(r"In CSV column #(\d+):.*invalid value '(.*)'", re.DOTALL)

# The first cell that does not fit each of the patterns `POINTS`, and where it stands.
_Points: TypeAlias = dict[str, tuple[str, str]]


@dataclass(frozen=True)
class _Look:
    """What the first rows of a file tell."""

    layout: Layout
    top: bytes  # all that is above the rows, the mark of UTF-8 too
    names: tuple[str, ...]
    is_number: tuple[bool, ...]
    decimal: str
    unsure: dict[str, _Points]  # what columns show, where that does not tell what points are


class TextFiles:
    """Text files that are laid out like the first of them."""

    def __init__(self, hints: Hints) -> None:
        self.hints = hints
        self.first: _Look | None = None
        self.decimal: str | None = None

    def read(self, path: Path, label: str) -> tuple[str, pa.Schema, tuple[Piece, ...]]:
        """Look at the first rows of a file; return its columns, and itself as a piece."""
        with _opened(path) as stream:
            head = stream.read(_HEAD)
        if not head.strip():
            raise InvalidDataError(f"{label} is empty, it has no rows: leave it out.")
        if self.first is None:
            self.first = look = self._look(head, label)
        elif head.startswith(self.first.top) and self.first.layout.names is not None:
            look = self.first
        else:
            look = self._look(head, label)
            look = replace(look, is_number=self._known(look), unsure=self.first.unsure)
        kinds = [pa.float64() if own else pa.string() for own in look.is_number]
        schema = pa.schema(list(zip(look.names, kinds, strict=True)))
        size = path.stat().st_size
        rows = _File(path, label, look, schema)
        piece = Piece(label, rows.open, None, size, (str(path), size))
        return label, schema, (piece,)

    def _look(self, head: bytes, label: str) -> _Look:
        """Find out how a file is laid out."""
        if (self.hints.encoding or "utf-8").lower().replace("_", "-") not in ("utf-8", "utf8"):
            raise InvalidDataError(
                f"{label}: only UTF-8 is read in parts, not {self.hints.encoding}: convert it."
            )
        mark = _MARK if head.startswith(_MARK) else b""
        whole = head[: head.rfind(b"\n") + 1] or head
        try:
            text = whole.removeprefix(mark).decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidDataError(
                f"{label} is not UTF-8, and only that is read in parts: convert it."
            ) from error
        if "\0" in text:
            raise InvalidDataError(f"{label} is a binary file, not a table of text.")
        layout = find_layout(text.encode(), label, self.hints, [])
        if layout.separator == " ":
            raise InvalidDataError(
                f"{label} is separated by blanks, and such files are not read in parts: write it "
                "with commas."
            )
        names = layout.names or default_names(layout.n_columns)
        names = tuple(different(names, []))
        lines = lines_of(text)[layout.body_line - 1 :]
        rows = [
            record
            for record in islice(records(lines, layout.separator, layout.body_line), _ROWS)
            if len(record.cells) == layout.n_columns
        ]
        cells = list(zip(*(row.cells for row in rows), strict=True)) or [()] * len(names)
        columns = [
            _column(name, pa.array(own, pa.string()))
            for name, own in zip(names, cells, strict=True)
        ]

        def place(row: int) -> str:
            return f"line {rows[row].first} of {label}"

        unsure: dict[str, _Points] = {}
        decimal = self.hints.decimal or self.decimal
        if decimal is None:
            self.decimal = "."  # the other files are not asked about again
            decimal = self.decimal = decimal_mark(columns, columns, place)
            if decimal == "." and not any(map(says_decimals, columns)):
                unsure = {
                    column.name: _points(column, place)
                    for column in columns
                    if column.all_are(NUMBER["."])
                }
        is_number = tuple(column.all_are(NUMBER[decimal]) for column in columns)
        top = whole[: len(mark) + layout.body_byte]
        return _Look(layout, top, names, is_number, decimal, unsure)

    def _known(self, look: _Look) -> tuple[bool, ...]:
        """Return which columns hold numbers, as the first file has them."""
        assert self.first is not None
        known = dict(zip(self.first.names, self.first.is_number, strict=True))
        own = zip(look.names, look.is_number, strict=True)
        return tuple(known.get(name, is_number) for name, is_number in own)


def _column(name: str, cells: pa.Array) -> Column:
    """Return a column of text, its cells cleaned."""
    column = Column(name, pa.chunked_array([cells.cast(pa.string())]))
    clean(column)
    return column


def _points(column: Column, place: Callable[[int], str], first: int = 0) -> _Points:
    """Return what a column shows of points; ``first`` is the number of its first row."""
    rows = {pattern: column.where(pattern) for pattern in POINTS}
    return {
        pattern: (str(column.text[row].as_py()), place(first + row))
        for pattern, row in rows.items()
        if row is not None
    }


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    """Open the bytes of a file, unpacked."""
    with path.open("rb") as stream:
        packed = stream.read(2) == _GZIP
    return gzip.open(path) if packed else path.open("rb")


class _File:
    """The rows of a text file."""

    def __init__(self, path: Path, label: str, look: _Look, schema: pa.Schema) -> None:
        self.path, self.label, self.look, self.schema = path, label, look, schema

    def open(self, columns: Sequence[str], count: Count) -> Iterator[pa.RecordBatch]:
        """Iterate over the rows; again, with numbers as text, where thousands are told apart."""
        size, told, done = self.path.stat().st_size, 0, 0
        unsure = [name for name in self.look.unsure if name in columns]
        numbers = [field.name for field in self.schema if types.is_floating(field.type)]
        for texts in ([], [name for name in columns if name in numbers]):
            first = 0
            try:
                for batch, read, has_point in self._read(columns, texts):
                    count(max(0, min(size, read) - told))
                    told = max(told, min(size, read))
                    if unsure and has_point:
                        self._refuse_doubtful(unsure)
                        unsure = []
                    rows = self._with_numbers(batch, texts, first)
                    first += rows.num_rows
                    if first > done:
                        yield rows.slice(max(0, done - first + rows.num_rows))
                        done = first
                return
            except (pa.ArrowException, UnicodeError) as error:
                if str(error).startswith("Empty CSV"):  # a header, and nothing below it
                    return
                wrong = _NO_NUMBER.search(str(error))
                if texts or wrong is None or not re.match(NUMBER[self.look.decimal], wrong[2]):
                    raise self._fault(error) from error
                self._refuse_doubtful(unsure)

    def _read(
        self, columns: Sequence[str], texts: Sequence[str]
    ) -> Iterator[tuple[pa.RecordBatch, int, bool]]:
        """Iterate over the rows, with bytes that were read and whether there was a point in them.

        Parameters
        ----------
        columns : that are needed.
        texts : those of them that stay text, although they hold numbers.
        """
        look, told = self.look, 0
        with _opened(self.path) as stream:
            packed = isinstance(stream, gzip.GzipFile)
            stream.seek(len(look.top))
            watched = Watched(stream, 0, None)
            reader = open_csv(
                watched if look.unsure else stream,
                ReadOptions(column_names=list(look.names), block_size=_BLOCK, use_threads=False),
                ParseOptions(
                    delimiter=look.layout.separator,
                    newlines_in_values=True,
                    invalid_row_handler=self._judge,
                ),
                ConvertOptions(
                    column_types={field.name: field.type for field in self.schema}
                    | dict.fromkeys(texts, pa.string()),
                    include_columns=list(columns),
                    null_values=MISSING,
                    strings_can_be_null=True,
                    decimal_point=look.decimal,
                ),
            )
            for batch in reader:
                told = told + batch.nbytes if packed else stream.tell()
                yield batch, told, watched.has_point

    def _with_numbers(
        self, batch: pa.RecordBatch, texts: Sequence[str], first: int
    ) -> pa.RecordBatch:
        """Make numbers of text; ``first`` is the number of the first row."""
        arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
        for name in texts:
            column = _column(name, arrays[name])
            others = fill_numbers([column], self.look.decimal, [])
            if others:
                row = others[0][1]
                raise _no_number(name, column.show(row), self._place(first + row))
            arrays[name] = pa.array(column.values, from_pandas=True)
        return pa.RecordBatch.from_arrays(list(arrays.values()), list(arrays)) if texts else batch

    def _refuse_doubtful(self, names: Sequence[str]) -> None:
        """Raise the error about points and commas that may stand between thousands."""
        seen, first = {name: self.look.unsure[name] for name in names}, 0
        for batch, _, _ in self._read(names, names) if names else ():
            for name, own in zip(names, batch.columns, strict=True):
                here = _points(_column(name, own), self._place, first)
                seen[name] = here | seen[name]
            first += batch.num_rows
        cells = [(name, *cell) for name, own in seen.items() for cell in own.values()]
        columns = [
            _column(name, pa.array([cell if own == name else None for own, cell, _ in cells]))
            for name in names
        ]
        decimal_mark(columns, columns, lambda row: cells[row][2])

    def _place(self, row: int) -> str:
        """Return how a message calls a row, which is counted from zero."""
        return f"row {row + 1:,} of {self.label}"

    def _judge(self, row: InvalidRow) -> Literal["error", "skip"]:
        """Pass over blank lines and remarks; refuse other lines of another length."""
        is_blank = not row.text.strip(f'{self.look.layout.separator} \t"')
        return "skip" if is_blank or is_comment(row.text) else "error"

    def _fault(self, error: Exception) -> InvalidDataError:
        """Build the error about a row that cannot be read."""
        said = str(error)
        row = re.search(r"Row #(\d+)", said)
        line = int(row[1]) + self.look.layout.body_line - 1 if row else 0
        where = f"line {line:,} of {self.label}" if row else self.label
        wrong = _NO_NUMBER.search(said)
        if wrong is not None:
            return _no_number(self.look.names[int(wrong[1])], shown_text(wrong[2]), where)
        short = re.search(r"Expected (\d+) columns, got (\d+)", said)
        if short is not None:
            return InvalidDataError(
                f"{where[0].upper()}{where[1:]} has {short[2]} cells, and the header {short[1]}: "
                "mend that line."
            )
        reason = (said.splitlines() or ["it cannot be split into cells"])[0][:200].rstrip(". ")
        return InvalidDataError(f"{where} cannot be read: {reason}.")


def _no_number(name: str, cell: str, place: str) -> InvalidDataError:
    """Build the error about a cell that is no number, below those that are."""
    return InvalidDataError(
        f"Column {name!r} holds {cell} in {place}, and numbers in the first rows: mend it, or "
        f"leave that column out (--drop {name})."
    )
