"""Sources whose rows are read here: pieces in runs, each run in a thread of its own.

Where a cluster of Dask is active, and its workers see the files, too, each run is a task of theirs:
they summarise the files where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import reduce as fold
from pathlib import Path
from threading import Event, Lock
from typing import Any, Generic, TypeAlias

import pyarrow as pa

from daglock.clusters import Tasks, active_client
from daglock.errors import ClusterError, InvalidDataError, WorkerDiedError
from daglock.sources.source import PARTS, Batch, Merge, Part, Progress, Summarise

# Columns that are read at the same time, by all threads: each can take pyarrow 4 MB.
COLUMNS = 48
# Called with bytes as they are read.
Count: TypeAlias = Callable[[int], None]
# The path of a file, and its bytes.
File: TypeAlias = tuple[str, int]


@dataclass(frozen=True)
class Piece:
    """Rows in a fixed order.

    Attributes
    ----------
    place : how a message calls it.
    open : from the columns that are needed, and a function that counts bytes as they are read, to
        the rows; may be called again.
    n_rows, n_bytes : where they are known.
    file : that it is in; None where it is in none that others could read.
    """

    place: str
    open: Callable[[Sequence[str], Count], Iterator[pa.RecordBatch]]
    n_rows: int | None = None
    n_bytes: int = 0
    file: File | None = None


@dataclass(frozen=True)
class LocalSource:
    """Pieces that are read in this process."""

    label: str
    schema: pa.Schema
    pieces: tuple[Piece, ...]
    n_files: int = 0
    library: str | None = None  # whose frames the rows come as

    @property
    def counts(self) -> dict[int, int] | None:
        """Number of rows of each piece, if all know theirs."""
        rows = {number: piece.n_rows for number, piece in enumerate(self.pieces)}
        known = {number: own for number, own in rows.items() if own is not None}
        return known if len(known) == len(rows) else None

    @property
    def n_rows(self) -> int | None:
        """Number of rows, if all pieces know theirs."""
        return None if self.counts is None else sum(self.counts.values())

    @property
    def n_bytes(self) -> int | None:
        """Number of bytes, if they are known."""
        return sum(piece.n_bytes for piece in self.pieces) or None

    def reduce(
        self,
        summarise: Summarise[Part],
        merge: Merge[Part],
        *,
        columns: Sequence[str] | None = None,
        parts: int = PARTS,
        last: bool = False,
        progress: Progress | None = None,
    ) -> Part:
        """Summarise runs of pieces, on a cluster or in threads, and merge what came of them.

        In their order: both give the same bits.
        """
        wanted = tuple(self.schema.names if columns is None else columns)
        runs, watch = _runs(self.pieces, parts), _Watch(progress)
        with closing(self._parts(_Work(self, summarise, wanted), runs, watch)) as found:
            return fold(merge, found)

    def _parts(
        self, work: _Work[Part], runs: Sequence[range], watch: _Watch
    ) -> Generator[Part, None, None]:
        """Yield what comes of each run: from workers that see the files, the rest from here."""
        done = 0
        for part in parts_of_workers(work, [(run, self._files(run)) for run in runs]):
            for piece in self.pieces[runs[done].start : runs[done].stop]:
                watch.count(piece.n_bytes)
                watch.step(piece.n_rows or 0)
            yield part
            done += 1
        runs = runs[done:]
        threads = max(1, min(len(runs), processors(), COLUMNS // max(1, len(work.columns))))
        with _thrifty():
            if threads == 1:
                yield from (work(run, watch) for run in runs)
                return
            with ThreadPoolExecutor(threads) as pool, one_thread():
                try:
                    yield from pool.map(lambda run: work(run, watch), runs)
                except BaseException:  # Ctrl-C, too: the other threads end at their next batch
                    watch.stop.set()
                    pool.shutdown(cancel_futures=True)
                    raise

    def _files(self, run: range) -> list[File] | None:
        """Return the files that pieces are in; None if one of them is in none."""
        files = {piece.file for piece in self.pieces[run.start : run.stop]}
        known = [file for file in files if file is not None]
        return known if known and len(known) == len(files) else None

    def batches(self, run: range, columns: Sequence[str], watch: _Watch) -> Iterator[Batch]:
        """Read some pieces one after the other."""
        for number in run:
            piece, done = self.pieces[number], 0
            try:
                for data in piece.open(columns, watch.count):
                    yield Batch(data, number, done, piece.place)
                    done += data.num_rows
                    watch.step(data.num_rows)
            except (pa.ArrowException, OSError) as error:
                raise unreadable(piece.place, error) from error


@dataclass(frozen=True)
class _Work(Generic[Part]):
    """From a run of pieces to what is kept of them."""

    source: LocalSource
    summarise: Summarise[Part]
    columns: tuple[str, ...]

    def __call__(self, run: range, watch: _Watch | None = None) -> Part:
        """Summarise some pieces."""
        return self.summarise(self.source.batches(run, self.columns, watch or _Watch(None)))


class _StoppedError(Exception):
    """Another thread has failed, or the user has interrupted it."""


class _Watch:
    """What is done, counted over all threads."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress, self.stop = progress, Event()
        self.rows = self.bytes = 0
        self._lock = Lock()

    def count(self, size: int) -> None:
        """Count bytes."""
        with self._lock:
            self.bytes += size

    def step(self, rows: int) -> None:
        """Count a batch, and tell; raise where there is no need to go on."""
        if self.stop.is_set():
            raise _StoppedError
        if self.progress is not None:
            with self._lock:
                self.rows += rows
                self.progress(self.rows, self.bytes)


def _runs(pieces: Sequence[Piece], parts: int) -> list[range]:
    """Split pieces into runs of about the same size; the same whatever the machine."""
    sizes = [max(1, piece.n_bytes or piece.n_rows or 1) for piece in pieces]
    total, runs, begin, done = sum(sizes), list[range](), 0, 0
    for number, size in enumerate(sizes, start=1):
        done += size
        if done * parts >= total * (len(runs) + 1):
            runs.append(range(begin, number))
            begin = number
    return runs or [range(0)]


def unreadable(place: str, error: Exception) -> InvalidDataError:
    """Build the error about a piece that cannot be read."""
    reason = (str(error).splitlines() or ["it cannot be read"])[0][:200].rstrip(". ")
    return InvalidDataError(f"{place} cannot be read: {reason}.")


@contextmanager
def _thrifty() -> Iterator[None]:
    """Let pyarrow give back at the end what memory it has taken."""
    try:
        yield
    finally:
        pa.default_memory_pool().release_unused()


def processors() -> int:
    """Return how many processors this process may use."""
    from joblib import cpu_count

    return int(cpu_count())


def one_thread() -> AbstractContextManager[Any]:
    """Keep BLAS to one thread, where there are threads of ours."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="blas")


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
