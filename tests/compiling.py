"""How much CPU the first fit after an installation takes to compile: ``python -m tests.compiling``.

Each size has a process of its own with an empty cache. Two fits, of a table and of the same table
standardised, are timed twice: the second time nothing is left to compile. Then come the functions,
each without what it calls.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from time import process_time

import numpy as np
from numba.core import event

from daglock import DAGLock
from daglock.simulate import erdos_renyi, linear_sem

SIZES = (8, 50)


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


def measure(d: int) -> None:
    """Fit twice and print what the first time took longer."""
    X = linear_sem(erdos_renyi(d, d, rng=0), 1000, rng=1)
    tables = X, (X - X.mean(axis=0)) / X.std(axis=0)
    clock, ends = Clock(), [process_time()]
    with event.install_listener("numba:compile", clock):
        for _ in range(2):
            for table in tables:
                DAGLock().fit(table)
            ends.append(process_time())
    first, second = np.diff(ends)
    print(f"d = {d}: {first - second:.1f} s to compile, then {second:.2f} s for two fits")
    slowest = sorted(clock.seconds.items(), key=lambda pair: -pair[1])
    for name, seconds in slowest[:20]:
        print(f"    {seconds:5.2f} {name}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    for d in () if len(sys.argv) > 1 else SIZES:
        with tempfile.TemporaryDirectory() as empty:
            environment = {**os.environ, "NUMBA_CACHE_DIR": empty, "OMP_NUM_THREADS": "1"}
            command = [sys.executable, "-m", "tests.compiling", str(d)]
            subprocess.run(command, env=environment, check=True)
