"""What the command line of this room does: run, report, document."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from daglock.errors import InvalidParameterError
from daglock_evaluation.harness.sweep import Limits, make_runs, open_records, recorded
from daglock_evaluation.regimes import RECORDS, WORKER
from daglock_evaluation.regimes.cases import SUITES, AnyCase, SachsCase, cases
from daglock_evaluation.regimes.methods import METHODS, Method, methods


def run(options: Namespace) -> None:
    """Do what was asked for."""
    {"run": _run, "report": _report, "document": _document}[options.what](options)


def _run(options: Namespace) -> None:
    """Make the runs that are not recorded, then print the tables."""
    store, limits = open_records(RECORDS, options.records), Limits(run=options.time_limit, least=10)
    for suite in options.suites or SUITES:
        todo = (_cases(suite, options), _methods(suite, options), options.seeds)
        make_runs(store, WORKER, *todo, limits, _say, fresh=options.fresh)
    _report(options)


def _say(text: str) -> None:
    """Say what runs."""
    print(text, file=sys.stderr, flush=True)


def _cases(suite: str, options: Namespace) -> Sequence[AnyCase]:
    """Return the cases that were asked for."""
    only = {int(word) for word in options.only.split(",") if word}
    return [
        case for case in cases(suite) if not only or isinstance(case, SachsCase) or case.d in only
    ]


def _methods(suite: str, options: Namespace) -> list[Method]:
    """Return the methods that were asked for, as far as they are of the suite."""
    known = methods(suite)
    names = [word for word in options.methods.split(",") if word] or [*known]
    there = {method.name for method in METHODS}
    if strange := sorted({*names} - there):
        raise InvalidParameterError(
            f"There is no method {', '.join(strange)}; there are {', '.join(sorted(there))}."
        )
    return [known[name] for name in names if name in known]


def _report(options: Namespace) -> None:
    """Print the tables of what is recorded."""
    from daglock_evaluation.regimes.tables import tables

    found = recorded(options.records, RECORDS)
    for suite in options.suites or SUITES:
        for table in tables(suite, found):
            print(table.to_text(), *[table.note] * bool(table.note), sep="\n", end="\n\n")


def _document(options: Namespace) -> None:
    """Write the document."""
    from daglock_evaluation.regimes.document import write

    write(options.path, options.records)
