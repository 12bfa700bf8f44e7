"""Covariances of resampled rows: what the intervals of effects are drawn from, in little room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock.confidence.drawn import Sample
from daglock.graph import WeightedDAG
from daglock.typing import Array, IntArray, Statistics

# Room for all of them, and the fewest that are worth keeping.
MOST_BYTES, FEWEST = 1 << 24, 25

Packed = NDArray[np.float32]


class Replicate(NamedTuple):
    """The graph of resampled rows, and their covariance if it is kept, see `pack`."""

    dag: WeightedDAG
    packed: Packed | None = None


def n_kept(like: Statistics, n: int) -> int:
    """Return how many of n replicates there is room for; 0 if they are too few, or none is needed.

    Examples
    --------
    >>> from daglock.moments import Moments
    >>> [n_kept(Moments.from_covariance(np.eye(d), 100), 100) for d in (50, 300, 500, 800)]
    [100, 92, 33, 0]
    """
    whole = like.covariances
    if whole is None:
        return 0
    groups, d, _ = whole.shape
    room = MOST_BYTES // (4 * groups * (d + d * (d - 1) // 2))
    return n if room >= n else room if room >= FEWEST else 0


def pack(sample: Sample, like: Statistics) -> Packed:
    """Return standard deviations, and by how much correlations differ from those of all rows.

    A column that does not vary in the sample has the deviation 0.

    Returns
    -------
    (groups, D + D(D − 1)/2), where all rows are one group, or each regime is one.
    """
    whole, own = like.covariances, sample.moments.covariances
    assert whole is not None
    groups, d, _ = whole.shape
    upper = np.triu_indices(d, 1)
    packed = np.zeros((groups, d + len(upper[0])), dtype=np.float32)
    if len(sample.columns) < 2 or own is None:
        return packed
    here, there = like.places(sample.moments, sample.columns)
    for g, (S, C) in enumerate(zip(whole, own, strict=True)):
        deviation, R = _correlation(S)
        deviations, drawn = np.zeros(d), R.copy()
        deviations[there], found = _correlation(C[np.ix_(here, here)])
        drawn[np.ix_(there, there)] = np.where(found != 0.0, found, R[np.ix_(there, there)])
        ratio = deviations / np.where(deviation > 0.0, deviation, 1.0)
        packed[g] = np.concatenate([ratio, (drawn - R)[upper]])
    return packed


@dataclass(frozen=True, eq=False)
class Resampled:
    """Covariances of n replicates.

    Attributes
    ----------
    packed : (n, groups, D + D(D − 1)/2), see `pack`; deviations are shares of those of all rows.
    """

    packed: Packed

    @classmethod
    def of(cls, replicates: Sequence[Replicate]) -> Resampled | None:
        """Return those that were kept; None if none was."""
        packed = [one.packed for one in replicates if one.packed is not None]
        return cls(np.array(packed)) if packed else None

    def __len__(self) -> int:
        return len(self.packed)

    def covariance(
        self, k: int, like: Statistics, columns: Sequence[int], groups: IntArray | None = None
    ) -> Array:
        """Return the covariance of some columns in replicate k, modulo their number.

        Parameters
        ----------
        like : statistics of all rows.
        columns : of these statistics; of a category one for each level but the first.
        groups : regimes whose rows count; all by default.
        """
        whole, rows = like.covariances, like.group_rows
        assert whole is not None
        d, some = whole.shape[1], np.asarray(columns, dtype=np.intp)
        chosen = np.arange(len(whole)) if groups is None else groups
        packed = self.packed[k % len(self.packed), chosen].astype(np.float64)
        first, second = np.minimum.outer(some, some), np.maximum.outer(some, some)
        # where the pair i < j stands in an upper triangle without its diagonal
        place = first * d - first * (first + 1) // 2 + second - first - 1
        apart = first != second
        total = np.zeros((len(some), len(some)))
        for g, own in zip(chosen.tolist(), packed, strict=True):
            deviation, R = _correlation(whole[g][np.ix_(some, some)])
            change = np.where(apart, own[d + np.where(apart, place, 0)], 0.0)
            drawn = deviation * own[some]
            total += rows[g] * (R + change) * np.outer(drawn, drawn)
        return np.asarray(total / rows[chosen].sum())


def _correlation(S: Array) -> tuple[Array, Array]:
    """Return standard deviations and correlations; 0 of columns that do not vary."""
    deviation = np.sqrt(np.maximum(np.diagonal(S), 0.0))
    scale = np.where(deviation > 0.0, deviation, np.inf)
    R = S / np.outer(scale, scale)
    np.fill_diagonal(R, 1.0)
    return deviation, R
