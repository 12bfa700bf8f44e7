"""Parquet: each row group is a piece, read column by column and a few pages at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow.parquet import FileMetaData, ParquetFile

from daglock.errors import InvalidDataError
from daglock.sources.local import Count, Piece, unreadable
from daglock.sources.source import batch_rows
from daglock.sources.wide import in_turns
from daglock.table.columnar import pandas_index

# Bytes of a column that are read at a time.
_BUFFER = 1 << 16


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
