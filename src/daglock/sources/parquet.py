"""Parquet: each row group is a piece, read column by column and a few pages at a time.

A reader of Parquet holds pages of every column that it reads, 2 MB or more for each, so that
thousands of columns at once would take gigabytes: wide row groups go into temporary files, some
columns at a time, and are read from these row by row.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
from pyarrow import ipc
from pyarrow.parquet import FileMetaData, ParquetFile

from daglock.errors import InvalidDataError
from daglock.sources.local import Count, Piece, unreadable
from daglock.sources.source import batch_rows
from daglock.table.columnar import pandas_index

# Bytes of a column that are read at a time.
_BUFFER = 1 << 16
# Columns that are read at the same time, and files that are open at the same time.
MOST, _FILES = 48, 200
# From names of columns to their rows, in batches of the same lengths whichever columns it is.
Read: TypeAlias = Callable[[Sequence[str]], Iterator[pa.RecordBatch]]


def read_footer(path: Path, label: str) -> tuple[pa.Schema, tuple[Piece, ...]]:
    """Return the columns and the row groups of a file, without the index of a data frame."""
    size = path.stat().st_size
    if size == 0:
        raise InvalidDataError(f"{label} is empty, it has no bytes: leave it out or write it anew.")
    try:
        with ParquetFile(str(path)) as file:
            metadata, schema = file.metadata, file.schema_arrow
    except (pa.ArrowException, OSError) as error:
        raise unreadable(label, error) from error
    index = set(pandas_index(schema))
    fields = [field for field in schema if field.name not in index]
    return pa.schema(fields, metadata=schema.metadata), tuple(
        Piece(
            f"{label}, row group {group}",
            _RowGroup(path, group, metadata).open,
            metadata.row_group(group).num_rows,
            metadata.row_group(group).total_byte_size,
            (str(path), size),
        )
        for group in range(metadata.num_row_groups)
    )


class _RowGroup:
    """The rows of a row group."""

    def __init__(self, path: Path, group: int, metadata: FileMetaData | None = None) -> None:
        self.path, self.group, self.metadata = path, group, metadata

    def __reduce__(self) -> tuple[type[_RowGroup], tuple[Path, int]]:
        return _RowGroup, (self.path, self.group)  # who gets it reads the end of the file anew

    def open(self, columns: Sequence[str], count: Count) -> Iterator[pa.RecordBatch]:
        """Iterate over the rows."""
        rows = batch_rows(len(columns))
        with ParquetFile(
            str(self.path), metadata=self.metadata, buffer_size=_BUFFER, pre_buffer=False
        ) as file:
            group = file.metadata.row_group(self.group)
            size = group.total_byte_size / max(1, group.num_rows * len(columns))  # of a cell

            def read(some: Sequence[str]) -> Iterator[pa.RecordBatch]:
                for batch in file.iter_batches(
                    rows, row_groups=[self.group], columns=list(some), use_threads=False
                ):
                    count(int(size * batch.num_rows * len(some)))
                    yield batch.select(list(some))

            yield from in_turns(read, columns)


def in_turns(read: Read, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Iterate over the rows of many columns, of which only some are read at the same time.

    Examples
    --------
    >>> table = pa.table({f"x{j}": [j, 2 * j, 3 * j] for j in range(200)})
    >>> read = lambda names: iter(table.select(list(names)).to_batches(2))
    >>> [(b.num_rows, b.num_columns) for b in in_turns(read, table.column_names)]
    [(2, 200), (1, 200)]
    """
    if len(columns) <= MOST:
        yield from read(columns)
        return
    width = max(MOST, -(-len(columns) // _FILES))
    turns = [columns[k : k + width] for k in range(0, len(columns), width)]
    with tempfile.TemporaryDirectory(prefix="daglock-columns-") as folder, ExitStack() as opened:
        files = [Path(folder, f"{number}.arrow") for number in range(len(turns))]
        for file, own in zip(files, turns, strict=True):
            _write(file, read(own))
        streams = [ipc.open_stream(opened.enter_context(pa.OSFile(str(file)))) for file in files]
        for parts in zip(*streams, strict=True):
            arrays = [column for part in parts for column in part.columns]
            yield pa.RecordBatch.from_arrays(arrays, list(columns))


def _write(file: Path, batches: Iterator[pa.RecordBatch]) -> None:
    """Write batches to a file; of no batch there is a file without any."""
    writer = None
    try:
        for batch in batches:
            if writer is None:
                writer = ipc.new_stream(str(file), batch.schema)
            writer.write_batch(batch)
        if writer is None:
            writer = ipc.new_stream(str(file), pa.schema([]))
    finally:
        if writer is not None:
            writer.close()
