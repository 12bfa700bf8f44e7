"""Parquet and Arrow: files that know the types of their columns; what they claim is checked.

What the batches of Arrow unpack to is read before anything is unpacked. A batch is a message: a
head, which is a flatbuffer, and a body, which is its buffers one after the other. Where they are
packed each begins with the length that it unpacks to (int64, little endian; -1 where it is not
packed after all). A file lists its messages at its end, a stream has one after the other. See
"Encapsulated message format" and "IPC File Format" of Arrow's specification.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc, types
from pyarrow.parquet import ParquetFile

from daglock.errors import InvalidDataError
from daglock.table.columns import Column, Raw
from daglock.table.limits import too_large_error
from daglock.table.source import Source
from daglock.wording import size_text

# Of the field `header_type` of a message.
_DICTIONARY, _RECORDS = 2, 3
_FILE_END = b"ARROW1"
_GOES_ON = 0xFFFFFFFF


def typed_numbers(columns: Sequence[Column], notes: list[str]) -> list[tuple[Column, int]]:
    """Fill in numbers and truth values; return the other columns, each with a row that is there."""
    numeric = (
        types.is_boolean,
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_null,
    )
    others = []
    for column in columns:
        if any(is_kind(column.text.type) for is_kind in numeric):
            column.fill(column.text)
        else:
            there = pc.is_valid(column.text).to_numpy()
            others.append((column, int(np.argmax(there)) if len(there) else 0))
    return others


def read_columnar(kind: str, source: Source, notes: list[str]) -> Raw:
    """Take the columns of a file that knows their types, without the index of a data frame."""
    try:
        with pa.BufferReader(source.raw) as reader:
            table = _parquet(reader, source) if kind == "parquet" else _arrow(kind, reader, source)
        index = pandas_index(table.schema)
        named = list(zip(table.column_names, table.itercolumns(), strict=True))
    except InvalidDataError:
        raise
    except Exception as error:  # what is wrong inside a file, pyarrow raises as it likes
        reason = (str(error).splitlines() or ["it cannot be read"])[0][:200].rstrip(". ")
        raise InvalidDataError(f"{source.label} is a damaged {kind}: {reason}.") from error
    if index:
        notes.append("The index of the data frame was left out.")
    columns = [Column(name, cells) for name, cells in named if name not in index]
    return Raw(source.label, columns, typed_numbers, lambda row: f"row {row + 1}")


def _parquet(reader: pa.NativeFile, source: Source) -> pa.Table:
    """Read Parquet, unless it says that its cells are more than may be read."""
    limits, file = source.hints.limits, ParquetFile(reader)
    cells = file.metadata.num_rows * file.metadata.num_columns
    if 8 * cells > limits.bytes:
        what = f"has {cells:,} cells, which take {size_text(8 * cells)}"
        raise too_large_error(source.label, what, limits.bytes, 8 * cells)
    groups = [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
    rows = [group.num_rows for group in groups]
    if min(rows, default=0) < 0 or sum(rows) != file.metadata.num_rows:
        # memory is taken for as many rows as a group says that it has
        raise ValueError("its parts have other numbers of rows than the whole")
    size = sum(group.total_byte_size for group in groups)
    if size > limits.bytes:
        what = f"unpacks to {size_text(size)}"
        raise too_large_error(source.label, what, limits.bytes, size)
    table = file.read()
    table.validate(full=True)
    return table


def _arrow(kind: str, reader: pa.NativeFile, source: Source) -> pa.Table:
    """Read Arrow batch by batch, unless they say that they unpack to more than may be read."""
    limits, kept, total = source.hints.limits, [], 0
    size, most = unpacked_size(source.raw, is_file=kind == "arrow file"), limits.bytes
    if size > 2 * source.size:  # it is packed
        most = limits.unpacked(source.size)
    if size > most:
        raise too_large_error(source.label, f"unpacks to {size_text(size)}", most, size)
    batches: Iterator[pa.RecordBatch]
    if kind == "arrow file":
        file = ipc.open_file(reader)
        schema, batches = file.schema, map(file.get_batch, range(file.num_record_batches))
    else:
        stream = ipc.open_stream(reader)
        schema, batches = stream.schema, iter(stream)
    for batch in batches:
        batch.validate(full=True)  # it can lie about where cells begin: nobody may look there
        # cells of some types take no bytes in the file, however many it says that there are
        total += max(batch.get_total_buffer_size(), 8 * batch.num_rows * len(batch.columns))
        if total > limits.bytes:
            raise too_large_error(source.label, "unpacks to more", limits.bytes)
        _require_words(batch)
        kept.append(batch)
    return pa.Table.from_batches(kept, schema)


def _require_words(batch: pa.RecordBatch) -> None:
    """Raise an error where categories are said to be more than the bytes that they are in."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if isinstance(column, pa.DictionaryArray):
            words = column.dictionary
            if len(words) > 8 * words.get_total_buffer_size():
                raise ValueError(f"column {name!r} has {len(words):,} categories without a byte")


def pandas_index(schema: pa.Schema) -> list[str]:
    """Return the columns in which pandas keeps the index of a frame."""
    metadata = (schema.metadata or {}).get(b"pandas", b"{}")
    try:
        described = json.loads(metadata)
        columns = described.get("index_columns", []) if isinstance(described, dict) else []
    except (ValueError, RecursionError):  # what pandas says of a file is not needed to read it
        return []
    # a range is kept as a description, not as a column
    names = columns if isinstance(columns, list) else []
    return [name for name in names if isinstance(name, str) and name in schema.names]


@dataclass(frozen=True)
class Fields:
    """A table of a flatbuffer: its fields by their number."""

    raw: memoryview
    at: int

    @classmethod
    def root(cls, raw: memoryview) -> Fields:
        """Return the table that a flatbuffer begins with."""
        return cls(raw, _number("<I", raw, 0))

    def place(self, field: int) -> int | None:
        """Return where a field is; None where it is not there."""
        known = self.at - _number("<i", self.raw, self.at)
        at = 4 + 2 * field
        offset = _number("<H", self.raw, known + at) if at < _number("<H", self.raw, known) else 0
        return self.at + offset if offset else None

    def number(self, field: int, form: str) -> int:
        """Return a number, 0 where it is not there."""
        place = self.place(field)
        return 0 if place is None else _number(form, self.raw, place)

    def table(self, field: int) -> Fields | None:
        """Return a table within this one."""
        place = self.place(field)
        return None if place is None else Fields(self.raw, self._pointed(place))

    def structures(self, field: int, form: str) -> Iterator[tuple[int, ...]]:
        """Iterate over a list of numbers that belong together."""
        place = self.place(field)
        if place is not None:
            at = self._pointed(place)
            size, count = struct.calcsize(form), _number("<I", self.raw, at)
            if at + 4 + size * count > len(self.raw):
                raise ValueError("a list is longer than the file")
            yield from struct.iter_unpack(form, self.raw[at + 4 : at + 4 + size * count])

    def _pointed(self, place: int) -> int:
        """Return where a field points to."""
        return place + _number("<I", self.raw, place)


def unpacked_size(raw: bytes, *, is_file: bool) -> int:
    """Return the bytes that all batches of an Arrow file or stream unpack to, as they say.

    Raises
    ------
    ValueError
        What it says cannot be.

    Examples
    --------
    >>> import pyarrow as pa
    >>> sink = pa.BufferOutputStream()
    >>> table = pa.table({"a": [0.0] * 5000})
    >>> options = pa.ipc.IpcWriteOptions(compression="zstd")
    >>> with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
    ...     writer.write_table(table)
    >>> packed = sink.getvalue().to_pybytes()
    >>> len(packed) < 1000, unpacked_size(packed, is_file=False)
    (True, 40000)
    """
    view = memoryview(raw)
    try:
        places = _listed(view) if is_file else _one_by_one(view)
        return sum(_unpacked(view, at) for at in places)
    except struct.error as error:
        raise ValueError("it ends too early") from error


def _listed(raw: memoryview) -> Iterator[int]:
    """Yield where the messages of a file begin, as its end says."""
    end = len(raw) - len(_FILE_END) - 4
    if bytes(raw[end + 4 :]) != _FILE_END:
        raise ValueError("it does not end as an Arrow file does")
    footer = Fields.root(raw[end - _number("<i", raw, end) : end])
    for field in (2, 3):  # dictionaries, batches: where, bytes of the head and of the body
        for place, _, _ in footer.structures(field, "<qi4xq"):
            yield place


def _one_by_one(raw: memoryview) -> Iterator[int]:
    """Yield where the messages of a stream begin."""
    at = 0
    while at + 8 <= len(raw) and (head := _head(raw, at))[1]:
        yield at
        begin, size = head
        message = Fields.root(raw[begin : begin + size])
        at = begin + size + message.number(3, "<q")
        if at <= begin:
            raise ValueError("a message has no end")


def _head(raw: memoryview, at: int) -> tuple[int, int]:
    """Return where the head of a message begins, and its bytes; old ones have no mark before."""
    first = _number("<I", raw, at)
    return (at + 8, _number("<i", raw, at + 4)) if first == _GOES_ON else (at + 4, first)


def _unpacked(raw: memoryview, at: int) -> int:
    """Return the bytes that a message unpacks to."""
    begin, size = _head(raw, at)
    message = Fields.root(raw[begin : begin + size])
    batch = message.table(2)
    kind = message.number(1, "<B")
    if kind == _DICTIONARY and batch is not None:
        batch = batch.table(1)
    if kind not in (_DICTIONARY, _RECORDS) or batch is None:
        return 0
    packed, total = batch.place(3) is not None, 0
    for offset, length in batch.structures(2, "<qq"):
        if length < 0 or offset < 0:
            raise ValueError("a buffer has a negative length")
        said = _number("<q", raw, begin + size + offset) if packed and length >= 8 else -1
        if said < -1:
            raise ValueError("a buffer unpacks to a negative length")
        total += length if said == -1 else said
    return total


def _number(form: str, raw: memoryview, at: int) -> int:
    """Return a number."""
    if at < 0:
        raise ValueError("a place is before the beginning")
    return int(struct.unpack_from(form, raw, at)[0])
