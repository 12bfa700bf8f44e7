"""Tables of text: pyarrow splits rows into cells; where a row stands is looked up when asked."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import pyarrow as pa
from pyarrow.csv import ConvertOptions, InvalidRow, ParseOptions, ReadOptions, read_csv

from daglock.errors import InvalidDataError
from daglock.table.cells import MISSING, is_comment, to_numbers
from daglock.table.columns import Column, Raw, open_quote
from daglock.table.layout import (
    Layout,
    Record,
    find_layout,
    is_filler,
    records,
    separator_name,
    squeeze,
)
from daglock.table.source import Progress, Source, to_utf8
from daglock.wording import default_names, plural

_BLOCK = 1 << 20
_LARGEST_BLOCK = 1 << 30


def read_text(source: Source, notes: list[str]) -> Raw:
    """Split a text file into columns."""
    hints = source.hints
    text = to_utf8(source, notes)
    layout = find_layout(text, source.label, hints, notes)
    rows = text[layout.body_byte :]
    if layout.separator == " ":
        rows = squeeze(rows.decode()).encode()
    body = Body(rows, layout, source.label)
    cells = body.split(notes, hints.progress)
    names = layout.names
    if names is None:
        names = default_names(layout.n_columns)
        notes.append(
            f"No header was found: the columns are called x0 to {names[-1]} (give --header if the "
            "first line names them)."
        )
    return Raw(
        source.label,
        [Column(name, column) for name, column in zip(names, cells, strict=True)],
        lambda some, into: to_numbers(some, hints.decimal, into, hints.censored),
        lambda row: f"line {body.line(row)}",
        f" (separated by {separator_name(layout.separator)}; if that is wrong, give --separator)",
    )


@dataclass(frozen=True)
class Body:
    """The rows of a text file, below the header."""

    raw: bytes  # UTF-8
    layout: Layout
    label: str

    def split(self, notes: list[str], progress: Progress | None = None) -> list[pa.ChunkedArray]:
        """Split into columns of text, null where nothing or 'NA' stands; refuse ragged lines."""
        names = [str(j) for j in range(self.layout.n_columns)]
        remarks = 0

        def judge(row: InvalidRow) -> Literal["error", "skip"]:
            nonlocal remarks
            if is_comment(row.text):
                remarks += 1
            elif row.text.strip(f'{self.layout.separator} \t"'):
                return "error"
            return "skip"

        try:
            table = read_csv(
                _Watched(self.raw, progress) if progress else io.BytesIO(self.raw),
                ReadOptions(column_names=names, block_size=self._block_size()),
                ParseOptions(
                    delimiter=self.layout.separator,
                    newlines_in_values=True,
                    invalid_row_handler=judge,
                ),
                ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()),
                    null_values=MISSING,
                    strings_can_be_null=True,
                ),
            )
        except pa.ArrowInvalid as error:
            raise self._ragged(str(error).splitlines()[0]) from error
        if remarks:
            notes.append(f"Between the rows {plural(remarks, 'line')} of remarks were passed over.")
        return [table.column(name) for name in names]

    def line(self, row: int) -> int:
        """Return the first line of a row, which is counted from zero."""
        width = self.layout.n_columns
        data = (record for record in self._records() if not is_filler(record.cells, width))
        return next(islice(data, row, None)).first

    def _records(self) -> Iterator[Record]:
        """Iterate over the rows with Python's csv module, which counts lines."""
        text = io.StringIO(self.raw.decode(), newline="")
        return records(text, self.layout.separator, self.layout.body_line)

    def _block_size(self) -> int:
        """Return how much pyarrow shall look at at once: many rows, and they must fit in."""
        end = self.raw.find(b"\n", _BLOCK)
        row = max(map(len, self.raw[: end if end > 0 else len(self.raw)].split(b"\n")))
        return max(_BLOCK, min(64 * row, len(self.raw) + 1, _LARGEST_BLOCK))

    def _ragged(self, reason: str) -> InvalidDataError:
        """Build the error that names the first line whose cells are not as many as the columns."""
        expected = self.layout.n_columns
        for record in self._records():
            if not record.cells:
                return open_quote(f"line {record.first}", self.label)
            if len(record.cells) != expected and not is_filler(record.cells, expected):
                between = separator_name(self.layout.separator)
                return InvalidDataError(
                    f"Line {record.first} of {self.label} has {plural(len(record.cells), 'cell')}, "
                    f"but the table has {plural(expected, 'column')} (separated by {between}): "
                    "mend that line, or give --separator."
                )
        return InvalidDataError(f"{self.label} cannot be split into cells: {reason}.")


class _Watched(io.BytesIO):
    """Bytes whose reader can be watched."""

    def __init__(self, raw: bytes, progress: Progress) -> None:
        super().__init__(raw)
        self._size, self._progress = len(raw), progress

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes."""
        block = super().read(size)
        self._progress(self.tell(), self._size)
        return block
