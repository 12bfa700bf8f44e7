"""Profile: what is known of each column once all rows went by, for whoever decides what it is.

What a column is can be told by a few rows and by what is rare in it. So these are kept: the lowest
and the highest value, all different values where they are few, whether there are fractions, whether
the column counts the rows, all words; and where the first gap and the first infinite value are. Of
a column that has three values and a fraction nothing more is needed, whatever else is in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from daglock.sources.source import Batch, first_rows
from daglock.typing import Array

# Different values of a column of numbers that are kept, and different words of a column of text.
MOST_VALUES = 256
MOST_WORDS = 10_000
# Batches with some rows of a sample that are joined.
_LOOSE = 128


@dataclass
class Numbers:
    """What is known of a column of numbers.

    Attributes
    ----------
    there : how many values there are.
    low, high : the lowest and the highest, unless the column is plain.
    plain : whether it has a fraction and three values, so that nothing more is looked for.
    values : all that are different, sorted; None where they are more than are kept.
    fraction : a value that is no whole number; not a number where there is none.
    begins : for each piece what it would have begun with if the column counted rows; None where it
        does not count.
    gap, infinite : where the first of them is, in words.
    """

    there: int = 0
    low: float = np.inf
    high: float = -np.inf
    plain: bool = False
    values: Array | None = field(default_factory=lambda: np.empty(0))
    fraction: float = np.nan
    begins: dict[int, float] | None = field(default_factory=dict)
    gap: str = ""
    infinite: str = ""

    def add(self, x: NDArray[Any], batch: Batch, finite: bool) -> None:
        """Look at values; ``finite`` says that none is missing or infinite."""
        if not finite:
            gaps = np.isnan(x)
            if gaps.any():
                self.gap = self.gap or batch.where(int(gaps.argmax()))
                self.begins = None
            infinite = np.isinf(x)
            if infinite.any():
                self.infinite = self.infinite or batch.where(int(infinite.argmax()))
                gaps |= infinite
            self.there += int((~gaps).sum())
            x = x[~gaps] if not self.plain and gaps.any() else x
        else:
            self.there += len(x)
        if self.plain or not len(x):
            return
        if self.begins is not None:
            self._count(x, batch)
        self.low, self.high = min(self.low, float(x.min())), max(self.high, float(x.max()))
        if np.isnan(self.fraction):
            broken = x != np.floor(x)
            if broken.any():
                self.fraction = float(x[broken.argmax()])
        if self.values is not None:
            # a glance first: continuous columns have too many different values everywhere
            self._keep(np.unique(x[: 4 * MOST_VALUES]))
            self._keep(None if self.values is None or self._is_plain() else np.unique(x))
        self.plain = self._is_plain()

    def _keep(self, more: Array | None) -> None:
        """Add different values, as long as they are few."""
        if more is None or self.values is None:
            return
        values = np.union1d(self.values, more)
        self.values = values if len(values) <= MOST_VALUES else None

    def _is_plain(self) -> bool:
        """Whether there is a fraction and a third value."""
        return not np.isnan(self.fraction) and (self.values is None or len(self.values) > 2)

    def _count(self, x: NDArray[Any], batch: Batch) -> None:
        """Look whether each row is one more than the row before."""
        assert self.begins is not None
        begin = float(x[0]) - batch.first_row
        counts = float(x[-1]) == float(x[0]) + len(x) - 1
        counts = counts and self.begins.setdefault(batch.piece, begin) == begin
        if not (counts and np.array_equal(x, float(x[0]) + np.arange(len(x)))):
            self.begins = None

    def merge(self, other: Numbers) -> Numbers:
        """Return what is known of the values of both; these come first."""
        begins = None
        if self.begins is not None and other.begins is not None:
            both = self.begins.keys() & other.begins.keys()
            if all(self.begins[piece] == other.begins[piece] for piece in both):
                begins = {**self.begins, **other.begins}
        values = None
        if self.values is not None and other.values is not None:
            joint = np.union1d(self.values, other.values)
            values = joint if len(joint) <= MOST_VALUES else None
        merged = Numbers(
            self.there + other.there,
            min(self.low, other.low),
            max(self.high, other.high),
            values=values,
            fraction=other.fraction if np.isnan(self.fraction) else self.fraction,
            begins=begins,
            gap=self.gap or other.gap,
            infinite=self.infinite or other.infinite,
        )
        merged.plain = self.plain or other.plain or merged._is_plain()
        return merged

    def counts_rows(self, rows: dict[int, int]) -> bool:
        """Whether the column counts all rows, of which each piece has so many."""
        if not self.begins or self.plain or self.there != sum(rows.values()):
            return False
        first = first_rows(rows)
        return len({begin - first[piece] for piece, begin in self.begins.items()}) == 1

    def rare(self) -> Array:
        """Return the values without which a sample could look like another kind of column."""
        if self.plain:
            return np.empty(0)
        ends = np.array([self.low, self.high, self.fraction])
        return ends[np.isfinite(ends)] if self.values is None else self.values


@dataclass
class Texts:
    """What is known of a column of text: its words, how often each occurs, and where first."""

    counts: dict[str, int] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    there: int = 0
    more: bool = False  # there are more words than were kept
    gap: str = ""

    def add(self, words: list[str], codes: Array, batch: Batch) -> None:
        """Count words."""
        gaps = np.isnan(codes)
        if gaps.any():
            self.gap = self.gap or batch.where(int(gaps.argmax()))
            codes = codes[~gaps]
        self.there += len(codes)
        if not len(codes):
            return
        places, tally = np.unique(codes.astype(np.intp), return_counts=True)
        for k, count in zip(places.tolist(), tally.tolist(), strict=True):
            word = words[k]
            if word in self.counts:
                self.counts[word] += count
            elif len(self.counts) < MOST_WORDS:
                self.counts[word] = count
                self.places[word] = batch.place
            else:
                self.more = True

    def merge(self, other: Texts) -> Texts:
        """Return what is known of both; these come first."""
        for word, count in other.counts.items():
            if word in self.counts:
                self.counts[word] += count
            elif len(self.counts) < MOST_WORDS:
                self.counts[word] = count
                self.places[word] = other.places[word]
            else:
                self.more = True
        self.there += other.there
        self.more |= other.more
        self.gap = self.gap or other.gap
        return self


@dataclass
class Sample:
    """Rows at given places, as they are in the source."""

    rows: list[NDArray[np.int64]] = field(default_factory=list)
    batches: list[pa.RecordBatch] = field(default_factory=list)
    _loose: int = 0  # of the last batches, how many were not joined

    def add(self, batch: Batch, first: int, wanted: NDArray[np.int64]) -> None:
        """Take those of some rows that are in a batch, whose first row has this number."""
        begin, end = np.searchsorted(wanted, [first, first + batch.data.num_rows])
        if end > begin:
            own = wanted[begin:end]
            self.rows.append(own)
            self.batches.append(batch.data.take(pa.array(own - first)))
            self._loose += 1
            if self._loose == _LOOSE:
                self._join()

    def merge(self, other: Sample) -> Sample:
        """Return the rows of both."""
        for own in (self, other):
            own._join()
        self.rows += other.rows
        self.batches += other.batches
        return self

    def _join(self) -> None:
        """Make one batch of the last ones, where they have the same columns.

        A small batch takes more memory for what it is than for what is in it.
        """
        loose = self.batches[len(self.batches) - self._loose :]
        del self.batches[len(self.batches) - self._loose :]
        self._loose = 0
        for _, some in groupby(loose, key=lambda batch: batch.schema):
            self.batches += pa.Table.from_batches(list(some)).combine_chunks().to_batches()
