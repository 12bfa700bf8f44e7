"""read_file: from a path to a table of numbers, or to one sentence about what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from daglock._parameters import require_integer
from daglock.errors import InvalidParameterError
from daglock.reading.assemble import Raw, assemble
from daglock.reading.columnar import pandas_index, read_columnar, typed_numbers
from daglock.reading.encoding import to_utf8
from daglock.reading.layout import find_layout, separator_name, separator_of
from daglock.reading.numbers import Column, to_numbers
from daglock.reading.source import Source, open_source
from daglock.reading.table import Table
from daglock.reading.text import Body, Progress
from daglock.wording import default_names


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
    require_integer("skip_lines", skip_lines, at_least=0)
    source = open_source(path)
    notes: list[str] = []
    if source.kind == "text":
        separator = None if separator is None else separator_of(separator)
        raw = _text(source, separator, decimal, encoding, header, skip_lines, notes, progress)
    else:
        raw = _typed(source, notes)
    return assemble(raw, notes, index_column=index_column, keep=columns, drop=drop)


def _text(
    source: Source,
    separator: str | None,
    decimal: str | None,
    encoding: str | None,
    header: bool | None,
    skip_lines: int,
    notes: list[str],
    progress: Progress | None,
) -> Raw:
    """Split a text file into columns."""
    text = to_utf8(source, encoding, notes)
    layout = find_layout(
        text, source.label, notes, separator=separator, header=header, skip_lines=skip_lines
    )
    body = Body.below(text, layout, source.label)
    cells = body.split(notes, progress)
    names = layout.names
    if names is None:
        names = default_names(layout.n_columns)
        notes.append(
            f"No header was found: the columns are called x0 to {names[-1]} (give --header if the "
            "first line names them)."
        )
    return Raw(
        source.label,
        [Column(name, column) for name, column in zip(names, cells, strict=True)],
        lambda some, into: to_numbers(some, decimal, into),
        lambda row: f"line {body.lines([row])[row]}",
        f" (separated by {separator_name(layout.separator)}; if that is wrong, give --separator)",
    )


def _typed(source: Source, notes: list[str]) -> Raw:
    """Take the columns of a file that knows their types."""
    table = read_columnar(source)
    index = pandas_index(table)
    if index:
        notes.append("The index of the data frame was left out.")
    columns = [
        Column(name, column)
        for name, column in zip(table.column_names, table.itercolumns(), strict=True)
        if name not in index
    ]
    return Raw(source.label, columns, typed_numbers, lambda row: f"row {row + 1}")
