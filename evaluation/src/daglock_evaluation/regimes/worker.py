"""The runs of a method on the tables of a case, in a process of its own."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import daglock
from daglock.metrics import compare_cpdag
from daglock_evaluation.harness.process import timed
from daglock_evaluation.harness.store import versions
from daglock_evaluation.harness.sweep import Method, serve
from daglock_evaluation.regimes.cases import AnyCase, Codes, Sample, from_settings
from daglock_evaluation.regimes.methods import find

# Of the table that warms a method up.
WARM_SEED = 999
# Turns in which two methods are timed one after the other; one where a run takes longer than this.
TURNS, LONG = 3, 20.0


def main(job: dict[str, Any]) -> int:
    """Warm up what compiles, then run seed by seed."""
    case = from_settings(job["case"])
    method = find(case.suite, job["method"])

    def warm_up() -> None:
        sample = case.warm_up().draw(WARM_SEED)
        for one in (method, *_beside(method, case)):
            if not one.is_peer:
                run(one, sample, WARM_SEED)

    return serve(job, warm_up, lambda seed: measure(method, case, seed))


def measure(method: Method, case: AnyCase, seed: int) -> dict[str, Any]:
    """Return the figures of a run."""
    sample = case.draw(seed)
    found, seconds, cpu_seconds = timed(lambda: run(method, sample, seed))
    to_class, to_dag = (compare_cpdag(found, other) for other in (sample.essential, sample.truth))
    figures = {
        "seed": seed,
        "class_shd": to_class.shd,
        "shd": to_dag.shd,
        "n_edges": to_class.n_estimated,
        "n_true": to_class.n_true,
        "n_directed": int((found == 1).sum()),
        "graph": hashlib.blake2b(found.tobytes(), digest_size=8).hexdigest(),
        "seconds": round(seconds, 4),
        "cpu_seconds": round(cpu_seconds, 4),
        "data": sample.fingerprint,
        "made_with": {**versions(*method.packages), "daglock": daglock.__version__},
    }
    for other in _beside(method, case):
        ours, theirs = by_turns(method, other, sample, seed, cpu_seconds)
        figures |= {"own_cpu": ours, "beside": other.name, "beside_cpu": theirs}
    return figures


def by_turns(
    method: Method, other: Method, sample: Sample, seed: int, first: float
) -> tuple[float, float]:
    """Return the least seconds of a core that each takes, run one after the other.

    The first turn of the method is made already, and took `first` seconds.
    """
    own, others = [first], [timed(lambda: run(other, sample, seed))[2]]
    while len(own) < TURNS and own[-1] + others[-1] < LONG:
        own.append(timed(lambda: run(method, sample, seed))[2])
        others.append(timed(lambda: run(other, sample, seed))[2])
    return round(min(own), 4), round(min(others), 4)


def run(method: Method, sample: Sample, seed: int) -> Codes:
    """Run a method."""
    codes: Codes = method.run(sample, seed, **method.options)
    return codes


def _beside(method: Method, case: AnyCase) -> list[Method]:
    """Return the method to time this one with, where cost is what is measured."""
    return [find(case.suite, method.beside)] if case.suite == "cost" and method.beside else []


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
