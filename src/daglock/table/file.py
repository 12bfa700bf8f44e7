"""read_file: from a path to a table, or to one sentence about what is wrong.

A reader takes the bytes of a file and returns its columns: a new one is a file beside `text`, and a
line in `FORMATS`. Parquet and Arrow know the types of their columns; what no format begins with is
text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc, types
from pyarrow.parquet import read_table

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table.columns import Column, Raw, assemble
from daglock.table.source import Hints, Progress, Source, open_source, refuse_foreign
from daglock.table.table import Table
from daglock.table.text import read_text

Reader = Callable[[Source, list[str]], Raw]


class Format(NamedTuple):
    """A kind of file that is not text: how it is told, and who reads it."""

    name: str
    begins: bytes
    endings: tuple[str, ...]
    read: Reader


def _read_columnar(kind: str, source: Source, notes: list[str]) -> Raw:
    """Take the columns of a file that knows their types, without the index of a data frame."""
    openers = {"arrow file": ipc.open_file, "arrow stream": ipc.open_stream}
    try:
        with pa.BufferReader(source.raw) as reader:
            table = read_table(reader) if kind == "parquet" else openers[kind](reader).read_all()
    except (pa.ArrowInvalid, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidDataError(f"{source.label} is a damaged {kind}: {reason}") from error
    index = _pandas_index(table)
    if index:
        notes.append("The index of the data frame was left out.")
    named = zip(table.column_names, table.itercolumns(), strict=True)
    columns = [Column(name, cells) for name, cells in named if name not in index]
    return Raw(source.label, columns, _typed_numbers, lambda row: f"row {row + 1}")


def _pandas_index(table: pa.Table) -> list[str]:
    """Return the columns in which pandas keeps the index of a frame."""
    metadata = (table.schema.metadata or {}).get(b"pandas", b"{}")
    columns = json.loads(metadata).get("index_columns", [])
    # a range is kept as a description, not as a column
    return [name for name in columns if isinstance(name, str) and name in table.column_names]


def _typed_numbers(columns: Sequence[Column], notes: list[str]) -> list[tuple[Column, int]]:
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


FORMATS = (
    Format("Parquet", b"PAR1", (".parquet", ".pq"), partial(_read_columnar, "parquet")),
    Format(
        "Arrow", b"ARROW1", (".arrow", ".feather", ".ipc"), partial(_read_columnar, "arrow file")
    ),
    Format("Arrow", b"\xff\xff\xff\xff", (".arrows",), partial(_read_columnar, "arrow stream")),
)
# How the files of tables end.
_TEXT = (".csv", ".tsv", ".txt", ".dat", ".tab")
ENDINGS = (*_TEXT, *(ending for format in FORMATS for ending in format.endings))


def read_file(
    path: str | Path,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    skip_lines: int = 0,
    index_column: str | bool | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    kinds: Any = None,
    progress: Progress | None = None,
) -> Table:
    r"""Read a table from CSV, TSV, Parquet or Arrow, plain or compressed by gzip.

    What is not given is found out from the content, and `Table.notes` says what was assumed.

    Parameters
    ----------
    path : file, or "-" for standard input.
    separator : one character, or comma, semicolon, tab, pipe, space (any run of blanks).
    decimal : "." or ",".
    encoding : a name that Python knows, such as "latin-1".
    header : whether the first row of a text file names the columns.
    skip_lines : lines to pass over at the beginning of a text file.
    index_column : name of a column that only labels the rows and is left out; False for none. By
        default, a first column without a name that counts the rows or holds text.
    columns, drop : names of the columns to keep, or to leave out.
    kinds : what columns are, by name, where that is not to be found by looking: as the parameter
        ``columns`` of `DAGLock`.
    progress : called with the bytes done and all bytes while a text file is split.

    Raises
    ------
    InvalidDataError
        The file cannot be read, or words stand among numbers; the message names the line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "data.csv")
    ...     _ = file.write_text("height;weight\n1,80;82,5\n1,65;NA\n")
    ...     table = read_file(file)
    >>> table.names, table.notes
    (('height', 'weight'), ('The decimal mark is a comma.',))
    >>> table.data
    array([[ 1.8 , 82.5 ],
           [ 1.65,   nan]])
    """
    if decimal not in (None, ".", ","):
        raise InvalidParameterError(
            f"The decimal mark must be a point or a comma; got {decimal!r}."
        )
    if not (isinstance(skip_lines, Integral) and skip_lines >= 0):
        raise InvalidParameterError(f"skip_lines must be a whole number >= 0; got {skip_lines!r}.")
    hints = Hints(separator, decimal, encoding, header, skip_lines, progress)
    source = open_source(path, hints)
    notes: list[str] = []
    raw = _reader(source)(source, notes)
    return assemble(raw, notes, index_column=index_column, keep=columns, drop=drop, kinds=kinds)


def _reader(source: Source) -> Reader:
    """Tell by the first bytes what kind of file this is; refuse what is no table."""
    for format in FORMATS:
        if source.raw.startswith(format.begins):
            return format.read
    refuse_foreign(source)
    for format in FORMATS:
        if source.ending in format.endings:
            raise InvalidDataError(
                f"{source.label} ends in {source.ending}, but what it holds is not {format.name}."
            )
    return read_text
