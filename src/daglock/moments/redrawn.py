"""Rows of a source drawn again: how often each is drawn, and sums with these weights.

As many rows are drawn as there are, with replacement: how often each comes is multinomial. The
draws are first divided among blocks of rows, then inside each block by a generator of its own that
is seeded by seed, replicate, regime and block. So the weight of a row depends on its number alone,
not on the batch in which it comes nor on the machine that reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidDataError
from daglock.moments.grouped import Collect, Collected, Key
from daglock.moments.steps import Steps
from daglock.moments.sums import Sums
from daglock.sources.source import Batch, first_rows
from daglock.typing import Array, BoolArray

# Rows that share a generator.
BLOCK = 1 << 15
# Numbers that the sums of replicates may take at the same time, of all runs of pieces: 128 MB.
_ROOM = 1 << 24
# What does not vary scatters by rounding alone, and so its means are off: by less than this share.
_STILL, _ROUNDED = 1e-11, 1e-12
CHANGED = "The rows are not those that were read first: do not change files while they are read."


class Weights:
    """How often each row of a stratum is drawn, in some replicates.

    Parameters
    ----------
    n : rows of the stratum, which are drawn among themselves.
    seed : whole numbers.
    stratum : its name.
    replicates : which ones.

    Examples
    --------
    >>> weights = Weights(10, (0,), "", range(3))
    >>> whole = weights.of(0, 10)
    >>> whole.sum(axis=1).tolist(), bool((weights.of(4, 9) == whole[:, 4:9]).all())
    ([10, 10, 10], True)
    """

    def __init__(self, n: int, seed: tuple[int, ...], stratum: str, replicates: range) -> None:
        self.n, self.replicates = n, replicates
        self._seed = (*seed, crc32(stratum.encode()))
        self._sizes = np.full(-(-n // BLOCK), BLOCK)
        self._sizes[-1] = n - BLOCK * (len(self._sizes) - 1)
        share = self._sizes / n
        self._draws = [
            np.random.default_rng([*self._seed, b, 0]).multinomial(n, share) for b in replicates
        ]
        self._block = -1
        self._weights: NDArray[np.uint16] = np.empty((0, 0), dtype=np.uint16)

    def of(self, first: int, end: int) -> NDArray[np.uint16]:
        """Return how often the rows from the first up to an end are drawn, (replicates, rows)."""
        if end > self.n:
            raise InvalidDataError(CHANGED)
        parts = [np.empty((len(self.replicates), 0), dtype=np.uint16)]
        while first < end:
            block = first // BLOCK
            here = min(end, (block + 1) * BLOCK)
            parts.append(self._of_block(block)[:, first - block * BLOCK : here - block * BLOCK])
            first = here
        return parts[1] if len(parts) == 2 else np.concatenate(parts, axis=1)

    def _of_block(self, block: int) -> NDArray[np.uint16]:
        """Return the weights of a block; the last one is kept, for its rows come together."""
        if block != self._block:
            size = int(self._sizes[block])
            weights = np.empty((len(self.replicates), size), dtype=np.uint16)
            for k, b in enumerate(self.replicates):
                rng = np.random.default_rng([*self._seed, b, block + 1])
                drawn = rng.integers(0, size, self._draws[k][block], dtype=np.uint32)
                weights[k] = np.bincount(drawn, minlength=size)
            self._block, self._weights = block, weights
        return self._weights


@dataclass(frozen=True, eq=False)
class Redraw:
    """What is to be summed up with weights; called where the rows are.

    Attributes
    ----------
    collect : how batches become columns and groups.
    kept : rows of each piece and regime that are drawn from.
    centre : of each group, a value near the means of its columns.
    seed : whole numbers.
    replicates : which ones.
    """

    collect: Collect
    kept: Mapping[tuple[int, str], int]
    centre: Mapping[Key, Array]
    seed: tuple[int, ...]
    replicates: range

    def __call__(self, batches: Iterable[Batch]) -> Redrawn:
        """Sum up batches."""
        found = Redrawn(len(self.replicates))
        regimes = sorted({regime for _, regime in self.kept})
        strata, first = dict[str, Weights](), dict[str, dict[int, int]]()
        for regime in regimes:
            own = {piece: n for (piece, other), n in self.kept.items() if other == regime}
            strata[regime] = Weights(sum(own.values()), self.seed, regime, self.replicates)
            first[regime] = first_rows(own)
        done: dict[tuple[int, str], int] = {}
        for batch in batches:
            for regime, rows in self.collect.by_regime(batch):
                if regime not in strata:
                    raise InvalidDataError(CHANGED)
                place = (batch.piece, regime)
                begin = first[regime].get(batch.piece, 0) + done.get(place, 0)
                done[place] = done.get(place, 0) + rows.n
                weights = strata[regime].of(begin, begin + rows.n)
                for key, there, columns, some in rows.groups():
                    if key not in self.centre:
                        raise InvalidDataError(CHANGED)
                    own_weights = weights if some is None else weights[:, some]
                    found.add(key, there, columns, own_weights, self.centre[key])
        return found


@dataclass
class Redrawn:
    """Sums of each group, for each replicate: rows, first and second moments around a centre."""

    n_replicates: int
    sums: dict[Key, Array] = field(default_factory=dict)  # (replicates, k + 1, k + 1)
    there: dict[Key, BoolArray] = field(default_factory=dict)
    centre: dict[Key, Array] = field(default_factory=dict)

    def add(
        self,
        key: Key,
        there: BoolArray,
        columns: list[NDArray[Any]],
        weights: NDArray[np.uint16],
        centre: Array,
    ) -> None:
        """Add rows with their weights."""
        k, m = len(columns), weights.shape[1]
        if key not in self.sums:
            self.sums[key] = np.zeros((self.n_replicates, k + 1, k + 1))
            self.there[key], self.centre[key] = there, centre
        block = np.ones((k + 1, m))
        for j, column in enumerate(columns):
            np.subtract(column, centre[j], out=block[j])
        weighted = np.empty_like(block)
        total = self.sums[key]
        for b, own in enumerate(weights):
            np.multiply(block, np.sqrt(own, dtype=np.float64), out=weighted)
            total[b] += weighted @ weighted.T

    def merge(self, other: Redrawn) -> Redrawn:
        """Return the sums of the rows of both."""
        for key, sums in other.sums.items():
            if key in self.sums:
                self.sums[key] += sums
            else:
                self.sums[key], self.there[key] = sums, other.there[key]
                self.centre[key] = other.centre[key]
        return self

    def replicate(self, b: int, step: Array) -> Collected:
        """Return the sums of one replicate, as those of rows are."""
        found = Collected(Steps(len(step)))
        found.steps.step = step
        for key in sorted(self.sums):
            total = self.sums[key][b]
            n = round(float(total[-1, -1]))
            if not n:
                continue
            offset = total[-1, :-1] / n
            sums = Sums(len(offset))
            sums.n, sums.means = n, self.centre[key] + offset
            sums.scatter = total[:-1, :-1] - n * np.outer(offset, offset)
            # what does not vary in the rows that were drawn scatters by rounding alone
            still = np.diagonal(sums.scatter) <= _STILL * np.diagonal(total)[:-1]
            sums.scatter[still] = sums.scatter[:, still] = 0.0
            found.sums[key], found.there[key] = sums, self.there[key]
        return found

    def varying(self, drawn: Collected) -> dict[str, BoolArray]:
        """Return for each regime which columns have two different values in a replicate."""
        off = {
            key: _ROUNDED * (np.abs(self.centre[key]) + np.abs(sums.means))
            for key, sums in drawn.sums.items()
        }
        return drawn.varying(off)


def replicates_at_once(columns: Iterable[int], parts: int) -> int:
    """Return of how many replicates the sums fit into memory, of groups with so many columns.

    Examples
    --------
    >>> replicates_at_once([20], 8), replicates_at_once([1000], 1), replicates_at_once([9000], 1)
    (4755, 16, 1)
    """
    return max(1, _ROOM // (parts * sum((k + 1) ** 2 for k in columns)))
