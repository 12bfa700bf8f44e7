from typing import IO, Any

from pyarrow import NativeFile, Table

class RowGroupMetaData:
    num_rows: int
    total_byte_size: int

class FileMetaData:
    num_rows: int
    num_columns: int
    num_row_groups: int
    def row_group(self, i: int) -> RowGroupMetaData: ...

class ParquetFile:
    metadata: FileMetaData
    def __init__(self, source: NativeFile | str) -> None: ...
    def read(self) -> Table: ...

def read_table(source: NativeFile | IO[Any] | str) -> Table: ...
def write_table(table: Table, where: IO[Any] | str) -> None: ...
