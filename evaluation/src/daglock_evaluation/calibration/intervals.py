"""Intervals of a share: as if pairs were independent, and by drawing whole tables again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from daglock.typing import Array

Interval = tuple[float, float]
# Of the normal distribution, for 95 %.
QUANTILE = 1.959964
RESAMPLES = 4000
ENDS = (2.5, 97.5)


def wilson(count: float, n: float) -> Interval:
    """Return Wilson's interval of a share.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(2, 4)]
    [0.15, 0.85]
    """
    z2, share = QUANTILE**2, count / n
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = QUANTILE * np.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return float(max(middle - half, 0.0)), float(min(middle + half, 1.0))


def by_groups(counts: Sequence[tuple[float, float]]) -> Interval:
    """Return an interval of the sum of the first over that of the second, groups drawn again.

    Examples
    --------
    >>> by_groups([(1, 2)] * 20)
    (0.5, 0.5)
    """
    return _ends(_resampled(np.array(counts, dtype=np.float64)[:, None, :])[:, 0])


def difference_by_groups(
    first: Mapping[str, tuple[float, float]], second: Mapping[str, tuple[float, float]]
) -> Interval:
    """Return an interval of the difference of two shares, the groups of both drawn together.

    Examples
    --------
    >>> one = {"a": (1.0, 4.0), "b": (1.0, 4.0)}
    >>> difference_by_groups(one, {"a": (2.0, 4.0), "b": (2.0, 4.0)})
    (-0.25, -0.25)
    """
    names = [*dict.fromkeys([*first, *second])]
    nothing = (0.0, 0.0)
    counts = [[side.get(name, nothing) for side in (first, second)] for name in names]
    shares = _resampled(np.array(counts, dtype=np.float64))
    return _ends(shares[:, 0] - shares[:, 1])


def _resampled(counts: Array) -> Array:
    """Return (resamples, k) shares from (groups, k, 2); NaN where a draw has none to count."""
    drawn = np.tensordot(_times(len(counts)), counts, axes=1)
    some = drawn[..., 1] > 0
    return np.where(some, drawn[..., 0] / np.where(some, drawn[..., 1], 1.0), np.nan)


@cache
def _times(n: int) -> Array:
    """Return (resamples, n): how often each of n groups is drawn."""
    times = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    return times.astype(np.float64)


def _ends(shares: Array) -> Interval:
    """Return the interval that has 95 % of the shares."""
    known = shares[~np.isnan(shares)]
    low, high = np.percentile(known, ENDS)
    return float(low), float(high)
