"""Processes that are there to be killed: forked from this one, so that nothing is loaded again."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from daglock.cli import main
from daglock.simulate import erdos_renyi, linear_sem

# Seconds after which a process that should have ended counts as hanging.
PATIENCE = 300.0


class Child:
    """A process that runs a function; its streams go into a file."""

    def __init__(self, work: Callable[[], int], said: Path) -> None:
        self.said = said
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            code = 70
            try:
                log = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                os.dup2(log, 1)
                os.dup2(log, 2)
                code = work()
                sys.stdout.flush()
                sys.stderr.flush()
            except SystemExit as end:
                code = int(end.code or 0)
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                os._exit(code)

    def kill(self) -> None:
        """Kill it, if it is still there."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Return its code, negative for a signal."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.002)
        self.kill()
        os.waitpid(self.pid, 0)
        return -signal.SIGALRM

    def text(self) -> str:
        """Return what it said."""
        return self.said.read_text(errors="replace") if self.said.exists() else ""


def learning(folder: Path, *options: str) -> Callable[[], int]:
    """Return what learns from data.csv in a folder."""

    def work() -> int:
        os.chdir(folder)
        return main(["learn", "data.csv", "--out", "x", *options])

    return work


@contextmanager
def workplace(seed: int = 0) -> Iterator[Path]:
    """Give a folder with data.csv: five columns, 300 rows; what learns from it is compiled."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        X = linear_sem(erdos_renyi(5, 5, rng=seed), 300, rng=seed + 1)
        lines = ["a,b,c,d,e", *(",".join(map(repr, row)) for row in X.tolist())]
        (folder / "data.csv").write_text("\n".join(lines) + "\n")
        yield folder


def files(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder of results."""
    if not folder.is_dir():
        return {}
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def names(folder: Path) -> set[str]:
    """Return the names in a folder."""
    return {entry.name for entry in folder.iterdir()}


def moments(n: int, seed: int, longest: float) -> list[float]:
    """Return seconds after which processes are killed."""
    drawn: list[float] = np.random.default_rng(seed).uniform(0.0, longest, size=n).tolist()
    return drawn
