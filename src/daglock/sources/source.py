"""Source: rows that are never in memory all at once, and the one thing that can be done with them.

`Source.reduce` brings a function to the rows, wherever they are, and merges what comes back. A
source consists of pieces (a row group, a file, a partition), each of them rows in a fixed order, so
that a row is known by its piece and its place in it, however large the batches are in which it
comes. Nothing else about a source is needed by anyone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol, TypeAlias, TypeVar

import pyarrow as pa

Part = TypeVar("Part")
# From the batches of some pieces, which come in their order, to what is kept of them. Must be one
# that can be pickled: it runs where the rows are. It is called once for each run of pieces.
Summarise: TypeAlias = Callable[[Iterable["Batch"]], Part]
# Associative; may change its first argument.
Merge: TypeAlias = Callable[[Part, Part], Part]
# Called with the rows and the bytes that are done.
Progress: TypeAlias = Callable[[int, int], None]

# Cells of a batch: 1 MB of doubles, which stays in the cache of a processor.
CELLS = 1 << 17
# Parts that are kept at the same time, by default. The result of a sum depends on how it is split,
# in its last bits, so that this does not depend on the number of processors.
PARTS = 8


@dataclass(frozen=True)
class Batch:
    """Rows that come together.

    Attributes
    ----------
    data : the rows.
    piece : number of the piece that they belong to, from 0.
    first_row : number of the first of them in this piece, from 0.
    place : how a message calls the piece, such as "events-7.parquet, row group 3".
    """

    data: pa.RecordBatch
    piece: int
    first_row: int
    place: str

    def where(self, row: int) -> str:
        """Return how a message calls a row of this batch.

        Examples
        --------
        >>> Batch(pa.RecordBatch.from_pydict({"a": [1, 2]}), 0, 10, "a.parquet").where(1)
        'row 12 of a.parquet'
        """
        return f"row {self.first_row + row + 1:,} of {self.place}"


class Source(Protocol):
    """Rows in pieces.

    Attributes
    ----------
    label : how messages call it.
    schema : names and Arrow types of the columns.
    n_rows, n_bytes : where they are known before the rows are read.
    n_files : files that it consists of; 0 where it does not consist of files.

    A source may have ``counts``, the rows of each piece by its number, where they are known before
    a row is read: that spares a pass.
    """

    @property
    def label(self) -> str:
        """How messages call it."""
        ...

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        ...

    @property
    def n_rows(self) -> int | None:
        """Number of rows, if it is known."""
        ...

    @property
    def n_bytes(self) -> int | None:
        """Number of bytes that a pass reads, if it is known."""
        ...

    @property
    def n_files(self) -> int:
        """Number of files."""
        ...

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
        """Summarise all rows in one pass, and merge what came of it, in the order of the pieces.

        Parameters
        ----------
        summarise : called with the batches of a run of pieces; there may be none in it.
        merge : of two summaries, the first of which may be changed and returned.
        columns : names of those that are needed, in this order; all by default.
        parts : how many summaries there may be in memory at the same time, here.
        last : whether nobody will read these rows again, so that a source that can be read once
            need not keep them.
        progress : called with the rows and the bytes that are done.

        Raises
        ------
        InvalidDataError
            The rows cannot be read; the message names file and row group.
        """
        ...


def first_rows(counts: Mapping[int, int]) -> dict[int, int]:
    """Return the number of the first row of each piece, from how many rows each has.

    Examples
    --------
    >>> first_rows({1: 5, 0: 3, 2: 4})
    {0: 0, 1: 3, 2: 8}
    """
    pieces = sorted(counts)
    sizes = [counts[piece] for piece in pieces]
    return dict(zip(pieces, accumulate([0, *sizes[:-1]]), strict=True))


def batch_rows(d: int) -> int:
    """Return how many rows of d columns a batch should have.

    Examples
    --------
    >>> batch_rows(20), batch_rows(20_000)
    (6553, 256)
    """
    return max(256, CELLS // max(1, d))
