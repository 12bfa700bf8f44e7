"""What the command lines of comparisons by ``python -m`` share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from daglock.errors import DaglockError, InvalidParameterError

Known = TypeVar("Known")


class Parsers(NamedTuple):
    """The parser of a comparison, its commands, and the parsers of those that all have."""

    parser: argparse.ArgumentParser
    what: Any
    running: argparse.ArgumentParser
    printing: argparse.ArgumentParser
    writing: argparse.ArgumentParser


def make_parsers(module: str, about: str | None, document: str, time_limit: float) -> Parsers:
    """Return parsers with the options that all comparisons have.

    Parameters
    ----------
    module : that ``python -m`` runs.
    about : what it does.
    document : that its tables are in.
    time_limit : seconds of a run, by default.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=about)
    what = parser.add_subparsers(dest="what", required=True)
    running = what.add_parser("run", help="make the runs that are not recorded, print the tables")
    printing = what.add_parser("report", help="print the tables of what is recorded")
    writing = what.add_parser("document", help="write the tables into a document")
    for part in (running, printing, writing):
        part.add_argument("--records", type=Path, default=Path("benchmark/records"), help="folder")
    running.add_argument("--methods", default="", help="separated by commas (all)")
    running.add_argument("--seeds", type=int, default=10, help="tables of each case, at most (10)")
    limit = f"seconds of a run ({time_limit:g})"
    running.add_argument("--time-limit", type=float, default=time_limit, help=limit)
    running.add_argument("--fresh", action="store_true", help="make recorded runs anew, too")
    writing.add_argument("path", type=Path, help=document)
    return Parsers(parser, what, running, printing, writing)


def carry_out(command: Callable[[argparse.Namespace], object], options: argparse.Namespace) -> int:
    """Do what was asked for; return the exit code."""
    try:
        command(options)
    except (DaglockError, ImportError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def find(known: Mapping[str, Known], suite: str, name: str) -> Known:
    """Return a method of a suite by its name.

    Examples
    --------
    >>> find({"ges": 1}, "mixed", "pc")
    Traceback (most recent call last):
    daglock.errors.InvalidParameterError: There is no method 'pc' for mixed; there are ges.
    """
    if name not in known:
        there = ", ".join(known)
        raise InvalidParameterError(f"There is no method {name!r} for {suite}; there are {there}.")
    return known[name]
