"""Runs of a method on a case in a process of their own: warm-up, data, the method, its judgement.

JOB is JSON. Lines of JSON go to the file descriptor that it names, for each seed one when the run
begins and one with the result; what a package prints goes nowhere.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import resource
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import mean, median
from time import sleep
from typing import TYPE_CHECKING, Any

from daglock_evaluation.harness.process import KILOBYTE, memory, reporting, timed
from daglock_evaluation.harness.store import versions

if TYPE_CHECKING:
    from daglock_evaluation.harness.case import AnyCase, Draw
    from daglock_evaluation.methods import Method

# A short run is repeated until so many seconds have gone by, and the median counts; seconds of
# the processor are a mean, because its clock may tick in steps of milliseconds.
ENOUGH, REPEATS = 0.3, 50
# Decimals of a table that its fingerprint has: rounding hardly ever crosses one of so few.
DECIMALS = 1
# Seed and size of the table that warms a method up; it has at most so many columns, and rows.
WARM_SEED, WARM_COLUMNS, WARM_ROWS = 999, 20, (30, 200)


def main(job: dict[str, Any]) -> int:
    """Warm up, then for each seed: draw the data, run, judge."""
    resource.setrlimit(resource.RLIMIT_CPU, (job["cpu_seconds"], job["cpu_seconds"]))
    threading.Thread(target=_end_with, args=(job["parent"],), daemon=True).start()
    say = reporting(job)
    for figures in run(job, partial(say, event="begin")):
        say(event="result", **figures)
    return 0


def run(job: dict[str, Any], begin: Callable[[], None]) -> Iterator[dict[str, Any]]:
    """Give the figures of each run."""
    from daglock_evaluation.harness.case import from_settings, permuted
    from daglock_evaluation.methods import find

    method = find(job["peer"])
    case = from_settings(job["case"])
    options = {**method.options, **job["options"]}
    warm, given = _warm_table(case.n, case.d), {**options, **method.warm_up}
    warming = round(timed(partial(method.run, warm, job["seeds"][0], **given))[1], 3)
    made_with = versions(*filter(None, [method.package]))
    for seed in job["seeds"]:
        draw = permuted(case.draw(seed), seed)
        figures = _one(method, case, draw, seed, options, begin)
        yield {**figures, "warm_up_seconds": warming, "made_with": made_with}


def _one(
    method: Method,
    case: AnyCase,
    draw: Draw,
    seed: int,
    options: Mapping[str, Any],
    begin: Callable[[], None],
) -> dict[str, Any]:
    """Return the figures of one run."""
    from daglock_evaluation.harness.judge import judge
    from daglock_evaluation.harness.measures import further, sortability

    given = draw.X.copy()  # a method may change its table
    gc.collect()
    before = _reset_peak()
    begin()
    seconds: list[float] = []
    cpu_seconds: list[float] = []
    answer, peak = None, 0.0
    while answer is None or (sum(seconds) < ENOUGH and len(seconds) < REPEATS):
        found, clock, processor = timed(partial(method.run, given, seed, **options))
        seconds.append(clock)
        cpu_seconds.append(processor)
        if answer is None:
            answer, peak = found, memory("VmHWM") or _peak_so_far()
        given = draw.X.copy()
    return {
        **judge(answer, draw.truth, method.returns, case.target),
        **further(answer, draw, method.returns),
        **(sortability(draw) if method.name == "empty" else {}),
        "seconds": round(median(seconds), 6),
        "cpu_seconds": round(mean(cpu_seconds), 6),
        "repeats": len(seconds),
        "peak_mb": round(peak, 1),
        "extra_mb": round(max(0.0, peak - before), 1),
        "data": fingerprint(draw.X),
    }


def fingerprint(X: Any) -> str:
    """Tell tables apart, but for rounding: packages have other versions of BLAS with them."""
    rounded = X.round(DECIMALS) + 0.0  # no negative zero
    return hashlib.blake2b(rounded.tobytes(), digest_size=8).hexdigest()


def _end_with(parent: int) -> None:
    """End this process when the one that started it is gone: nobody waits for the result."""
    while os.getppid() == parent:
        sleep(1.0)
    os._exit(1)


def _peak_so_far() -> float:
    """Return the most megabytes that this process had, where /proc does not tell."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / KILOBYTE**2 if sys.platform == "darwin" else most / KILOBYTE


def _reset_peak() -> float:
    """Begin to count the peak anew, where the system can, and return the memory in use."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS") or _peak_so_far()


def _warm_table(n: int, d: int) -> Any:
    """Return a small table with a graph behind it, and noise on which every noise model is tried.

    It has few columns, or few rows for each of them, where the run has: a method may do something
    else then.
    """
    import numpy as np

    from daglock.simulate import erdos_renyi, linear_sem

    columns = min(WARM_COLUMNS, d)
    least, most = WARM_ROWS
    W = erdos_renyi(columns, 2 * columns, rng=WARM_SEED)
    variances = np.resize([1.0, 4.0, 16.0], columns)
    rows = min(max(columns * n // d, least), most)
    return linear_sem(W, rows, noise_variances=variances, rng=WARM_SEED)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
