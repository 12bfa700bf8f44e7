"""A cluster of Dask: who has one, and waiting for it, which always has an end."""

from __future__ import annotations

import sys
import time
from collections import Counter
from contextlib import suppress
from typing import Any

from daglock import __version__
from daglock.errors import ClusterError

# Seconds without a worker, or without an answer of the scheduler, until that is an error.
PATIENCE = 120.0
# Seconds between two looks at which workers died, and between two questions to the scheduler; and
# to rest where an answer is no.
_LOOK, _ASK, _REST = 0.2, 5.0, 0.01
# Seconds for the scheduler to answer one question.
_ANSWER = 10.0
# Times to ask in a row that nobody is at work, until what is waited for counts as forgotten.
_IDLE = 3


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


class LostError(Exception):
    """The cluster no longer knows what it was to do: it is to be told again."""


class Cluster:
    """What is asked of a cluster of Dask, and heard of the workers that die.

    Parameters
    ----------
    client : a ``dask.distributed.Client``. What it calls for events of the topic "all" is replaced.

    Attributes
    ----------
    address : of the scheduler.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self.address = str(client.scheduler.address)
        self._fallen: Counter[str] = Counter()  # of keys, in which workers died at them

    def __enter__(self) -> Cluster:
        self.listen()
        return self

    def __exit__(self, *exception: Any) -> None:
        with suppress(Exception):  # of a scheduler that is gone
            self.client.unsubscribe_topic("all")

    def listen(self) -> None:
        """Hear of workers that die."""
        self.client.subscribe_topic("all", self._note)

    @property
    def threads(self) -> int:
        """How many threads the workers have together, at least one."""
        return max(1, int(sum((self._ask("ncores") or {}).values())))

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
            failed = future.status == "error"
            try:
                if not failed:
                    wait([future], timeout=_LOOK)
                patience *= 2  # if it takes so long to bring what came of it
                return (future.result(timeout=patience),)
            except OSError:  # nothing yet, or the scheduler is gone
                if failed:  # it is the work's own
                    raise
                if time.monotonic() > asked + _ASK:
                    idle = 0 if self.require_workers() else idle + 1
                    if idle == _IDLE:  # what waits with nobody at work was forgotten
                        raise LostError from None
                    asked = time.monotonic()
                time.sleep(_REST)
            except CancelledError as error:  # the scheduler was restarted, or its workers by hand
                raise LostError from error
            except KilledWorker as error:
                if error.task != future.key:  # workers died of the data
                    raise LostError from error
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

    def _note(self, event: tuple[float, Any]) -> None:
        """Write down what a worker that died had to do."""
        _, what = event
        if not isinstance(what, dict) or what.get("expected"):
            return
        if what.get("action") == "remove-worker":
            self._fallen.update(map(str, what.get("processing-tasks", ())))

    def _ask(self, question: str) -> dict[str, Any] | None:
        """Return what the scheduler says of each worker; None where it does not answer."""
        with suppress(OSError, TimeoutError, AttributeError):  # also while it connects anew
            ask = getattr(self.client.scheduler, question)
            return dict(self.client.sync(ask, callback_timeout=_ANSWER))
        return None
