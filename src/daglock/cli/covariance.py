"""A covariance on the command line, where others have rows."""

from __future__ import annotations

import zlib
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from daglock.cli.options import hints_of, whole_number
from daglock.cli.terminal import Terminal
from daglock.wording import plural

if TYPE_CHECKING:
    from daglock.moments import Moments

# What is read of a file to see whether it is a covariance.
_GLANCE = 1 << 16


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


def read_moments(options: Namespace) -> tuple[Moments, list[str]] | None:
    """Read a covariance, and what was assumed; None where the file is a table of rows."""
    if not options.covariance and not _is_covariance(options.data):
        if options.rows is not None:
            from daglock.errors import InvalidParameterError

            raise InvalidParameterError(
                "--rows is for a covariance, whose rows are not there: give --covariance too."
            )
        return None
    from daglock.moments import Moments
    from daglock.table.covariance import read_covariance
    from daglock.table.file import read_raw
    from daglock.table.source import open_source

    found = read_covariance(
        open_source(options.data, hints_of(options)),
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
    name = "standard input" if data == "-" else Path(data).name
    columns = plural(moments.d, "column")
    terminal.say(f"{name}: the covariance of {columns} from {plural(moments.n, 'row')}")
    for note in notes:
        terminal.say(note, mark="•")


def _is_covariance(data: str) -> bool:
    """Whether a file says so; what cannot be read is said where it is read."""
    if data == "-":
        return False
    if data.lower().removesuffix(".gz").endswith(".cov"):
        return True
    try:
        with Path(data).open("rb") as file:
            head = file.read(_GLANCE)
        if head.startswith(b"\x1f\x8b"):
            head = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _GLANCE)
    except (OSError, ValueError, zlib.error):
        return False
    from daglock.table.covariance import is_covariance
    from daglock.table.source import Source

    return is_covariance(Source(data, head))
