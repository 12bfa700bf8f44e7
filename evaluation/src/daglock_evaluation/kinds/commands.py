"""What the command line of this room does: run, report, document, scores."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from daglock_evaluation.harness.sweep import Limits, make_runs, open_records, recorded
from daglock_evaluation.kinds import WORKER
from daglock_evaluation.kinds.cases import AnyCase, DiscreteCase, MixedCase, cases
from daglock_evaluation.kinds.methods import Method, find, methods


def run(options: Namespace) -> None:
    """Do what was asked for."""
    {"run": _run, "report": _report, "document": _document, "scores": _scores}[options.what](
        options
    )


def _run(options: Namespace) -> None:
    """Make the runs that are not recorded, then print the tables."""
    store = open_records(options.suite, options.records)
    limits = Limits(run=options.time_limit)
    todo = (_cases(options), _methods(options), options.seeds)
    make_runs(store, WORKER, *todo, limits, _say, fresh=options.fresh)
    _report(options)


def _say(text: str) -> None:
    """Say what runs."""
    print(text, file=sys.stderr, flush=True)


def _cases(options: Namespace) -> Sequence[AnyCase]:
    """Return the cases that were asked for."""
    only = {word for word in options.only.split(",") if word}
    rows = {int(word) for word in options.rows.split(",") if word}

    def name(case: AnyCase) -> str:
        return case.network if isinstance(case, DiscreteCase) else str(case.d)

    found = cases(options.suite)
    return [c for c in found if (not only or name(c) in only) and (not rows or c.n in rows)]


def _methods(options: Namespace) -> list[Method]:
    """Return the methods that were asked for."""
    names = [word for word in options.methods.split(",") if word] or [*methods(options.suite)]
    return [find(options.suite, name) for name in names]


def _report(options: Namespace) -> None:
    """Print the tables of what is recorded."""
    from daglock_evaluation.kinds.tables import tables

    for table in tables(options.suite, recorded(options.records, options.suite)):
        print(table.to_text(), *[table.note] * bool(table.note), sep="\n", end="\n\n", flush=True)


def _document(options: Namespace) -> None:
    """Write the document."""
    from daglock_evaluation.kinds.document import write

    write(options.path, options.records)


def _scores(options: Namespace) -> None:
    """Print by how much Tetrad's scores of a pair depend on its direction."""
    from daglock_evaluation.kinds import tetrad
    from daglock_evaluation.methods.tetrad import VERSION, start

    start(options.tetrad or VERSION)
    frame = MixedCase("thresholded", 6, 3.0, 0.5, 1000).draw(0).frame
    for score, found in (
        ("DG", tetrad.equivalence(frame, "dg", penaltyDiscount=1.0)),
        ("CG", tetrad.equivalence(frame, "cg", penaltyDiscount=1.0)),
        (
            "CG, no discretizing",
            tetrad.equivalence(frame, "cg", penaltyDiscount=1.0, discretize=False),
        ),
    ):
        print(f"{score}: the scores of i -> j and j -> i differ by up to {found:.3g}")
