"""Print the measurements that docs/theory.md quotes (``python -m`` this package)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

from daglock_evaluation.bench.process import THREADS


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m daglock_evaluation.bench.studies", description=__doc__
    )
    parser.add_argument(
        "what",
        choices=[
            "same-price",
            "criterion",
            "ablation",
            "noise",
            "preparations",
            "limits",
            "null",
            "determined",
        ],
    )
    parser.add_argument("--seeds", type=int, default=None, help="graphs for each setting")
    parser.add_argument("--sizes", default="", help="comma-separated numbers of variables")
    options = parser.parse_args(arguments)
    if any(os.environ.get(name) != "1" for name in THREADS):
        os.environ.update(dict.fromkeys(THREADS, "1"))
        os.execv(
            sys.executable,
            [sys.executable, "-m", "daglock_evaluation.bench.studies", *sys.argv[1:]],
        )
    from daglock.errors import DaglockError

    try:
        for table in tables(options.what, options.seeds, options.sizes):
            print(table, end="\n\n", flush=True)
    except (DaglockError, ImportError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def tables(what: str, seeds: int | None, only: str) -> Iterator[object]:
    """Yield the tables of one measurement."""
    from daglock_evaluation.bench.studies import (
        ablation,
        criterion,
        determined,
        limits,
        noise,
        null,
        preparations,
        same_price,
    )
    from daglock_evaluation.bench.suites.suite import sizes

    scaled = {"variances": (0.5, 2.0), "standardised": True}
    wanted = [int(size) for size in only.split(",") if size]
    if what == "same-price":
        cases = [
            *sizes(50, edges_per_node=4, **scaled),
            *sizes(100, 200, 500, edges_per_node=2, **scaled),
        ]
        for case in cases:
            if not wanted or case.d in wanted:
                default = 20 if case.d == 50 else 5
                counts = (20, 100) if case.d == 50 else (20,)
                yield same_price.same_criterion(case, seeds or default, counts)
    elif what == "criterion":
        yield criterion.null_edges(seeds or 20, wanted or [20, 100, 500], [200, 1000, 5000])
        yield criterion.false_and_missed(seeds or 5, wanted or [20, 100, 500], [200, 1000, 5000])
        yield criterion.lowered(seeds or 5, wanted or [20, 50, 100], [50, 200, 1000])
    elif what == "noise":
        yield noise.choices(seeds or 6, wanted or [15, 30, 60], [50, 100, 200, 500])
    elif what == "determined":
        yield determined.totals(seeds or determined.TABLES)
        yield determined.alarms(seeds or determined.TABLES)
    elif what == "null":
        yield null.false_alarms(seeds or 1000, wanted or [10, 30], [50, 200, 1000])
    elif what == "limits":
        yield limits.overruns(wanted or [10, 50, 200, 500, 1000, 2000], [2, 4, 8])
    elif what == "preparations":
        yield preparations.orientations(seeds or 20, [100, 200, 1000])
        yield preparations.kept(min(seeds or 20, 10))
    else:
        for case in (
            *sizes(50, edges_per_node=4, **scaled),
            *sizes(100, edges_per_node=2, **scaled),
            *sizes(50, edges_per_node=4, weights=(0.5, 2.0)),
        ):
            yield ablation.starts_and_restarts(case, seeds or 10)


if __name__ == "__main__":
    sys.exit(main())
