"""A covariance on the command line, where others have rows."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from daglock.cli.options import whole_number
from daglock.cli.results import name_of
from daglock.cli.terminal import Terminal
from daglock.wording import plural

if TYPE_CHECKING:
    from daglock.moments import Moments
    from daglock.table.source import Source


def add_covariance(parser: ArgumentParser) -> None:
    """Add the options for files without rows."""
    group = parser.add_argument_group("a covariance instead of rows (files of Tetrad are found)")
    group.add_argument(
        "--covariance",
        action="store_true",
        help="DATA is a square matrix with the names of the columns above it",
    )
    group.add_argument(
        "--rows", metavar="N", type=whole_number(2), help="how many rows are behind it"
    )


def read_moments(options: Namespace, source: Source | None) -> tuple[Moments, list[str]] | None:
    """Read a covariance, and what was assumed; None where the data are rows.

    Parameters
    ----------
    options : of the command line.
    source : the file; None where data are read in parts.
    """
    from daglock.table.covariance import is_covariance, read_covariance

    if source is None or not (options.covariance or is_covariance(source)):
        if options.rows is not None:
            from daglock.errors import InvalidParameterError

            raise InvalidParameterError(
                "--rows is for a covariance, whose rows are not there: give --covariance too."
            )
        return None
    from daglock.moments import Moments
    from daglock.table.file import read_raw

    found = read_covariance(
        source,
        read_raw,
        rows=options.rows,
        keep=options.columns,
        drop=options.drop,
    )
    notes = list(found.notes)
    if options.bootstrap:
        notes.append(
            "There are no rows: replicates are drawn from the Gaussian distribution with this "
            "covariance."
        )
    return Moments.from_covariance(found.matrix, found.n, names=found.names), notes


def show_moments(terminal: Terminal, data: str, moments: Moments, notes: list[str]) -> None:
    """Say what was read, and what was assumed."""
    columns = plural(moments.d, "column")
    terminal.say(f"{name_of(data)}: the covariance of {columns} from {plural(moments.n, 'row')}")
    for note in notes:
        terminal.say(note, mark="•")
