"""Print the measurements that docs/theory.md quotes (``python -m`` this package)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

from daglock_evaluation.harness.process import THREADS, one_thread
from daglock_evaluation.harness.tables import Table

NAMES = (
    *("same-price", "criterion", "ablation", "noise", "preparations", "limits", "null"),
    "determined",
)


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, print the tables."""
    module = "daglock_evaluation.studies"
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=__doc__)
    parser.add_argument("what", choices=NAMES)
    parser.add_argument("--seeds", type=int, default=None, help="graphs for each setting")
    parser.add_argument("--sizes", default="", help="comma-separated numbers of variables")
    options = parser.parse_args(arguments)
    if any(os.environ.get(name) != "1" for name in THREADS):
        one_thread()
        os.execv(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]])
    from daglock.errors import DaglockError

    sizes = [int(size) for size in options.sizes.split(",") if size]
    try:
        for table in tables(options.what, options.seeds, sizes):
            print(table.to_text(), end="\n\n", flush=True)
    except (DaglockError, ImportError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def tables(what: str, seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Yield the tables of one measurement."""
    from daglock_evaluation.benchmark.suites import SCALED, sizes
    from daglock_evaluation.studies import determined, limits, noise, preparations, price, search

    if what == "same-price":
        for case in (
            *sizes(50, edges_per_node=4, **SCALED),
            *sizes(100, 200, 500, edges_per_node=2, **SCALED),
        ):
            if not wanted or case.d in wanted:
                default, restarts = (20, (20, 100)) if case.d == 50 else (5, (20,))
                yield search.same_criterion(case, seeds or default, restarts)
    elif what == "criterion":
        yield price.null_edges(seeds or 20, wanted or [20, 100, 500], [200, 1000, 5000])
        yield price.false_and_missed(seeds or 5, wanted or [20, 100, 500], [200, 1000, 5000])
        yield price.lowered(seeds or 5, wanted or [20, 50, 100], [50, 200, 1000])
    elif what == "noise":
        yield noise.choices(seeds or 6, wanted or [15, 30, 60], [50, 100, 200, 500])
    elif what == "determined":
        yield determined.totals(seeds or determined.TABLES)
        yield determined.alarms(seeds or determined.TABLES)
    elif what == "null":
        yield price.false_alarms(seeds or 1000, wanted or [10, 30], [50, 200, 1000])
    elif what == "limits":
        yield limits.overruns(wanted or [10, 50, 200, 500, 1000, 2000], [2, 4, 8])
    elif what == "preparations":
        yield preparations.orientations(seeds or 20, [100, 200, 1000])
        yield preparations.kept(min(seeds or 20, 10))
    else:
        for case in (
            *sizes(50, edges_per_node=4, **SCALED),
            *sizes(100, edges_per_node=2, **SCALED),
            *sizes(50, edges_per_node=4, weights=(0.5, 2.0)),
        ):
            yield search.starts_and_restarts(case, seeds or 10)


if __name__ == "__main__":
    sys.exit(main())
