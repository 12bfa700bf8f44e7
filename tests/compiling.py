"""How much CPU the first fit after an installation takes to compile: ``python -m tests.compiling``.

Each case has a process of its own with an empty cache. Fits of a table, of numbers also of the same
table standardised, are timed twice: the second time nothing is left to compile. Then come the
functions, each without what it calls.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from time import process_time
from typing import Any

import numpy as np
from numba.core import event

from daglock import DAGLock
from daglock.simulate import erdos_renyi, linear_sem, mixed_sem

# What the table is of, and how many columns it has: up to 18 all graphs are compared, or 14.
CASES = (
    ("numbers", 8),
    ("numbers", 50),
    ("categories", 8),
    ("categories", 20),
    ("both", 8),
    ("both", 20),
)


class Clock(event.Listener):
    """Seconds for each function that Numba compiles, without those that it compiles on the way."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._open: list[float] = []  # when each began, moved on by what it had to wait for

    def on_start(self, event: event.Event) -> None:
        self._open.append(process_time())

    def on_end(self, event: event.Event) -> None:
        took = process_time() - self._open.pop()
        self._open = [began + took for began in self._open]
        self.seconds[event.data["dispatcher"].py_func.__qualname__] += took


def tables(what: str, d: int) -> list[Any]:
    """Return what is learned from."""
    W = erdos_renyi(d, d, rng=0)
    if what != "numbers":
        return [mixed_sem(W, 1000, discrete=1.0 if what == "categories" else 0.5, rng=1)]
    X = linear_sem(W, 1000, rng=1)
    return [X, (X - X.mean(axis=0)) / X.std(axis=0)]


def measure(what: str, d: int) -> None:
    """Fit twice and print what the first time took longer."""
    data = tables(what, d)
    clock, ends = Clock(), [process_time()]
    with event.install_listener("numba:compile", clock):
        for _ in range(2):
            for table in data:
                DAGLock().fit(table)
            ends.append(process_time())
    first, second = np.diff(ends)
    print(f"{what}, d = {d}: {first - second:.1f} s to compile, then {second:.2f} s to fit")
    slowest = sorted(clock.seconds.items(), key=lambda pair: -pair[1])
    for name, seconds in slowest[:20]:
        print(f"    {seconds:5.2f} {name}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1], int(sys.argv[2]))
    for what, d in () if len(sys.argv) > 1 else CASES:
        with tempfile.TemporaryDirectory() as empty:
            environment = {**os.environ, "NUMBA_CACHE_DIR": empty, "OMP_NUM_THREADS": "1"}
            command = [sys.executable, "-m", "tests.compiling", what, str(d)]
            subprocess.run(command, env=environment, check=True)
