"""Tables of several regimes: daglock beside other packages (``python -m`` this package)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from daglock.errors import DaglockError
from daglock_evaluation.harness.process import with_one_thread

MODULE = "daglock_evaluation.regimes"
SUITES = ("perfect", "papers", "batches", "hidden", "sachs", "sachs-853", "cost")


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, do it."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    what = parser.add_subparsers(dest="what", required=True)
    running = what.add_parser("run", help="make the runs that are not recorded, print the tables")
    printing = what.add_parser("report", help="print the tables of what is recorded")
    writing = what.add_parser("document", help="write the tables into a document")
    for part in (running, printing):
        part.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}")
    for part in (running, printing, writing):
        part.add_argument("--records", type=Path, default=Path("benchmark/records"), help="folder")
    running.add_argument("--methods", default="", help="separated by commas (all)")
    running.add_argument("--only", default="", help="numbers of variables, by commas (all)")
    running.add_argument("--seeds", type=int, default=10, help="tables of each case, at most (10)")
    running.add_argument("--time-limit", type=float, default=300.0, help="seconds of a run (300)")
    running.add_argument("--fresh", action="store_true", help="make recorded runs anew, too")
    writing.add_argument("path", type=Path, help="docs/benchmarks-regimes.md")
    options = parser.parse_args(arguments)
    with_one_thread(MODULE)
    from daglock_evaluation.regimes import commands

    try:
        commands.run(options)
    except (DaglockError, ImportError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
