"""Work as tasks on a cluster of Dask, which goes on when its workers are killed."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

from daglock import __version__
from daglock.clusters.cluster import Cluster, LostError
from daglock.errors import ClusterError, WorkerDiedError

R = TypeVar("R")
# Workers that one piece of work may end.
MOST_DEATHS = 3
# What the result of a replicate may depend on.
_VERSIONS = {"daglock": __version__, "numpy": np.__version__}


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


class Tasks:
    """The workers of a Dask cluster, as `Workers` are the processes of this machine.

    The work, with all its data, is the argument of a task, which the scheduler keeps: it sends it
    again to whoever lacks it, however many workers die. A piece of work whose worker dies is done
    again by another one. One that has met two deaths is set apart until the others are done, and
    is then on the cluster by itself, so that the next death has a name.

    Parameters
    ----------
    client : a ``dask.distributed.Client``.
    """

    def __init__(self, client: Any) -> None:
        self.client, self.cluster = client, Cluster(client)
        self._work: Callable[..., Any] | None = None
        self._sent: Any = None

    @property
    def width(self) -> int:
        """How many pieces can be worked at together."""
        return self.cluster.threads

    def __enter__(self) -> Tasks:
        self.cluster.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._forget()
        self.cluster.__exit__(*exception)

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
            except LostError as error:  # all is sent again
                losses += 1
                if losses == MOST_DEATHS:
                    raise ClusterError(
                        f"The Dask cluster at {self.cluster.address} has lost what it was to do "
                        f"{losses} times, as it does where data do not fit into the memory of its "
                        "workers."
                    ) from error
                self._forget()
                self.cluster.require_workers()
                self.cluster.listen()
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

    # --- within

    def _forget(self) -> None:
        """Let go of what was sent."""
        if self._sent is not None:
            with suppress(Exception):  # of a scheduler that is gone
                self._sent.release()
        self._work = self._sent = None


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
            found = self.tasks.cluster.collect(future, max(1, MOST_DEATHS - self.apart[k]))
            if found is None:
                raise WorkerDiedError(k, self.apart[k] + self.tasks.cluster.deaths(future))
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
        found = self.tasks.cluster.collect(future, MOST_DEATHS - 1)
        if found is None:
            self.apart[k] = self.tasks.cluster.deaths(future)
        else:
            self.done[k] = found
        future.release()
