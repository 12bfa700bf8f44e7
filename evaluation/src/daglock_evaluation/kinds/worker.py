"""The runs of a method on the tables of a case, in a process of its own.

JOB is JSON. A line of JSON for each seed goes to the file descriptor that it names; what a package
prints goes nowhere.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import daglock
from daglock_evaluation.harness.judge import judge
from daglock_evaluation.harness.process import timed
from daglock_evaluation.harness.store import versions
from daglock_evaluation.harness.sweep import Method, serve
from daglock_evaluation.kinds.cases import AnyCase, Sample, from_settings
from daglock_evaluation.kinds.methods import find
from daglock_evaluation.methods import Answer

# Of the table that warms a method up.
WARM_SEED = 999


def main(job: dict[str, Any]) -> int:
    """Warm up, then run seed by seed."""
    case = from_settings(job["case"])
    method = find(case.suite, job["method"])
    return serve(
        job,
        lambda: run(method, case.warm_up().draw(WARM_SEED), WARM_SEED),
        lambda seed: measure(method, case, seed),
    )


def measure(method: Method, case: AnyCase, seed: int) -> dict[str, Any]:
    """Return the figures of a run."""
    sample = case.draw(seed)
    graph, seconds, cpu_seconds = timed(lambda: run(method, sample, seed))
    judged = judge(Answer(graph), sample.truth, method.returns, "class")
    made_with = {**versions(*method.packages), "daglock": daglock.__version__}
    return {
        "seed": seed,
        "cpdag_shd": judged["cpdag_shd"],
        "n_edges": judged["n_edges"],
        "n_true": int(sample.truth.sum()),
        "n_constant": len(sample.truth) - len(sample.varying),
        "seconds": round(seconds, 4),
        "cpu_seconds": round(cpu_seconds, 4),
        "data": sample.fingerprint,
        "made_with": made_with,
    }


def run(method: Method, sample: Sample, seed: int) -> Any:
    """Run a method on the columns that vary and return its graph over all of them."""
    graph = np.zeros_like(sample.truth)
    here = sample.varying
    found = method.run(sample.frame.iloc[:, here].copy(), seed, **method.options)
    graph[np.ix_(here, here)] = found
    return graph


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
