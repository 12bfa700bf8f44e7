"""Try what daglock promises, and print how it ended (``python -m`` this package)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from daglock_evaluation.harness.process import with_one_thread

MODULE = "daglock_evaluation.reliability"


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, try; return 1 where a promise was not kept."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="docs/reliability.md")
    parser.add_argument("--quick", action="store_true", help="try less of each")
    parser.add_argument("--seed", type=int, default=0, help="of moments and files (0)")
    parser.add_argument("--only", default="", help="promises whose words have this in them")
    options = parser.parse_args(arguments)
    if options.write and options.only:
        parser.error("--write needs all promises: leave out --only")
    with_one_thread(MODULE)
    from daglock_evaluation.reliability.document import text
    from daglock_evaluation.reliability.promise import SHOWN, keep
    from daglock_evaluation.reliability.promises import PROMISES

    chosen = [promise for promise in PROMISES if options.only in promise.words]
    outcomes = []
    for outcome in keep(chosen, quick=options.quick, seed=options.seed):
        outcomes.append(outcome)
        print(f"{outcome.words}: {outcome.promise.words}.", flush=True)
        for failure in outcome.failures[:SHOWN]:
            print(f"    {failure}", flush=True)
    if options.write is not None:
        options.write.write_text(text(outcomes), encoding="utf-8")
    return int(not all(outcome.kept for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
