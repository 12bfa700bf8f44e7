from collections.abc import Iterator, Sequence
from typing import IO, Any, Self

from pyarrow import NativeFile, RecordBatch, Schema, Table

class ColumnChunkMetaData:
    data_page_offset: int

class RowGroupMetaData:
    num_rows: int
    total_byte_size: int
    def column(self, i: int) -> ColumnChunkMetaData: ...

class FileMetaData:
    num_rows: int
    num_columns: int
    num_row_groups: int
    def row_group(self, i: int) -> RowGroupMetaData: ...

class ParquetFile:
    metadata: FileMetaData
    schema_arrow: Schema
    def __init__(
        self,
        source: NativeFile | str,
        *,
        metadata: FileMetaData | None = ...,
        buffer_size: int = ...,
        pre_buffer: bool = ...,
    ) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def read(self) -> Table: ...
    def iter_batches(
        self,
        batch_size: int = ...,
        row_groups: Sequence[int] | None = ...,
        columns: Sequence[str] | None = ...,
        use_threads: bool = ...,
    ) -> Iterator[RecordBatch]: ...

class ParquetWriter:
    def __init__(self, where: IO[Any] | str, schema: Schema, **options: Any) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def write_table(self, table: Table, row_group_size: int | None = ...) -> None: ...

def read_table(source: NativeFile | IO[Any] | str) -> Table: ...
def write_table(
    table: Table, where: IO[Any] | str, *, row_group_size: int | None = ..., **options: Any
) -> None: ...
