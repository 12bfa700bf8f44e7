"""Work in several processes that goes on when one of them is killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any, TypeVar

from daglock.clusters import MOST_DEATHS, Tasks, active_client
from daglock.errors import WorkerDiedError

R = TypeVar("R")


def find_workers(n_jobs: int | None) -> Workers | Tasks:
    """Return who is to do work: those of a Dask cluster that is active, or joblib's processes."""
    client = active_client(n_jobs)
    return Workers(n_jobs) if client is None else Tasks(client)


class Workers:
    """Processes of joblib, whose backend is the one that the caller has set.

    When a process dies, what it was at is not known, and all that was under way is lost with it:
    what is not done is then done again, one piece at a time, so that the next death has a name.
    """

    def __init__(self, n_jobs: int | None) -> None:
        self.n_jobs = n_jobs
        self._parallel: Any = None

    @property
    def width(self) -> int:
        """How many pieces are worked at together."""
        from joblib import effective_n_jobs

        return max(1, int(effective_n_jobs(self.n_jobs)))

    def __enter__(self) -> Workers:
        self._open()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._parallel.__exit__(*exception)

    def in_order(self, work: Callable[..., R], pieces: Sequence[tuple[Any, ...]]) -> Iterator[R]:
        """Yield what comes of each piece of work, given by its arguments, in their order.

        Raises
        ------
        WorkerDiedError
            The same piece ended three processes; ``piece`` tells which one.
        """
        from joblib import delayed

        done = deaths = 0
        alone = False
        while done < len(pieces):
            now = pieces[done : done + 1] if alone else pieces[done:]
            try:
                for result in self._parallel(delayed(work)(*piece) for piece in now):
                    yield result
                    done, deaths = done + 1, 0
            except BrokenProcessPool as error:
                alone, deaths = True, deaths + 1
                if deaths == MOST_DEATHS:
                    raise WorkerDiedError(done, deaths) from error
                with suppress(BrokenProcessPool):
                    self._parallel.__exit__(None, None, None)
                self._open()

    def _open(self) -> None:
        """Begin with new processes; joblib keeps those that are well."""
        from joblib import Parallel
        from joblib.parallel import get_active_backend

        backend, _ = get_active_backend()
        can_yield = getattr(backend, "supports_return_generator", False)  # that of ray cannot
        kind = "generator" if can_yield else "list"
        self._parallel = Parallel(n_jobs=self.n_jobs, return_as=kind)
        self._parallel.__enter__()
