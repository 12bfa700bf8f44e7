"""Work as tasks on a cluster of Dask, which goes on when its workers are killed."""

from __future__ import annotations

import operator
import pickle
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

from daglock import __version__
from daglock.errors import ClusterError, WorkerDiedError

R = TypeVar("R")
# Workers that one piece of work may end.
MOST_DEATHS = 3
# Seconds without a worker, or without an answer of the scheduler, until that is an error.
PATIENCE = 120.0
# Seconds between two looks at which workers died, and between two questions to the scheduler; and
# to rest where an answer is no.
_LOOK, _ASK, _REST = 0.2, 5.0, 0.01
# Seconds for the scheduler to answer one question.
_ANSWER = 10.0
# Times to ask in a row that nobody is at work, until what is waited for counts as forgotten.
_IDLE = 3
# What the result of a replicate may depend on.
_VERSIONS = {"daglock": __version__, "numpy": np.__version__}


def active_client(n_jobs: int | None) -> Any | None:
    """Return the Dask client whose workers are to do the work, if there is one.

    That of joblib's backend, where this is Dask, else the one that is active if no number of
    processes is asked for. None inside a task: tasks that wait for tasks can block each other.
    """
    distributed = sys.modules.get("distributed")
    if distributed is None or n_jobs == 1:  # whoever has a client has imported it
        return None
    with suppress(ValueError):
        distributed.get_worker()
        return None
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    client = getattr(backend, "client", None)  # of joblib's backends Dask's alone has one
    if client is None and n_jobs is None:
        with suppress(ValueError):
            client = distributed.Client.current()
    if client is None or client.asynchronous or client.status != "running":
        return None
    return client


@dataclass(frozen=True)
class _Checked:
    """Work that is done where the versions are those of whoever asks for it."""

    work: Callable[..., Any]
    versions: dict[str, str]

    def __call__(self, packed: bytes) -> Any:
        """Do a piece of it."""
        if self.versions != _VERSIONS:
            here, there = (
                ", ".join(f"{name} {version}" for name, version in versions.items())
                for versions in (self.versions, _VERSIONS)
            )
            raise ClusterError(
                f"The workers of the cluster have {there}, with which results could differ: "
                f"install {here} there."
            )
        return self.work(*pickle.loads(packed))


class _LostError(Exception):
    """The cluster no longer knows what it was to do."""


class Tasks:
    """The workers of a Dask cluster, as `Workers` are the processes of this machine.

    The work, with all its data, is the argument of a task, which the scheduler keeps: it sends it
    again to whoever lacks it, however many workers die. A piece of work whose worker dies is done
    again by another one. One that has met two deaths is set apart until the others are done, and
    is then on the cluster by itself, so that the next death has a name.

    Parameters
    ----------
    client : a ``dask.distributed.Client``. What it calls for events of the topic "all" is replaced.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.address = str(client.scheduler.address)
        self._work: Callable[..., Any] | None = None
        self._sent: Any = None
        self._fallen: Counter[str] = Counter()  # of keys, in which workers died at them

    @property
    def width(self) -> int:
        """How many pieces can be worked at together."""
        return max(1, int(sum((self._ask("ncores") or {}).values())))

    def __enter__(self) -> Tasks:
        self.client.subscribe_topic("all", self._note)
        return self

    def __exit__(self, *exception: Any) -> None:
        self._forget()
        with suppress(Exception):  # of a scheduler that is gone
            self.client.unsubscribe_topic("all")

    def in_order(self, work: Callable[..., R], pieces: Sequence[tuple[Any, ...]]) -> Iterator[R]:
        """Yield what comes of each piece of work, given by its arguments, in their order.

        Raises
        ------
        WorkerDiedError
            The same piece ended three workers, the last one by itself.
        ClusterError
            The scheduler does not answer, there are no workers, or these cannot do the work.
        """
        done = losses = 0
        while done < len(pieces):
            batch = _Batch(self, work, pieces[done:])
            try:
                batch.submit()
                for k in range(len(batch.pieces)):
                    result = batch.result(k)
                    yield result
                    done, losses = done + 1, 0
            except WorkerDiedError as error:
                raise WorkerDiedError(done, error.deaths, on_cluster=True) from error
            except _LostError as error:  # all is sent again
                losses += 1
                if losses == MOST_DEATHS:
                    raise ClusterError(
                        f"The Dask cluster at {self.address} has lost what it was to do "
                        f"{losses} times, as it does where data do not fit into the memory of its "
                        "workers."
                    ) from error
                self._forget()
                self.require_workers()
                self.client.subscribe_topic("all", self._note)
            finally:
                batch.withdraw()

    # --- for a batch

    def submit(self, work: Callable[..., Any], piece: tuple[Any, ...]) -> Any:
        """Return a future of a piece of work; the work itself is sent once."""
        import cloudpickle
        import dask

        if self._work is not work:
            packed = cloudpickle.dumps(_Checked(work, _VERSIONS))
            quiet = {"distributed.admin.large-graph-warning-threshold": 2 * len(packed) + 2**20}
            # functions and values that every Python has: the scheduler need not have daglock
            with dask.config.set(quiet):
                self._sent = self.client.submit(pickle.loads, packed, key=f"daglock-{uuid4()}")
            self._work = work
        key, packed = f"daglock-piece-{uuid4()}", cloudpickle.dumps(piece)
        return self.client.submit(operator.call, self._sent, packed, key=key)

    def deaths(self, future: Any) -> int:
        """Return how many workers died that had this to do."""
        return self._fallen[future.key]

    def collect(self, future: Any, deaths: int) -> tuple[Any] | None:
        """Wait for a piece of work and return what came of it; None where it met so many deaths.

        There is no limit for as long as the scheduler answers and has workers.
        """
        from distributed import CancelledError, KilledWorker, wait

        asked, patience, idle = time.monotonic(), _ASK, 0
        while self.deaths(future) < deaths or future.done():
            try:
                wait([future], timeout=_LOOK)
                patience *= 2  # if it takes so long to bring what came of it
                return (future.result(timeout=patience),)
            except OSError:  # nothing yet, or the scheduler is gone
                if future.status == "error":  # it is the work's own
                    raise
                if time.monotonic() > asked + _ASK:
                    idle = 0 if self.require_workers() else idle + 1
                    if idle == _IDLE:  # what waits with nobody at work was forgotten
                        raise _LostError from None
                    asked = time.monotonic()
                time.sleep(_REST)
            except CancelledError as error:  # the scheduler was restarted, or its workers by hand
                raise _LostError from error
            except KilledWorker as error:
                if error.task != future.key:  # workers died of the data
                    raise _LostError from error
                break
            except ModuleNotFoundError as error:
                raise ClusterError(
                    f"The workers of the cluster lack a package ({error}): install daglock "
                    f"{__version__} and what it needs there."
                ) from error
        return None

    def require_workers(self) -> bool:
        """Return whether any worker is at work; wait a while for the first, and for an answer."""
        end, found = time.monotonic() + PATIENCE, None
        while time.monotonic() < end and self.client.status != "closed":
            found = self._ask("processing")
            if found:
                return any(found.values())
            time.sleep(_LOOK)
        if self.client.status == "closed" or found is None:
            raise ClusterError(f"The Dask scheduler at {self.address} does not answer any more.")
        raise ClusterError(
            f"The Dask cluster at {self.address} has had no workers for {PATIENCE:g} seconds: "
            f"start some (dask worker {self.address})."
        )

    # --- within

    def _note(self, event: tuple[float, Any]) -> None:
        """Write down what a worker that died had to do."""
        _, what = event
        if not isinstance(what, dict) or what.get("expected"):
            return
        if what.get("action") == "remove-worker":
            self._fallen.update(map(str, what.get("processing-tasks", ())))

    def _forget(self) -> None:
        """Let go of what was sent."""
        if self._sent is not None:
            with suppress(Exception):  # of a scheduler that is gone
                self._sent.release()
        self._work = self._sent = None

    def _ask(self, question: str) -> dict[str, Any] | None:
        """Return what the scheduler says of each worker; None where it does not answer."""
        with suppress(OSError, TimeoutError, AttributeError):  # also while it connects anew
            ask = getattr(self.client.scheduler, question)
            return dict(self.client.sync(ask, callback_timeout=_ANSWER))
        return None


class _Batch:
    """Pieces of work that are on the cluster together, but those that two workers died at."""

    def __init__(
        self, tasks: Tasks, work: Callable[..., Any], pieces: Sequence[tuple[Any, ...]]
    ) -> None:
        self.tasks, self.work, self.pieces = tasks, work, pieces
        self.futures: list[Any] = []
        self.done: dict[int, tuple[Any]] = {}  # pieces, and what came of them
        self.apart: dict[int, int] = {}  # pieces, and the deaths that they have met

    def submit(self) -> None:
        """Put all pieces on the cluster."""
        for piece in self.pieces:
            self.futures.append(self.tasks.submit(self.work, piece))

    def result(self, k: int) -> Any:
        """Return what comes of a piece of work."""
        self._in_company(k)
        if k in self.apart:
            for other in range(k + 1, len(self.futures)):
                self._in_company(other)
            future = self.futures[k] = self.tasks.submit(self.work, self.pieces[k])
            found = self.tasks.collect(future, max(1, MOST_DEATHS - self.apart[k]))
            if found is None:
                raise WorkerDiedError(k, self.apart[k] + self.tasks.deaths(future))
            self.done[k] = found
        return self.done.pop(k)[0]

    def withdraw(self) -> None:
        """Let go of all; what runs runs to its end, for nobody."""
        for future in self.futures:
            with suppress(Exception):  # of a scheduler that is gone
                future.release()

    def _in_company(self, k: int) -> None:
        """Wait for a piece among others, and set it apart where two workers died at it."""
        if k in self.done or k in self.apart:
            return
        future = self.futures[k]
        found = self.tasks.collect(future, MOST_DEATHS - 1)
        if found is None:
            self.apart[k] = self.tasks.deaths(future)
        else:
            self.done[k] = found
        future.release()
