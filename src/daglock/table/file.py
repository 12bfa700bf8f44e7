"""read_file: from a path to a table, or to one sentence about what is wrong.

A reader takes the bytes of a file and returns its columns: a new one is a file beside `text`, and a
line in `FORMATS`. Parquet and Arrow know the types of their columns, as do files of Stata, SPSS and
SAS; a sheet of Excel is read as the text that it would be saved as. What no format begins with is
text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table.columnar import read_columnar
from daglock.table.columns import Raw, assemble
from daglock.table.covariance import is_covariance
from daglock.table.excel import WORKBOOK, read_excel
from daglock.table.limits import Limits
from daglock.table.markers import check_censored
from daglock.table.ragged import check_ragged
from daglock.table.source import Hints, Progress, Source, open_source, refuse_foreign
from daglock.table.statistics import PROGRAMS, read_statistics
from daglock.table.table import Table
from daglock.table.text import read_text

Reader = Callable[[Source, list[str]], Raw]


class Format(NamedTuple):
    """A kind of file that is not text: how it is told, and who reads it."""

    name: str
    begins: bytes | tuple[bytes, ...]
    endings: tuple[str, ...]
    read: Reader


FORMATS = (
    Format("Parquet", b"PAR1", (".parquet", ".pq"), partial(read_columnar, "parquet")),
    Format(
        "Arrow", b"ARROW1", (".arrow", ".feather", ".ipc"), partial(read_columnar, "arrow file")
    ),
    Format("Arrow", b"\xff\xff\xff\xff", (".arrows",), partial(read_columnar, "arrow stream")),
    Format("an Excel workbook", WORKBOOK, (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), read_excel),
    *(
        Format(name, program.begins, program.endings, partial(read_statistics, program))
        for name, program in PROGRAMS.items()
    ),
)
# How the files of tables end.
_TEXT = (".csv", ".tsv", ".txt", ".dat", ".tab", ".cov")
ENDINGS = (*_TEXT, *(ending for format in FORMATS for ending in format.endings))


def read_file(
    path: str | Path | Source,
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
    na: Sequence[str] = (),
    censored: str | None = None,
    sheet: str | None = None,
    ragged: str | None = None,
    max_size: int | None = None,
    max_columns: int = Limits.columns,
    max_cell: int = Limits.cell,
    progress: Progress | None = None,
) -> Table:
    r"""Read a table from a file, plain or compressed by gzip.

    CSV, TSV and other text, Parquet, Arrow, Excel, Stata, SPSS or SAS.

    What is not given is found out from the content, and `Table.notes` says what was assumed.

    Parameters
    ----------
    path : file or pipe, "-" for standard input, or a `Source`, which is open already.
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
    na : further words or numbers that stand for a missing value, such as "-999" or "unknown"; in
        one column alone as "column=-999".
    censored : what to do about bounds such as <0.5: "missing" takes them as missing, "bound" takes
        the number; without it they are refused.
    sheet : of an Excel workbook; by default the first.
    ragged : what to do about lines of a text file that have another number of cells than the table
        has columns: "drop" leaves them out, "fill" takes cells that are not there at the end of a
        line as missing and leaves out lines with too many. Without it they are refused, all at
        once; with it `Table.notes` says which lines they are.
    max_size : most bytes of the file, unpacked: 4 GiB by default, and no more than a hundred times
        what is packed.
    max_columns, max_cell : most columns of a text file, and most characters of a cell.
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
    ...     _ = file.write_text("height;weight\n1,80;82,5\n1,65;NA\n1,75;71\n")
    ...     table = read_file(file)
    >>> table.names, table.notes
    (('height', 'weight'), ('The decimal mark is a comma.',))
    >>> table.data
    array([[ 1.8 , 82.5 ],
           [ 1.65,   nan],
           [ 1.75, 71.  ]])
    """
    if decimal not in (None, ".", ","):
        raise InvalidParameterError(
            f"The decimal mark must be a point or a comma; got {decimal!r}."
        )
    if not (isinstance(skip_lines, Integral) and skip_lines >= 0):
        raise InvalidParameterError(f"skip_lines must be a whole number >= 0; got {skip_lines!r}.")
    check_censored(censored)
    check_ragged(ragged)
    limits = Limits(max_size, max_columns, max_cell)
    hints = Hints(
        *(separator, decimal, encoding, header, skip_lines, censored, progress, sheet),
        ragged,
        limits,
    )
    source = open_source(path, hints)
    if is_covariance(source):
        raise InvalidDataError(
            f"{source.label} holds a covariance, not rows: daglock learn takes it with "
            "--covariance, and in Python Moments.from_covariance."
        )
    notes: list[str] = []
    raw = read_raw(source, notes)
    return assemble(
        raw, notes, index_column=index_column, keep=columns, drop=drop, kinds=kinds, na=na
    )


def read_raw(source: Source, notes: list[str]) -> Raw:
    """Return the columns of a file as they stand in it."""
    reader = _reader(source)
    if source.hints.sheet is not None and reader is not read_excel:
        raise InvalidParameterError(
            f"--sheet is for Excel workbooks, and {source.label} is none: leave it out."
        )
    return reader(source, notes)


def _reader(source: Source) -> Reader:
    """Tell by the first bytes what kind of file this is; refuse what is no table."""
    for format in FORMATS:
        if source.head.startswith(format.begins):
            return format.read
    refuse_foreign(source)
    for format in FORMATS:
        if source.ending in format.endings:
            raise InvalidDataError(
                f"{source.label} ends in {source.ending}, but what it holds is not {format.name}."
            )
    return read_text
