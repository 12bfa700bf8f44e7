"""CSV files: each is a piece, split and turned into numbers by pyarrow as it goes by.

How the files are laid out, and which columns hold numbers, is told by the first rows of the first
one. A file whose header is not the same is looked at by itself.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import Literal

import pyarrow as pa
from pyarrow.csv import ConvertOptions, InvalidRow, ParseOptions, ReadOptions, open_csv

from daglock.errors import InvalidDataError
from daglock.sources.local import Count, Piece
from daglock.table.cells import MISSING, is_comment, is_plain_number
from daglock.table.columns import different
from daglock.table.layout import Layout, find_layout
from daglock.table.policy import shown_text
from daglock.table.records import lines_of, records
from daglock.table.source import Hints
from daglock.wording import default_names

_HEAD = 1 << 20
_ROWS = 500
_BLOCK = 1 << 20
_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class _Look:
    """What the first rows of a file tell."""

    layout: Layout
    top: bytes  # all that is above the rows, the mark of UTF-8 too
    names: tuple[str, ...]
    is_number: tuple[bool, ...]
    decimal: str


class TextFiles:
    """Text files that are laid out like the first of them."""

    def __init__(self, hints: Hints) -> None:
        self.hints = hints
        self.first: _Look | None = None

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
            look = _Look(look.layout, look.top, look.names, self._known(look), self.first.decimal)
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
        lines = lines_of(text)[layout.body_line - 1 :]
        rows = [
            record.cells
            for record in islice(records(lines, layout.separator), _ROWS)
            if len(record.cells) == layout.n_columns
        ]
        columns = [[cell.strip() for cell in own] for own in zip(*rows, strict=True)]
        columns = [[cell for cell in own if cell not in MISSING] for own in columns]
        decimal = self.hints.decimal or _decimal(columns)
        other = "," if decimal == "." else "."
        is_number = [all(is_plain_number(c) and other not in c for c in own) for own in columns]
        top = whole[: len(mark) + layout.body_byte]
        given = tuple(is_number) or (True,) * layout.n_columns
        return _Look(layout, top, tuple(different(names, [])), given, decimal)

    def _known(self, look: _Look) -> tuple[bool, ...]:
        """Return which columns hold numbers, as the first file has them."""
        assert self.first is not None
        known = dict(zip(self.first.names, self.first.is_number, strict=True))
        own = zip(look.names, look.is_number, strict=True)
        return tuple(known.get(name, is_number) for name, is_number in own)


def _decimal(columns: Sequence[Sequence[str]]) -> str:
    """Return the decimal mark: a comma where numbers have one, and none has a point."""
    cells = [cell for own in columns if all(map(is_plain_number, own)) for cell in own]
    comma, point = (any(mark in cell for cell in cells) for mark in ",.")
    return "," if comma and not point else "."


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
        """Iterate over the rows."""
        look, size, told = self.look, self.path.stat().st_size, 0
        try:
            with _opened(self.path) as stream:
                packed = isinstance(stream, gzip.GzipFile)
                stream.seek(len(look.top))
                reader = open_csv(
                    stream,
                    ReadOptions(
                        column_names=list(look.names), block_size=_BLOCK, use_threads=False
                    ),
                    ParseOptions(
                        delimiter=look.layout.separator,
                        newlines_in_values=True,
                        invalid_row_handler=self._judge,
                    ),
                    ConvertOptions(
                        column_types={field.name: field.type for field in self.schema},
                        include_columns=list(columns),
                        null_values=MISSING,
                        strings_can_be_null=True,
                        decimal_point=look.decimal,
                    ),
                )
                for batch in reader:
                    done = min(size, told + batch.nbytes) if packed else stream.tell()
                    count(done - told)
                    told = done
                    yield batch
        except (pa.ArrowException, UnicodeError) as error:
            if str(error).startswith("Empty CSV"):  # a header, and nothing below it
                return
            raise self._fault(error) from error

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
        wrong = re.search(r"In CSV column #(\d+):.*invalid value '(.*)'", said, re.DOTALL)
        if wrong is not None:
            name, cell = self.look.names[int(wrong[1])], shown_text(wrong[2])
            return InvalidDataError(
                f"Column {name!r} holds {cell} in {where}, and numbers in the first rows: mend "
                f"it, or leave that column out (--drop {name})."
            )
        short = re.search(r"Expected (\d+) columns, got (\d+)", said)
        if short is not None:
            return InvalidDataError(
                f"{where[0].upper()}{where[1:]} has {short[2]} cells, and the header {short[1]}: "
                "mend that line."
            )
        reason = (said.splitlines() or ["it cannot be split into cells"])[0][:200].rstrip(". ")
        return InvalidDataError(f"{where} cannot be read: {reason}.")
