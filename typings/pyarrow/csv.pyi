from collections.abc import Callable, Mapping, Sequence
from io import BufferedIOBase, RawIOBase
from typing import IO, Any, Literal, Self

from pyarrow import DataType, NativeFile, RecordBatchReader, Schema, Table

class InvalidRow:
    number: int | None
    text: str

class ReadOptions:
    def __init__(
        self,
        *,
        use_threads: bool = ...,
        block_size: int = ...,
        column_names: Sequence[str] = ...,
    ) -> None: ...

class ParseOptions:
    def __init__(
        self,
        *,
        delimiter: str = ...,
        quote_char: str | Literal[False] = ...,
        newlines_in_values: bool = ...,
        invalid_row_handler: Callable[[InvalidRow], Literal["error", "skip"]] | None = ...,
    ) -> None: ...

class ConvertOptions:
    def __init__(
        self,
        *,
        column_types: Mapping[str, DataType] = ...,
        null_values: Sequence[str] = ...,
        strings_can_be_null: bool = ...,
        include_columns: Sequence[str] = ...,
        decimal_point: str = ...,
    ) -> None: ...

def open_csv(
    input_file: NativeFile | IO[Any] | BufferedIOBase | RawIOBase | str,
    read_options: ReadOptions | None = ...,
    parse_options: ParseOptions | None = ...,
    convert_options: ConvertOptions | None = ...,
) -> RecordBatchReader: ...

class CSVWriter:
    def __init__(self, sink: Any, schema: Schema) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def write_table(self, table: Table) -> None: ...

def write_csv(data: Table, output_file: Any) -> None: ...
def read_csv(
    input_file: NativeFile | BufferedIOBase | RawIOBase | str,
    read_options: ReadOptions | None = ...,
    parse_options: ParseOptions | None = ...,
    convert_options: ConvertOptions | None = ...,
) -> Table: ...
