"""read_file: from a path to a table of numbers, or to one sentence about what is wrong.

A reader takes the bytes of a file and returns its columns: a new one is a file beside `columnar`,
and a line in `FORMATS`. What no format begins with is text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import NamedTuple

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table.columnar import read_columnar
from daglock.table.columns import Raw, assemble
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


FORMATS = (
    Format("Parquet", b"PAR1", (".parquet", ".pq"), partial(read_columnar, "parquet")),
    Format(
        "Arrow", b"ARROW1", (".arrow", ".feather", ".ipc"), partial(read_columnar, "arrow file")
    ),
    Format("Arrow", b"\xff\xff\xff\xff", (".arrows",), partial(read_columnar, "arrow stream")),
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
    progress: Progress | None = None,
) -> Table:
    r"""Read a table of numbers from CSV, TSV, Parquet or Arrow, plain or compressed by gzip.

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
    progress : called with the bytes done and all bytes while a text file is split.

    Returns
    -------
    Table

    Raises
    ------
    InvalidDataError
        The file cannot be read, or a column is not numeric; the message names the line.
    InvalidParameterError
        An option is out of its range, or names a column that is not there.

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
    return assemble(raw, notes, index_column=index_column, keep=columns, drop=drop)


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
