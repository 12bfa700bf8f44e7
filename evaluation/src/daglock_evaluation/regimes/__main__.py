"""Tables of several regimes: daglock beside other packages (``python -m`` this package)."""

from __future__ import annotations

import sys

from daglock_evaluation.harness.comparing import carry_out, make_parsers
from daglock_evaluation.harness.process import with_one_thread

MODULE = "daglock_evaluation.regimes"
SUITES = ("perfect", "papers", "batches", "hidden", "sachs", "sachs-853", "cost")


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, do it."""
    parser, _, running, printing, _ = make_parsers(
        MODULE, __doc__, "docs/benchmarks-regimes.md", time_limit=300.0
    )
    for part in (running, printing):
        part.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}")
    running.add_argument("--only", default="", help="numbers of variables, by commas (all)")
    options = parser.parse_args(arguments)
    with_one_thread(MODULE)
    from daglock_evaluation.regimes import commands

    return carry_out(commands.run, options)


if __name__ == "__main__":
    sys.exit(main())
