"""One pass over a source: moments of its numbers, and a profile of all its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.moments.steps import Steps
from daglock.moments.sums import Sums
from daglock.sources.encoding import numbers_in, words_in
from daglock.sources.profile import Numbers, Sample, Texts
from daglock.sources.source import PARTS, Batch

# Bytes that the sums of all runs of pieces may take at the same time.
_ROOM = 64 << 20
# Fewer rows than this are put together before they are multiplied.
_FEWEST = 1024


@dataclass(frozen=True, eq=False)
class Gather:
    """What is to be found out in a pass; called where the rows are.

    Attributes
    ----------
    numbers : columns of numbers.
    texts : columns of text, which are profiled and not multiplied.
    multiply : whether to multiply; where a value is missing it is not done any more.
    wanted : numbers of the rows that are to be kept as they are, sorted.
    first : number of the first row of each piece; needed where rows are wanted.
    """

    numbers: tuple[str, ...]
    texts: tuple[str, ...] = ()
    multiply: bool = True
    wanted: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    first: Mapping[int, int] = field(default_factory=dict)

    def __call__(self, batches: Iterable[Batch]) -> Gathered:
        """Gather batches."""
        found = Gathered.of(self)
        few = _Few()
        for batch in batches:
            rows = batch.data.num_rows
            if not rows:
                continue
            found.rows[batch.piece] = found.rows.get(batch.piece, 0) + rows
            columns = [numbers_in(batch, name) for name in self.numbers]
            finite = self._multiply(found, columns, few)
            for name, x in zip(self.numbers, columns, strict=True):
                found.numbers[name].add(x, batch, finite)
            for name in self.texts:
                found.texts[name].add(*words_in(batch, name), batch)
            if len(self.wanted):
                number = self.first[batch.piece] + batch.first_row
                found.sample.add(batch, number, self.wanted)
        self._flush(found, few)
        if found.sums is not None:
            found.sums.close()
        return found

    def _multiply(self, found: Gathered, columns: list[NDArray[Any]], few: _Few) -> bool:
        """Add rows to the sums, if all values are finite; return whether that is known."""
        if found.sums is None or not columns:
            return False
        if few.n + len(columns[0]) < _FEWEST:
            few.add(columns)
            return all(bool(np.isfinite(x).all()) for x in columns)
        if few.n:
            few.add(columns)
            finite = all(bool(np.isfinite(x).all()) for x in columns)
            self._flush(found, few)
            return finite
        return self._include(found, columns)

    def _flush(self, found: Gathered, few: _Few) -> None:
        """Add what was put together."""
        if few.n and found.sums is not None:
            self._include(found, few.taken())

    def _include(self, found: Gathered, columns: list[NDArray[Any]]) -> bool:
        """Add rows to the sums; forget the sums where a value is missing."""
        assert found.sums is not None
        if not found.sums.add(columns):
            found.sums = None
            return False
        found.steps.add(columns)
        return True


class _Few:
    """Rows that are too few to be multiplied by themselves."""

    def __init__(self) -> None:
        self.n = 0
        self._blocks: list[list[NDArray[Any]]] = []

    def add(self, columns: list[NDArray[Any]]) -> None:
        """Keep rows."""
        self.n += len(columns[0])
        self._blocks.append(columns)

    def taken(self) -> list[NDArray[Any]]:
        """Return the rows that were kept, and forget them."""
        columns = [np.concatenate(own) for own in zip(*self._blocks, strict=True)]
        self.n, self._blocks = 0, []
        return columns


@dataclass
class Gathered:
    """What a pass found out.

    Attributes
    ----------
    rows : of each piece.
    numbers, texts : what is known of each column.
    sums : of the columns of numbers; None where a value is missing or infinite.
    steps : of the grids on which these lie.
    sample : the rows that were wanted.
    """

    rows: dict[int, int]
    numbers: dict[str, Numbers]
    texts: dict[str, Texts]
    sums: Sums | None
    steps: Steps
    sample: Sample

    @classmethod
    def of(cls, gather: Gather) -> Gathered:
        """Return what is known before a row is read."""
        d = len(gather.numbers)
        return cls(
            {},
            {name: Numbers() for name in gather.numbers},
            {name: Texts() for name in gather.texts},
            Sums(d) if gather.multiply and d else None,
            Steps(d),
            Sample(),
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return sum(self.rows.values())


def merge_gathered(first: Gathered, second: Gathered) -> Gathered:
    """Return what is known of the rows of both, of which the first come first."""
    if not second.rows:
        return first
    if not first.rows:
        return second
    for piece, rows in second.rows.items():
        first.rows[piece] = first.rows.get(piece, 0) + rows
    for name in first.numbers:
        first.numbers[name] = first.numbers[name].merge(second.numbers[name])
    for name in first.texts:
        first.texts[name] = first.texts[name].merge(second.texts[name])
    both = first.sums is not None and second.sums is not None
    first.sums = first.sums.merge(second.sums) if both and first.sums and second.sums else None
    first.steps.merge(second.steps)
    first.sample.merge(second.sample)
    return first


def parts_for(d: int) -> int:
    """Return how many sums of d columns there may be at the same time.

    Examples
    --------
    >>> parts_for(20), parts_for(2000), parts_for(20_000)
    (8, 2, 1)
    """
    return max(1, min(PARTS, _ROOM // (8 * max(1, d) ** 2)))
