"""A covariance that does not fit into memory: formed in blocks of columns, kept in a file.

Each pass over the rows multiplies as many columns with all as there is room for. The means come
first, so that no digits are lost, however far the columns are from zero.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from daglock.errors import InvalidDataError
from daglock.sources.encoding import numbers_in
from daglock.sources.source import Batch, Progress, Source
from daglock.typing import Array
from daglock.wording import plural, size_text

# Bytes for each pair of columns that a covariance takes while it is formed, and to be looked at.
TAKES = 10
# Share of the memory that is free that a block of a covariance may take.
_SHARE = 0.25


def free_memory() -> int:
    """Return how many bytes of memory are free here; 4 GB where that cannot be told."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (OSError, ValueError, AttributeError):
        return 4 * 10**9


def fits(d: int) -> bool:
    """Whether the covariance of d columns fits into the memory that is free."""
    return TAKES * d**2 <= free_memory()


@dataclass(frozen=True, eq=False)
class _Multiply:
    """Some columns with all columns, around a shift; called where the rows are."""

    names: tuple[str, ...]
    shift: Array
    some: slice

    def __call__(self, batches: Iterable[Batch]) -> tuple[int, Array]:
        """Return the rows, and their products (columns, all)."""
        n, total = 0, np.zeros((len(self.shift[self.some]), len(self.names)))
        for batch in batches:
            if batch.data.num_rows:
                columns = [numbers_in(batch, name) for name in self.names]
                block = np.stack(columns, axis=0).astype(np.float64) - self.shift[:, None]
                total += block[self.some] @ block.T
                n += batch.data.num_rows
        return n, total


@dataclass(frozen=True, eq=False)
class _Add:
    """The sums of all columns, from a first value on; called where the rows are."""

    names: tuple[str, ...]

    def __call__(self, batches: Iterable[Batch]) -> tuple[int, Array]:
        """Return the rows and their means."""
        n, means = 0, np.zeros(len(self.names))
        for batch in batches:
            if batch.data.num_rows:
                columns = (numbers_in(batch, name) for name in self.names)
                own = np.array([column.mean(dtype=np.float64) for column in columns])
                n, means = _joint((n, means), (batch.data.num_rows, own))
        return n, means


def _joint(first: tuple[int, Array], second: tuple[int, Array]) -> tuple[int, Array]:
    """Return the means of the rows of both."""
    n = first[0] + second[0]
    return n, first[1] + (second[0] / max(1, n)) * (second[1] - first[1])


def _sum(first: tuple[int, Array], second: tuple[int, Array]) -> tuple[int, Array]:
    """Return the products of the rows of both."""
    total = first[1]
    total += second[1]
    return first[0] + second[0], total


def form_in_blocks(
    source: Source, names: tuple[str, ...], watch: Progress | None = None, room: int | None = None
) -> tuple[int, Array, Array]:
    """Return rows, means and covariance, which is kept in a temporary file.

    Parameters
    ----------
    source : rows that can be read again.
    names : of the columns, all of them complete numbers.
    watch : called with the rows and the bytes that are done, in each pass.
    room : bytes that a block may take; by default a quarter of the memory that is free.

    Raises
    ------
    InvalidDataError
        There is no room on the disk either, or values are missing.
    """
    d = len(names)
    folder = Path(tempfile.mkdtemp(prefix="daglock-covariance-"))
    if (free := shutil.disk_usage(folder).free) < 8 * d**2:
        folder.rmdir()
        raise InvalidDataError(
            f"The covariance of {plural(d, 'column')} takes {size_text(8 * d**2)}, which fits "
            f"neither into memory nor into the {size_text(free)} that are free in {folder.parent}: "
            "leave columns out, or let TMPDIR name a larger disk."
        )
    cov = np.memmap(folder / "covariance", dtype=np.float64, mode="w+", shape=(d, d))
    weakref.finalize(cov, shutil.rmtree, folder, ignore_errors=True)
    n, means = source.reduce(_Add(names), _joint, columns=names, parts=1, progress=watch)
    if not np.isfinite(means).all():
        j = int(np.flatnonzero(~np.isfinite(means))[0])
        raise InvalidDataError(
            f"Column {names[j]!r} has missing or infinite values, and so many columns must be "
            "complete: mend it or leave it out."
        )
    width = max(1, (room or int(_SHARE * free_memory())) // (8 * d))
    for start in range(0, d, width):
        some = slice(start, min(d, start + width))
        _, product = source.reduce(
            _Multiply(names, means, some), _sum, columns=names, parts=1, progress=watch
        )
        cov[some] = product / max(1, n)
    cov.flush()
    return n, means, cov
