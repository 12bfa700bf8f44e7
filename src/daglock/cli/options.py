"""Options that commands share: how a file is to be read, and checks of numbers."""

from __future__ import annotations

import csv
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daglock.table import Table

# Bytes from which on reading takes long enough to show how far it is.
_LONG = 32 << 20


def names(text: str) -> list[str]:
    """Return names that are separated by commas; one that has a comma itself is quoted.

    Examples
    --------
    >>> names('age,"income, yearly"')
    ['age', 'income, yearly']
    """
    return next(csv.reader([text], skipinitialspace=True), [])


def whole_number(at_least: int) -> Callable[[str], int]:
    """Return a check of a whole number."""

    def check(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = at_least - 1
        if number < at_least:
            raise ArgumentTypeError(f"must be a whole number >= {at_least}; got {text!r}")
        return number

    return check


def jobs(text: str) -> int:
    """Return a number of processors: 1, 2, ..., or -1 for all, -2 for all but one."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not number:
        raise ArgumentTypeError(f"must be a whole number other than 0; got {text!r}")
    return number


def number(at_least: float = 0.0) -> Callable[[str], float]:
    """Return a check of a number."""

    def check(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not at_least <= value < float("inf"):
            raise ArgumentTypeError(f"must be a number >= {at_least:g}; got {text!r}")
        return value

    return check


def interval(text: str) -> tuple[float, float]:
    """Return two positive numbers, the first not above the second, like ``0.5,1``."""
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low, high = 0.0, 0.0
    if not 0.0 < low <= high < float("inf"):
        raise ArgumentTypeError(f"must be two positive numbers like 0.5,1; got {text!r}")
    return low, high


def add_data(parser: ArgumentParser) -> None:
    """Add the file and how it is to be read."""
    parser.add_argument(
        "data", metavar="DATA", help="CSV, TSV, Parquet or Arrow, also gzipped; - is standard input"
    )
    group = parser.add_argument_group("columns")
    group.add_argument(
        "--columns", metavar="A,B", type=names, action="extend", help="use these columns only"
    )
    group.add_argument(
        "--drop", metavar="A,B", type=names, action="extend", default=[], help="leave these out"
    )
    group = parser.add_argument_group("reading text files (found out when not given)")
    group.add_argument(
        "--separator", metavar="S", help="a character, or comma, semicolon, tab, pipe, space"
    )
    group.add_argument("--decimal", metavar="MARK", help="the decimal mark: . or ,")
    group.add_argument("--encoding", metavar="NAME", help="utf-8, latin-1, utf-16, ...")
    group.add_argument(
        "--header",
        action=BooleanOptionalAction,
        help="the first row names the columns, or does not",
    )
    group.add_argument(
        "--skip-lines",
        metavar="N",
        type=whole_number(0),
        default=0,
        help="pass over the first N lines",
    )
    group.add_argument(
        "--index",
        metavar="NAME",
        help="a column that labels the rows and is left out; '' (empty) if there is none",
    )


def read_data(options: Namespace, *, progress: bool | None) -> Table:
    """Read the file that a user named; ``progress`` as in `daglock._progress.Bar`."""
    from daglock._progress import Bar
    from daglock.table import read_file

    with Bar(progress) as bar:

        def show(done: int, total: int) -> None:
            if total >= _LONG:
                bar.step("reading, MB", done >> 20, total >> 20)

        return read_file(
            options.data,
            separator=options.separator,
            decimal=options.decimal,
            encoding=options.encoding,
            header=options.header,
            skip_lines=options.skip_lines,
            index_column=False if options.index == "" else options.index,
            columns=options.columns,
            drop=options.drop,
            progress=show,
        )
