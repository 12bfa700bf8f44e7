"""Work that is recorded as it comes: in processes or in threads, ended with whoever asked."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass
class Interruption:
    """Whether Ctrl-C was pressed, also where a solver turned it into a result."""

    asked: bool = False


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Inside, Ctrl-C ends the work as usual; outside, it is as if it had ended by itself."""
    found = Interruption()

    def note(number: int, frame: FrameType | None) -> None:
        found.asked = True
        raise KeyboardInterrupt

    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, note) if is_main else None
    try:
        yield found
    except KeyboardInterrupt:
        found.asked = True
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


@contextmanager
def results(
    make: Callable[[T], R], tasks: Iterable[T], *, n_jobs: int = 1, threads: bool = False
) -> Iterator[Iterator[R]]:
    """Give what becomes of tasks as it comes, and end the workers when this is left.

    A task that takes long holds up neither the others nor their records. A task is asked for when
    there is room for it: `n_jobs` at a time, in processes, or in threads where the work has
    processes of its own; one is done here and now.
    """
    from joblib import Parallel, delayed

    options = {"return_as": "generator_unordered", "pre_dispatch": n_jobs}
    backend = "threading" if threads else "loky"
    found: Any = Parallel(n_jobs=n_jobs, backend=backend, **options)(
        delayed(make)(task) for task in tasks
    )
    try:
        yield found
    finally:
        with warnings.catch_warnings():
            # That tasks were left undone is what was asked for.
            warnings.simplefilter("ignore", UserWarning)
            found.close()
