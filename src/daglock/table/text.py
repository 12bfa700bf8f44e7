"""Tables of text: pyarrow splits rows into cells; where a row stands is looked up when asked."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types
from pyarrow.csv import ConvertOptions, InvalidRow, ParseOptions, ReadOptions, read_csv

from daglock.errors import InvalidDataError
from daglock.table.around import rows_alone
from daglock.table.cells import MISSING, is_comment, to_numbers
from daglock.table.columns import Column, Raw, open_quote
from daglock.table.layout import Layout, find_layout, separator_name
from daglock.table.quick import THREADS, Watched, read_quickly
from daglock.table.ragged import find_faults, mended, ragged_error
from daglock.table.records import Record, is_filler, long_cell_error, records, squeeze
from daglock.table.source import Hints, Source, to_utf8
from daglock.wording import default_names, plural

_BLOCK = 1 << 20
_LARGEST_BLOCK = 1 << 30


def read_text(source: Source, notes: list[str]) -> Raw:
    """Split a text file into columns: quickly where all is plain, else with care."""
    hints, label = source.hints, source.label
    quick = read_quickly(source, notes)
    if quick is not None:
        layout, cells = quick
        body = cache(lambda: _body(source, layout))
    else:
        text = to_utf8(source, notes)
        layout = find_layout(text, label, hints, notes)
        cells, found = _body(source, layout, text).split(notes)
        body = cache(lambda: found)
    _refuse_long(cells, lambda row: body().line(row), label, hints.limits.cell)

    def place(row: int) -> str:
        return f"line {body().line(row)}"

    names = layout.names
    if names is None:
        names = default_names(layout.n_columns)
        notes.append(
            f"No header was found: the columns are called x0 to {names[-1]} (give --header if the "
            "first line names them)."
        )
    return Raw(
        label,
        [Column(name, column) for name, column in zip(names, cells, strict=True)],
        lambda some, into: to_numbers(some, hints.decimal, into, hints.censored, place),
        place,
        f" (separated by {separator_name(layout.separator)}; if that is wrong, give --separator)",
    )


def _body(source: Source, layout: Layout, text: bytes | None = None) -> Body:
    """Return the rows of a file below its header."""
    rows = (to_utf8(source, []) if text is None else text)[layout.body_byte :]
    if layout.separator == " ":
        rows = squeeze(rows.decode()).encode()
    return Body(rows, layout, source.label, source.hints)


def _refuse_long(
    columns: Sequence[pa.ChunkedArray], line_of: Callable[[int], int], label: str, most: int
) -> None:
    """Raise the error about a cell of text that is too long."""
    for cells in columns:
        if types.is_string(cells.type):
            lengths = pc.fill_null(pc.utf8_length(cells), 0).to_numpy()
            if lengths.max(initial=0) > most:
                row = int(lengths.argmax())
                if "\n" in str(cells[row].as_py()):
                    raise open_quote(f"line {line_of(row)}", label)
                raise long_cell_error(f"Line {line_of(row)}", label, most)


@dataclass(frozen=True)
class Body:
    """The rows of a text file, below the header."""

    raw: bytes  # UTF-8
    layout: Layout
    label: str
    hints: Hints

    def split(self, notes: list[str]) -> tuple[list[pa.ChunkedArray], Body]:
        """Split into columns of text, null where nothing or 'NA' stands; refuse ragged lines.

        Returns also the rows as they were read, which differ where ragged ones were mended.
        """
        kept = rows_alone(self.raw, self.layout)
        notes += kept.notes
        return replace(self, raw=kept.raw)._split(notes)

    def _split(self, notes: list[str]) -> tuple[list[pa.ChunkedArray], Body]:
        """Split what holds rows alone."""
        progress = self.hints.progress
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
                Watched(io.BytesIO(self.raw), len(self.raw), progress),
                ReadOptions(column_names=names, block_size=self._block_size(), use_threads=THREADS),
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
        except (pa.ArrowException, UnicodeError) as error:
            rest, said = self._mended(error)
            notes += said
            return rest._split(notes)
        if remarks:
            notes.append(f"Between the rows {plural(remarks, 'line')} of remarks were passed over.")
        return [table.column(name) for name in names], self

    def line(self, row: int) -> int:
        """Return the first line of a row, which is counted from zero."""
        width, last = self.layout.n_columns, 0
        for record in self._records():
            last = record.first
            if not record.cells:  # the reader ends here, at a quote that does not
                break
            if not is_filler(record.cells, width):
                if row == 0:
                    break
                row -= 1
        return last

    def _records(self) -> Iterator[Record]:
        """Iterate over the rows with Python's csv module, which counts lines."""
        text = io.StringIO(self.raw.decode(), newline="")
        layout = self.layout
        return records(text, layout.separator, layout.body_line, self.hints.limits.cell)

    def _block_size(self) -> int:
        """Return how much pyarrow shall look at at once: many rows, and they must fit in."""
        end = self.raw.find(b"\n", _BLOCK)
        row = max(map(len, self.raw[: end if end > 0 else len(self.raw)].split(b"\n")))
        return max(_BLOCK, min(64 * row, len(self.raw) + 1, _LARGEST_BLOCK))

    def _mended(self, error: Exception) -> tuple[Body, list[str]]:
        """Return the rows without lines that are too short or too long, or raise what is wrong."""
        layout, label = self.layout, self.label
        width, separator, how = layout.n_columns, layout.separator, self.hints.ragged
        faults = find_faults(self._records(), width, separator, label, self.hints.limits.cell)
        if not faults:
            reason = (str(error).splitlines() or [""])[0][:200]
            raise InvalidDataError(f"{label} cannot be split into cells: {reason}.") from error
        doubtful = [fault for fault in faults if not fault.meant]
        if how is None and doubtful:
            raise ragged_error(doubtful, label, width, separator) from error
        text, said = mended(self.raw, faults, how, width, separator, layout.body_line - 1)
        once = replace(self.hints, ragged=None)  # what cannot be mended so is not mended again
        return replace(self, raw=text, hints=once), said
