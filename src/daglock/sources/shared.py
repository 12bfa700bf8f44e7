"""Files that the workers of a cluster see, too: they summarise them where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeAlias

from daglock.clusters import Tasks, active_client
from daglock.errors import ClusterError, WorkerDiedError
from daglock.sources.source import Part

# The path of a file, and its bytes.
File: TypeAlias = tuple[str, int]


class _UnseenError(Exception):
    """A worker does not see a file as it is here."""


def parts_of_workers(
    work: Callable[[range], Part], runs: Sequence[tuple[range, Sequence[File] | None]]
) -> Iterator[Part]:
    """Yield what comes of runs of pieces, from the first one on, for as long as workers see them.

    Nothing where no cluster is active, or where a run is not in files.

    Parameters
    ----------
    work : what is to be done with a run.
    runs : each with the files that its pieces are in.
    """
    client = active_client(None)
    if client is None or any(files is None for _, files in runs):
        return
    with Tasks(client) as tasks:
        try:
            yield from tasks.in_order(_IfSeen(work), runs)
        except _UnseenError:  # whoever asked reads them
            return
        except WorkerDiedError as error:
            raise ClusterError(
                f"Workers of the Dask cluster at {tasks.cluster.address} died {error.deaths} times "
                "at the same files, as they do where memory runs out: give them more."
            ) from error


@dataclass(frozen=True)
class _IfSeen(Generic[Part]):
    """Work that is done where the files are those that were looked at."""

    work: Callable[[range], Part]

    def __call__(self, run: range, files: Sequence[File]) -> Part:
        """Do a run of it."""
        from threadpoolctl import threadpool_limits

        for path, size in files:
            if not Path(path).is_file() or Path(path).stat().st_size != size:
                raise _UnseenError(path)
        with threadpool_limits(limits=1, user_api="blas"):
            return self.work(run)
