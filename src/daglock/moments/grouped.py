"""One pass over a source whose columns are known: sums of its rows, by regime and pattern of gaps.

Under a Gaussian distribution all that rows with the same gaps tell is their number, means and
scatter. So rows are grouped by what they miss, and `patterned` does with the groups what `gaps`
does with rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidDataError
from daglock.moments.steps import Steps
from daglock.moments.sums import Sums
from daglock.sources.encoding import Encoding, encode, is_numeric, numbers_in, words_in
from daglock.sources.source import Batch
from daglock.table.given import level_text
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import plural

# Regime of the rows, and which of their columns are there, as bytes.
Key: TypeAlias = tuple[str, bytes]
# Numbers that the sums of all groups may take: 128 MB.
MOST_CELLS = 1 << 24


@dataclass(frozen=True, eq=False)
class Collect:
    """What is to be summed up; called where the rows are.

    Attributes
    ----------
    encodings : of the variables; those with levels become columns of 0 and 1, all but the first
        level, where ``widths`` says so.
    widths : columns of each variable.
    label : column that tells the regime of a row; empty for none.
    keep_gaps : whether rows with missing values are kept, each with its like; else they are left
        out. Rows without any value are always left out.
    """

    encodings: tuple[Encoding, ...]
    widths: tuple[int, ...]
    label: str = ""
    keep_gaps: bool = False

    @property
    def columns(self) -> list[str]:
        """Return the columns that are read."""
        return [encoding.name for encoding in self.encodings] + [self.label] * bool(self.label)

    def __call__(self, batches: Iterable[Batch]) -> Collected:
        """Sum up batches."""
        found = Collected(Steps(sum(self.widths)))
        for batch in batches:
            for regime, rows in self.by_regime(batch, found):
                place = (batch.piece, regime)
                found.kept[place] = found.kept.get(place, 0) + rows.n
                for key, there, columns, _ in rows.groups():
                    found.add(key, there, columns, batch)
        for sums in found.sums.values():
            sums.close()
        return found

    def by_regime(self, batch: Batch, found: Collected | None = None) -> Iterator[tuple[str, Rows]]:
        """Yield the rows of each regime that are kept, in their order."""
        if not batch.data.num_rows:
            return
        columns = self.expanded(encode(batch, self.encodings))
        gaps = [np.isnan(x) for x in columns]
        missing = np.array(gaps) if any(own.any() for own in gaps) else None
        keep: BoolArray | None = None
        if missing is not None:
            complete, some = ~missing.any(axis=0), ~missing.all(axis=0)
            if found is not None:
                found.incomplete += int((~complete).sum())
                found.blank += int((~some).sum())
            keep = np.asarray(some if self.keep_gaps else complete)
            missing = missing if self.keep_gaps else None
        names, codes = label_codes(batch, self.label) if self.label else ([""], None)
        for k in [0] if codes is None else np.unique(codes).tolist():
            rows, own = Rows(names[k], columns, missing), keep
            if codes is not None:
                own = codes == k if keep is None else (codes == k) & keep
            yield names[k], rows if own is None else rows.only(own)

    def expanded(self, columns: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Return columns with categories as columns of 0 and 1, one for each level but the first.

        Examples
        --------
        >>> collect = Collect((Encoding("a", ("u", "v", "w")), Encoding("b")), (2, 1))
        >>> [x.tolist() for x in collect.expanded([np.array([0.0, 2.0, np.nan]), np.arange(3.0)])]
        [[0.0, 0.0, nan], [0.0, 1.0, nan], [0.0, 1.0, 2.0]]
        """
        result: list[NDArray[Any]] = []
        for x, width, encoding in zip(columns, self.widths, self.encodings, strict=True):
            if width == 1 and (encoding.levels is None or len(encoding.levels) == 2):
                result.append(x)
            else:
                gaps = np.isnan(x)
                result += [np.where(gaps, np.nan, x == k) for k in range(1, width + 1)]
        return result


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of one regime: their columns, and which cells are missing, (columns, rows)."""

    regime: str
    columns: list[NDArray[Any]]
    missing: BoolArray | None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    def only(self, some: BoolArray) -> Rows:
        """Return some of the rows."""
        missing = None if self.missing is None else self.missing[:, some]
        return Rows(self.regime, [x[some] for x in self.columns], missing)

    def groups(
        self,
    ) -> Iterator[tuple[Key, BoolArray, list[NDArray[Any]], BoolArray | None]]:
        """Yield the rows that miss the same: key, columns that are there, these, which rows."""
        if not self.n:
            return
        if self.missing is None or not self.missing.any():
            there = np.ones(len(self.columns), dtype=np.bool_)
            yield (self.regime, np.packbits(there).tobytes()), there, self.columns, None
            return
        codes = np.packbits(~self.missing, axis=0).T
        patterns, which = np.unique(codes, axis=0, return_inverse=True)
        for k, pattern in enumerate(patterns):
            own = np.asarray(which.ravel() == k)
            there = ~self.missing[:, int(own.argmax())]
            columns = [x[own] for x, some in zip(self.columns, there.tolist(), strict=True) if some]
            yield (self.regime, pattern.tobytes()), there, columns, own


def label_codes(batch: Batch, name: str) -> tuple[list[str], NDArray[np.intp]]:
    """Return the regimes of the rows of a batch: their names, and which one each row has."""
    if is_numeric(batch.data.column(name).type):
        x = numbers_in(batch, name)
        gaps = np.isnan(x)
        values, codes = np.unique(x, return_inverse=True)
        names = [level_text(value) for value in values.tolist()]
    else:
        names, numbers = words_in(batch, name)
        gaps = np.isnan(numbers)
        codes = np.where(gaps, 0, numbers).astype(np.intp)
    if gaps.any():
        raise InvalidDataError(
            f"Column {name!r} has no regime in {batch.where(int(gaps.argmax()))}: name it or leave "
            "that row out."
        )
    return names, codes.astype(np.intp)


@dataclass
class Collected:
    """Sums of each group of rows, and how many rows have gaps.

    Attributes
    ----------
    steps : of the grids on which the columns lie.
    sums, there : of each group, and which columns it has.
    incomplete, blank : rows with a missing value, and without any.
    kept : how many rows of each piece and regime are in the sums.
    """

    steps: Steps
    sums: dict[Key, Sums] = field(default_factory=dict)
    there: dict[Key, BoolArray] = field(default_factory=dict)
    incomplete: int = 0
    blank: int = 0
    kept: dict[tuple[int, str], int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Rows that are in the sums."""
        return sum(sums.n for sums in self.sums.values())

    def add(self, key: Key, there: BoolArray, columns: list[NDArray[Any]], batch: Batch) -> None:
        """Add rows of a group."""
        if key not in self.sums:
            self.sums[key], self.there[key] = Sums(len(columns)), there
            self._require_room()
        if not self.sums[key].add(columns):
            raise InvalidDataError(
                f"A value is infinite in {batch.place}: mend it or leave that row out."
            )
        own = iter(columns)
        empty = np.empty(0)
        whole = [next(own) if some else empty for some in there.tolist()]
        self.steps.add(whole)

    def merge(self, other: Collected) -> Collected:
        """Return the sums of the rows of both."""
        for key, sums in other.sums.items():
            if key in self.sums:
                self.sums[key].merge(sums)
            else:
                self.sums[key], self.there[key] = sums, other.there[key]
        self._require_room()
        self.steps.merge(other.steps)
        for place, rows in other.kept.items():
            self.kept[place] = self.kept.get(place, 0) + rows
        self.incomplete += other.incomplete
        self.blank += other.blank
        return self

    def only(self, columns: IntArray) -> Collected:
        """Return the sums of some of the columns; rows that have none of these are left out."""
        found = Collected(Steps(len(columns)))
        found.steps.step = self.steps.step[columns]
        for key, sums in self.sums.items():
            whole = self.there[key]
            there = whole[columns]
            if not there.any():
                continue
            own = sums.select(np.searchsorted(np.flatnonzero(whole), columns[there]))
            place = (key[0], np.packbits(there).tobytes())
            if place in found.sums:
                found.sums[place].merge(own)
            else:
                found.sums[place], found.there[place] = own, there
        return found

    def varying(self, rounding: Mapping[Key, Array] | None = None) -> dict[str, BoolArray]:
        """Return for each regime which columns have two different values there.

        Parameters
        ----------
        rounding : by how much the means of each group may be off; not at all by default.
        """
        d, found = len(self.steps.step), dict[str, BoolArray]()
        known = dict[str, tuple[Array, Array]]()  # a mean of each column, and how far it may be off
        for key, sums in self.sums.items():
            columns = np.flatnonzero(self.there[key])
            vary = found.setdefault(key[0], np.zeros(d, dtype=np.bool_))
            value, off = known.setdefault(key[0], (np.full(d, np.nan), np.zeros(d)))
            own = 0.0 if rounding is None else rounding[key]
            away = np.abs(sums.means - value[columns]) > off[columns] + own
            vary[columns] |= away | (np.diagonal(sums.scatter) > 0.0)
            value[columns], off[columns] = sums.means, own
        return found

    def totals(self) -> tuple[Array, Array]:
        """Return how many rows of each regime have each column, and the sums of their values."""
        shape = len({regime for regime, _ in self.sums}), len(self.steps.step)
        number: dict[str, int] = {}
        count, total = np.zeros(shape), np.zeros(shape)
        for key, sums in self.sums.items():
            g, there = number.setdefault(key[0], len(number)), self.there[key]
            count[g, there] += sums.n
            total[g, there] += sums.n * sums.means
        return count, total

    def shared_rows(self) -> Array:
        """Return for each pair of columns how many rows have both."""
        parts = (
            sums.n * np.outer(self.there[key], self.there[key]) for key, sums in self.sums.items()
        )
        return np.asarray(sum(parts, np.zeros(())))

    def _require_room(self) -> None:
        """Refuse more groups than there is room for."""
        cells = sum(sums.d**2 for sums in self.sums.values())
        if cells <= MOST_CELLS or len(self.sums) == 1:
            return
        patterns = {pattern for _, pattern in self.sums}
        regimes = {label for label, _ in self.sums}
        if len(patterns) > len(regimes):
            raise InvalidDataError(
                f"The rows miss values in more than {plural(len(patterns) - 1, 'different way')}, "
                "of each of which a covariance would have to be kept: leave rows with missing "
                "values out (missing='drop', --missing drop), or columns with many gaps."
            )
        raise InvalidDataError(
            f"There are more than {plural(len(regimes) - 1, 'regime')}, of each of which a "
            "covariance would have to be kept, and so many do not fit: is the column one of "
            "regimes?"
        )
