"""Try what daglock promises, and print how it ended (``python -m`` this package)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from daglock.wording import parse_size, size_text
from daglock_evaluation.harness.process import with_one_thread

MODULE = "daglock_evaluation.reliability"


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, try; return 1 where a promise was not kept."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="docs/reliability.md")
    parser.add_argument("--quick", action="store_true", help="try less of each")
    parser.add_argument("--seed", type=int, default=0, help="of moments and files (0)")
    parser.add_argument("--only", default="", help="promises whose words have this in them")
    parser.add_argument("--load", type=parse_size, metavar="SIZE", help="of a CSV to time (1G)")
    options = parser.parse_args(arguments)
    if options.write and options.only:
        parser.error("--write needs all promises: leave out --only")
    with_one_thread(MODULE)
    from daglock_evaluation.reliability import load
    from daglock_evaluation.reliability.document import text
    from daglock_evaluation.reliability.polluting import ROWS
    from daglock_evaluation.reliability.promise import SHOWN, keep
    from daglock_evaluation.reliability.promises import PROMISES
    from daglock_evaluation.reliability.salvage import in_words, salvage

    chosen = [promise for promise in PROMISES if options.only in promise.words]
    outcomes = []
    for outcome in keep(chosen, quick=options.quick, seed=options.seed):
        outcomes.append(outcome)
        print(f"{outcome.words}: {outcome.promise.words}.", flush=True)
        for failure in outcome.failures[:SHOWN]:
            print(f"    {failure}", flush=True)
    measured = ""
    if options.write is not None:
        others = salvage(3 if options.quick else ROWS)
        measured += f"## Files with one fault, beside other readers\n\n{in_words(others)}\n"
    if options.load is not None:
        took = load.in_words(load.compare(options.load, repeats=3))
        said = f"A CSV of {size_text(options.load)}, the best of three runs of each reader:"
        measured += f"## Load\n\n{said}\n\n{took}\n\n"
    print(measured, end="")
    if options.write is not None:
        options.write.write_text(text(outcomes, measured), encoding="utf-8")
    return int(not all(outcome.kept for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
