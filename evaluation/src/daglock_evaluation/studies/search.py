"""What a graph scores, apart from the search that found it, and how limits of time are kept."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from time import perf_counter

from daglock.engine import learn
from daglock.moments import Moments
from daglock_evaluation.benchmark.suites import SCALED
from daglock_evaluation.harness.case import Case
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import progress

LIMITS = (0.05, 0.2, 1.0, 2.0)
NOISES = ("equal", "unequal", "auto")


def overruns(seeds: int | None, wanted: list[int]) -> Iterator[Table]:
    """Learn with a time limit; the worst overrun of all limits and noise models.

    ``kept`` means: within 10 % of the limit or 0.2 s, whichever is more.
    """

    def moments_of(d: int, degree: int) -> Moments:
        return Moments.from_data(Case(d, degree / 2, **SCALED).draw(0).X)

    rows = [["d", "degree", "kept", "cut short", "largest overrun, s", "fewest edges"]]
    for d, noise in product((10, 30), NOISES):  # compile what is used
        learn(moments_of(d, 2), noise=noise, time_limit=60.0, rng=0)
    tables = list(product(wanted or [10, 50, 200, 500, 1000, 2000], (2, 4, 8)))
    for d, degree in progress(tables, "time limits"):
        moments = moments_of(d, degree)
        over, cut, edges = [], 0, []
        for noise, limit in product(NOISES, LIMITS):
            began = perf_counter()
            learned = learn(moments, noise=noise, time_limit=limit, rng=0)
            over.append((perf_counter() - began - limit, limit))
            cut += not learned.status.is_success
            edges.append(learned.dag.n_edges)
        kept = sum(seconds <= max(0.2, 0.1 * limit) for seconds, limit in over)
        worst = max(0.0, *(seconds for seconds, _ in over))
        shares = (f"{kept} of {len(over)}", f"{cut} of {len(over)}")
        rows.append([f"{d}", f"{degree}", *shares, f"{worst:.2f}", f"{min(edges)}"])
    limits = ", ".join(map(str, LIMITS))
    yield Table(f"Time limits of {limits} s; noise models {', '.join(NOISES)}", rows)
