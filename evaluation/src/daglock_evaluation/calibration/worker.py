"""The runs of a method on real tables, in a process of its own, perhaps by another interpreter.

JOB is JSON. The tables are files of NumPy in a folder that it names, so that the packages that hold
them need not be where the method is. A line of JSON for each table goes to the file descriptor that
JOB names; what a package prints goes nowhere.
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from daglock_evaluation.calibration.contenders import find
from daglock_evaluation.harness.process import MESSAGE
from daglock_evaluation.harness.store import versions
from daglock_evaluation.harness.sweep import Method, serve

# Of the table that warms a method up.
WARM_SEED, WARM_ROWS = 999, 100


def main(job: dict[str, Any]) -> int:
    """Warm up, then run table by table."""
    method, folder = find(job["method"]), Path(job["folder"])
    return serve(job, lambda: warm_up(method), lambda k: measure(method, folder / f"{k}.npy"))


def warm_up(method: Method) -> None:
    """Run a method on two columns, of which one causes the other, which loads and compiles."""
    rng = np.random.default_rng(WARM_SEED)
    cause = rng.exponential(size=WARM_ROWS)
    run(method, np.column_stack([cause, cause + rng.exponential(size=WARM_ROWS)]))


def measure(method: Method, path: Path) -> dict[str, Any]:
    """Return what a method says of a table, or why it says nothing."""
    made_with = versions(*method.packages)
    return {**run(method, np.load(path)), "made_with": made_with}


def run(method: Method, X: Any) -> dict[str, Any]:
    """Run a method; a package of others may raise anything."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return asdict(method.run(X.copy()))
    except Exception as error:
        words = str(error).strip().splitlines() or [""]
        message = f"{type(error).__name__}: {words[0]}"[:MESSAGE]
        return {"status": "failed", "message": message}


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
