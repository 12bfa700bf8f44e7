"""A real cluster of Dask on this machine, whose workers and scheduler are killed."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from daglock import DAGLock
from daglock.clusters import Tasks
from daglock.confidence import Bootstrap
from daglock.simulate import erdos_renyi, linear_sem
from daglock_evaluation.reliability import killing
from daglock_evaluation.reliability.promise import Ended

# Seconds after which a process that should have begun counts as hanging.
PATIENCE = 120.0
# Workers that are killed in one run of so many replicates.
KILLS, REPLICATES = 4, 100


class _Dask:
    """A scheduler and two workers of one thread, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(file))
        end = time.monotonic() + PATIENCE
        while not (file.exists() and file.read_text().rstrip().endswith("}")):
            if time.monotonic() > end:
                raise TimeoutError("the scheduler does not start")
            time.sleep(0.02)
        self.address = str(json.loads(file.read_text())["address"])
        self.workers = [self._worker(), self._worker()]

    def kill(self, k: int) -> None:
        """Kill a worker, and start another one in its place."""
        self.workers[k].kill()
        self.workers[k].wait()
        self.workers[k] = self._worker()

    def restart(self) -> None:
        """Kill the scheduler and start another one at its address."""
        self.scheduler.kill()
        self.scheduler.wait()
        port = self.address.rpartition(":")[2]
        self.scheduler = self._start("scheduler", "--port", port)
        for k in range(len(self.workers)):  # they would look for it again, later
            self.kill(k)

    def tend(self) -> None:
        """Start a worker for each that has died."""
        for k, worker in enumerate(self.workers):
            if worker.poll() is not None:
                self.workers[k] = self._worker()

    def end(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _worker(self) -> subprocess.Popen[bytes]:
        """Start a worker."""
        options = ("--no-nanny", "--nthreads", "1", "--local-directory", str(self.folder))
        return self._start("worker", self.address, *options)

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        """Start a process of Dask."""
        return subprocess.Popen(
            [sys.executable, "-m", "dask", what, "--host", "127.0.0.1", *options, "--no-dashboard"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@contextmanager
def _cluster() -> Iterator[tuple[_Dask, Any]]:
    """Give a cluster and the client that is active; no process of it is left behind."""
    from distributed import Client

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        cluster = _Dask(Path(name))
        try:
            with Client(cluster.address) as client:
                yield cluster, client
        finally:
            cluster.end()


@contextmanager
def _meanwhile(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Do something in a thread, which is told when it is over."""
    over = threading.Event()
    thread = threading.Thread(target=work, args=(over,))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _parts(counted: Bootstrap) -> list[Any]:
    """Return all that replicates came to."""
    names = ("n", "first", "second", "forward", "backward", "adjacent")
    return [np.asarray(getattr(counted, name)).tolist() for name in names]


def _model(seed: int) -> DAGLock:
    """Return what replicates are made of."""
    return DAGLock(random_state=0).fit(linear_sem(erdos_renyi(18, 25, rng=seed), 3000, rng=seed))


def workers_killed(n: int, seed: int) -> Ended:
    """Kill workers at random moments; n is the number of runs, each with four kills."""
    rng, model, failures, killed = np.random.default_rng(seed), _model(seed), list[str](), 0
    one = _parts(model.bootstrap(REPLICATES, rng=seed, n_jobs=1))
    with _cluster() as (cluster, _):
        for run in range(n):

            def kill(over: threading.Event) -> None:
                nonlocal killed
                for _ in range(KILLS):
                    if over.wait(rng.uniform(0.05, 1.0)):
                        return
                    cluster.kill(int(rng.integers(2)))
                    killed += 1

            try:
                with _meanwhile(kill):
                    if _parts(model.bootstrap(REPLICATES, rng=seed)) != one:
                        failures.append(f"run {run}: the results differ")
            except Exception as error:
                failures.append(f"run {run}: {type(error).__name__}: {error}")
    return killed, failures


def scheduler_restarted(n: int, seed: int) -> Ended:
    """Kill the scheduler in the middle, and start another one."""
    model, failures = _model(seed), list[str]()
    one = _parts(model.bootstrap(REPLICATES, rng=seed, n_jobs=1))
    with _cluster() as (cluster, _):
        for run in range(n):
            restarted: list[int] = []

            def restart(done: int, asked: int, restarted: list[int] = restarted) -> None:
                if not restarted and done >= asked / 2:
                    restarted.append(done)
                    cluster.restart()

            try:
                if _parts(model.bootstrap(REPLICATES, rng=seed, progress=restart)) != one:
                    failures.append(f"run {run}: the results differ")
            except Exception as error:
                failures.append(f"run {run}: {type(error).__name__}: {error}")
    return n, failures


def always_dying(n: int, seed: int) -> Ended:
    """Give workers a piece of work that nobody survives."""
    with _cluster() as (cluster, client):

        def tend(over: threading.Event) -> None:
            while not over.wait(0.05):
                with suppress(OSError):
                    cluster.tend()

        with _meanwhile(tend):
            return killing.always_dying(n, seed, partial(Tasks, client))
