"""The time limit: by how much it is overrun, and what is there by then."""

from __future__ import annotations

from itertools import product
from time import perf_counter

from daglock.engine import learn
from daglock.moments import Moments
from daglock_evaluation.bench.cases import Case
from daglock_evaluation.bench.studies.table import Table, progress

LIMITS = (0.05, 0.2, 1.0, 2.0)
NOISES = ("equal", "unequal", "auto")


def overruns(sizes: list[int], degrees: list[int]) -> Table:
    """Learn with a time limit; the worst overrun of all limits and noise models.

    ``kept`` means: within 10 % of the limit or 0.2 s, whichever is more.
    """
    table = Table(
        f"Time limits of {', '.join(map(str, LIMITS))} s; noise models {', '.join(NOISES)}",
        ["d", "degree", "kept", "cut short", "largest overrun, s", "fewest edges"],
    )
    for d in (10, 30):  # compile what is used
        for noise in NOISES:
            learn(moments_of(d, 2), noise=noise, time_limit=60.0, rng=0)
    for d, degree in progress(list(product(sizes, degrees)), "time limits"):
        moments = moments_of(d, degree)
        over, cut, edges = [], 0, []
        for noise, limit in product(NOISES, LIMITS):
            began = perf_counter()
            learned = learn(moments, noise=noise, time_limit=limit, rng=0)
            over.append((perf_counter() - began - limit, limit))
            cut += not learned.status.is_success
            edges.append(learned.dag.n_edges)
        kept = sum(seconds <= max(0.2, 0.1 * limit) for seconds, limit in over)
        worst = max(seconds for seconds, _ in over)
        cells = (kept, f"{cut} of {len(over)}", f"{max(worst, 0.0):.2f}", min(edges))
        table.add(f"{d}", f"{degree}", f"{cells[0]} of {len(over)}", *map(str, cells[1:]))
    return table


def moments_of(d: int, degree: int) -> Moments:
    """Return the moments of a table with noise variances from 0.5 to 2."""
    case = Case(d, degree / 2, variances=(0.5, 2.0), standardised=True)
    return Moments.from_data(case.draw(0).X)
