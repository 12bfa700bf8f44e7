"""What commands share: how a file is to be read, what was read of it, and checks of numbers."""

from __future__ import annotations

import csv
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from daglock.cli.regimes import with_regime
from daglock.cli.results import name_of
from daglock.cli.terminal import Terminal
from daglock.wording import parse_size, plural

if TYPE_CHECKING:
    from daglock.table import Table
    from daglock.table.source import Hints, Source

T = TypeVar("T")
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


def checked(
    convert: Callable[[str], T], holds: Callable[[T], bool], wanted: str
) -> Callable[[str], T]:
    """Return a type of an option: what the text converts to, where that is as wanted."""

    def check(text: str) -> T:
        try:
            value = convert(text)
            if holds(value):
                return value
        except ValueError:
            pass
        raise ArgumentTypeError(f"must be {wanted}; got {text!r}")

    return check


def whole_number(at_least: int) -> Callable[[str], int]:
    """Return a check of a whole number."""
    return checked(int, lambda value: value >= at_least, f"a whole number >= {at_least}")


def number(at_least: float = 0.0) -> Callable[[str], float]:
    """Return a check of a number."""
    return checked(float, lambda x: at_least <= x < float("inf"), f"a number >= {at_least:g}")


def _two_numbers(text: str) -> tuple[float, float]:
    """Return two numbers with a comma between them."""
    low, high = map(float, text.split(","))
    return low, high


# A number of processors: 1, 2, ..., or -1 for all, -2 for all but one.
jobs = checked(int, bool, "a whole number other than 0")
# Two positive numbers, the first not above the second.
interval = checked(
    _two_numbers,
    lambda ends: 0.0 < ends[0] <= ends[1] < float("inf"),
    "two positive numbers like 0.5,1",
)


def add_data(parser: ArgumentParser) -> None:
    """Add the file and how it is to be read."""
    parser.add_argument(
        "data",
        metavar="DATA",
        help="CSV, TSV, Excel, Parquet, Arrow, Stata, SPSS or SAS, also gzipped; - is standard "
        "input. A folder or a pattern ('events/*.parquet') of CSV or Parquet files, which need not "
        "fit into memory",
    )
    group = parser.add_argument_group("columns")
    group.add_argument(
        "--columns",
        metavar="A,B|FILE",
        type=names,
        action="extend",
        help="use these columns only; or what columns are: a YAML file such as check --write makes",
    )
    group.add_argument(
        "--drop", metavar="A,B", type=names, action="extend", default=[], help="leave these out"
    )
    group.add_argument(
        "--na",
        metavar="A,B",
        type=names,
        action="extend",
        default=[],
        help="further words or numbers that mean missing: --na=-999, or in a column --na age=-1",
    )
    group.add_argument("--sheet", metavar="NAME", help="of an Excel workbook (the first)")
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
        "--censored",
        choices=("missing", "bound"),
        help="cells like <0.5: take them as missing, or take the number (an error without this)",
    )
    group.add_argument(
        "--ragged",
        choices=("fill", "drop"),
        help="lines with too few or too many cells: fill up the short ones with missing values and "
        "leave out the long ones, or leave out all (an error without this)",
    )
    group.add_argument(
        "--index",
        metavar="NAME",
        help="a column that labels the rows and is left out; '' (empty) if there is none",
    )
    add_limits(parser)


def add_limits(parser: ArgumentParser) -> None:
    """Add what a file may have at most."""
    group = parser.add_argument_group("limits, so that a mistake does not take all memory")
    group.add_argument(
        "--max-size",
        metavar="SIZE",
        type=checked(parse_size, bool, "a size such as 500M or 8G"),
        help="read files up to this size, unpacked, such as 8G (4 GiB, and no more than 100 times "
        "what is packed)",
    )
    group.add_argument(
        "--max-columns",
        metavar="N",
        type=whole_number(1),
        default=100_000,
        help="of a text file (100000)",
    )
    group.add_argument(
        "--max-cell",
        metavar="N",
        type=whole_number(1),
        default=131_072,
        help="characters in a cell (131072)",
    )


def read_data(options: Namespace, data: str | Source, *, progress: bool | None) -> Table:
    """Read a file, which may be open; ``progress`` as in `daglock._progress.Bar`."""
    from daglock._progress import Bar
    from daglock.table import read_file

    wanted, kinds = with_regime(options, *columns_of(options.columns))
    if (groups := getattr(options, "groups", None)) is not None:  # read, and no variable
        wanted = None if wanted is None else [*wanted, groups]
        kinds = {**(kinds or {}), groups: "ignore"}
    with Bar(progress) as bar:

        def show(done: int, total: int) -> None:
            if total >= _LONG:
                bar.step("reading, MB", done >> 20, total >> 20)

        return read_file(
            data,
            separator=options.separator,
            decimal=options.decimal,
            encoding=options.encoding,
            header=options.header,
            skip_lines=options.skip_lines,
            index_column=False if options.index == "" else options.index,
            columns=wanted,
            drop=options.drop,
            kinds=kinds,
            na=options.na,
            censored=options.censored,
            sheet=options.sheet,
            ragged=options.ragged,
            max_size=options.max_size,
            max_columns=options.max_columns,
            max_cell=options.max_cell,
            progress=show,
        )


def hints_of(options: Namespace) -> Hints:
    """Return what a user says of how a file is written, where it is read column by column."""
    from daglock.table.limits import Limits
    from daglock.table.source import Hints

    return Hints(
        options.separator,
        options.decimal,
        options.encoding,
        options.header,
        options.skip_lines,
        sheet=options.sheet,
        limits=Limits(options.max_size, options.max_columns, options.max_cell),
    )


def columns_of(given: list[str] | None) -> tuple[list[str] | None, dict[str, Any] | None]:
    """Tell names of columns to use from files that say what columns are."""
    from daglock.table.given import ENDINGS, read_kinds

    wanted: list[str] = []
    kinds: dict[str, Any] = {}
    for name in given or ():
        if Path(name).suffix.lower() in ENDINGS:
            kinds |= read_kinds(name)
        else:
            wanted.append(name)
    return wanted or None, kinds or None


def show_table(terminal: Terminal, data: str, table: Table, n_rows: int | None = None) -> None:
    """Say what was read, what was assumed, and what the columns are.

    Of data that are read in parts the table has some of the rows; there are ``n_rows``.
    """
    from daglock.table.kinds import Kind
    from daglock.table.telling import about_kinds, about_left_out

    name = name_of(data) if n_rows is None else data
    n, d = table.data.shape
    n = n if n_rows is None else n_rows
    terminal.say(f"{name}: {plural(n, 'row')}, {plural(d, 'column')}")
    for note in table.notes:
        terminal.say(note, mark="•")
    if left_out := about_left_out(table):
        can_be_used = any(gone.kind.kind is Kind.IDENTIFIER for gone in table.aside.values())
        way = " If one is a variable, say so in a file for --columns (check --write makes it)."
        terminal.say(left_out + (way if can_be_used else ""), mark="•")
    for line in about_kinds(table):
        terminal.say(line, mark="•")
