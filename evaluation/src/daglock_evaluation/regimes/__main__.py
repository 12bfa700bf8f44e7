"""Tables of several regimes: daglock beside other packages (``python -m`` this package)."""

from __future__ import annotations

import sys
from argparse import Namespace

from daglock_evaluation.harness.comparing import Comparison, carry_out, words
from daglock_evaluation.harness.process import with_one_thread
from daglock_evaluation.harness.sweep import Limits
from daglock_evaluation.regimes import RECORDS, WORKER
from daglock_evaluation.regimes.cases import SUITES, AnyCase, SachsCase, cases
from daglock_evaluation.regimes.document import text
from daglock_evaluation.regimes.methods import METHODS
from daglock_evaluation.regimes.tables import tables


def is_wanted(case: AnyCase, options: Namespace) -> bool:
    """Whether a case has one of the numbers of variables that were asked for."""
    only = words(options.only)
    return not only or isinstance(case, SachsCase) or str(case.d) in only


COMPARISON = Comparison(
    module="daglock_evaluation.regimes",
    about=__doc__,
    document="docs/benchmarks-regimes.md",
    worker=WORKER,
    limits=Limits(run=300.0, least=10),
    suites=tuple(SUITES),
    methods=METHODS,
    cases=cases,
    is_wanted=is_wanted,
    file=lambda suite: RECORDS,
    tables=tables,
    text=text,
)


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, do it."""
    parser, _, running, printing = COMPARISON.parsers()
    for part in (running, printing):
        part.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}")
    running.add_argument("--only", default="", help="numbers of variables, by commas (all)")
    options = parser.parse_args(arguments)
    with_one_thread(COMPARISON.module)
    return carry_out(options.command, options)


if __name__ == "__main__":
    sys.exit(main())
