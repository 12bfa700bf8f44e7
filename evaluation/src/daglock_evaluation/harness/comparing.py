"""Comparisons by ``python -m``: methods on the cases of suites, run, reported, and documented."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from daglock.errors import DaglockError, InvalidParameterError
from daglock_evaluation.harness.store import Line
from daglock_evaluation.harness.sweep import (
    RECORDS,
    Case,
    Limits,
    Method,
    make_runs,
    of_suite,
    open_records,
    recorded,
)
from daglock_evaluation.harness.tables import Table

AnyCase = TypeVar("AnyCase", bound=Case)


@dataclass(frozen=True)
class Comparison(Generic[AnyCase]):
    """What is compared, and what is shown of it.

    Attributes
    ----------
    module, about : that ``python -m`` runs, and what it does.
    document : that the tables are in.
    worker : module that runs a method on a case.
    limits : of a run, by default.
    suites : their names.
    methods : of all suites.
    cases : of a suite.
    is_wanted : whether the options of a run ask for a case.
    file : of the records of a suite, without its ending.
    tables, text : of a suite from its records; the document from their folder.
    """

    module: str
    about: str | None
    document: str
    worker: str
    limits: Limits
    suites: Sequence[str]
    methods: Sequence[Method]
    cases: Callable[[str], Sequence[AnyCase]]
    is_wanted: Callable[[AnyCase, Namespace], bool]
    file: Callable[[str], str]
    tables: Callable[[str, Sequence[Line]], Sequence[Table]]
    text: Callable[[Path], str]

    def parsers(self) -> tuple[ArgumentParser, Any, ArgumentParser, ArgumentParser]:
        """Return the parser, that of its commands, and those of "run" and "report"."""
        parser = ArgumentParser(prog=f"python -m {self.module}", description=self.about)
        what = parser.add_subparsers(dest="what", required=True)
        run = what.add_parser("run", help="make the runs that are not recorded, print the tables")
        report = what.add_parser("report", help="print the tables of what is recorded")
        document = what.add_parser("document", help="write the tables into a document")
        commands = (self.run, self.report, self.write)
        for part, command in zip((run, report, document), commands, strict=True):
            part.add_argument("--records", type=Path, default=RECORDS, help="folder")
            part.set_defaults(command=command)
        run.add_argument("--methods", default="", help="separated by commas (all)")
        run.add_argument("--seeds", type=int, default=10, help="tables of each case, at most (10)")
        seconds = self.limits.run
        limit = f"seconds of a run ({seconds:g})"
        run.add_argument("--time-limit", type=float, default=seconds, help=limit)
        run.add_argument("--fresh", action="store_true", help="make recorded runs anew, too")
        document.add_argument("path", type=Path, help=self.document)
        return parser, what, run, report

    def run(self, options: Namespace) -> None:
        """Make the runs that are not recorded, then print the tables."""
        names = words(options.methods)
        by_suite = {suite: of_suite(self.methods, suite) for suite in options.suites or self.suites}
        known = {name for mine in by_suite.values() for name in mine}
        if strange := sorted({*names} - known):
            there = ", ".join(sorted(known))
            raise InvalidParameterError(
                f"There is no method {', '.join(strange)}; there are {there}."
            )
        for suite, mine in by_suite.items():
            make_runs(
                open_records(self.file(suite), options.records),
                self.worker,
                [case for case in self.cases(suite) if self.is_wanted(case, options)],
                [mine[name] for name in names or mine if name in mine],
                options.seeds,
                Limits(options.time_limit, self.limits.least),
                lambda text: print(text, file=sys.stderr, flush=True),
                fresh=options.fresh,
            )
        self.report(options)

    def report(self, options: Namespace) -> None:
        """Print the tables of what is recorded."""
        for suite in options.suites or self.suites:
            for table in self.tables(suite, recorded(options.records, self.file(suite))):
                shown = [table.to_text(), *[table.note] * bool(table.note)]
                print(*shown, sep="\n", end="\n\n", flush=True)

    def write(self, options: Namespace) -> None:
        """Write the document."""
        options.path.write_text(self.text(options.records), encoding="utf-8")


def words(text: str) -> list[str]:
    """Return what stands between commas.

    Examples
    --------
    >>> words("ges,pc"), words("")
    (['ges', 'pc'], [])
    """
    return [word for word in text.split(",") if word]


def carry_out(
    command: Callable[[Namespace], object],
    options: Namespace,
    also: tuple[type[Exception], ...] = (),
) -> int:
    """Do what was asked for; return the exit code.

    Errors of daglock, that a package is missing, and those that are named `also` are said in their
    own words.
    """
    told: tuple[type[Exception], ...] = (DaglockError, ImportError, *also)
    try:
        command(options)
    except told as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
