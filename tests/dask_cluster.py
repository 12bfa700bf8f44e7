"""A real cluster of Dask on this machine: a scheduler and workers, each a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

PATIENCE = 120.0
# What the tests define is found by workers, too.
ROOT = Path(__file__).parent.parent


class DaskCluster:
    """A scheduler and workers of one thread, in a folder; all are gone when it is left.

    Attributes
    ----------
    address : of the scheduler.
    workers : processes, by which they can be killed.
    """

    def __init__(self, folder: Path, n_workers: int = 2) -> None:
        self.folder, self.n_workers = folder, n_workers
        self.address = ""
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        file = self.folder / "scheduler.json"
        self.start_scheduler("--port", "0", "--scheduler-file", str(file))
        self.wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        self.address = json.loads(file.read_text())["address"]
        for _ in range(self.n_workers):
            self.start_worker()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for process in (*self.workers, self.scheduler):
            if process is not None:
                process.kill()
                process.wait()

    def start_scheduler(self, *options: str) -> None:
        """Start a scheduler, where an address is known already at this one."""
        if self.address:
            options = ("--port", self.address.rpartition(":")[2])
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", *options)

    def start_worker(self) -> None:
        """Start one more worker."""
        options = ("--no-nanny", "--nthreads", "1", "--local-directory", str(self.folder))
        self.workers.append(self._start("worker", self.address, *options))

    def kill(self, k: int = 0, *, replace: bool = True) -> None:
        """Kill a worker, by SIGKILL, and start another one in its place."""
        worker = self.workers.pop(k)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        if replace:
            self.start_worker()

    def tend(self) -> int:
        """Start a worker for each that has died, and return how many these were."""
        dead = [worker for worker in self.workers if worker.poll() is not None]
        for worker in dead:
            self.workers.remove(worker)
            self.start_worker()
        return len(dead)

    @contextmanager
    def tended(self) -> Iterator[None]:
        """Start a worker for each that dies, meanwhile."""
        over = threading.Event()

        def tend() -> None:
            while not over.wait(0.05):
                self.tend()

        thread = threading.Thread(target=tend)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def wait_until(self, holds: Any) -> None:
        """Wait for something to be true."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.02)

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        """Start a process of Dask."""
        path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        return subprocess.Popen(
            [sys.executable, "-m", "dask", what, *options, "--no-dashboard"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
