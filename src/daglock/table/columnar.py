"""Parquet and Arrow: files that know the types of their columns; what they claim is checked."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pyarrow as pa
from pyarrow import ipc
from pyarrow.parquet import ParquetFile

from daglock.errors import InvalidDataError
from daglock.table.columns import Column, Raw
from daglock.table.limits import too_large_error
from daglock.table.source import Source
from daglock.table.typed import typed_numbers
from daglock.table.unpacking import unpacked_size
from daglock.wording import size_text


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
