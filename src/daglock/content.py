"""Orders of rows and columns that depend on what they hold, not on how the table is sorted.

Where rows are split in halves, or given random numbers, the same data must give the same answer
however rows and columns are arranged, whatever the columns are called and in whatever units.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Values are told apart by so many steps between the least and the largest.
_STEPS = float(1 << 24)


def content_orders(X: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order of the rows and one of the columns, as good as random, by what they hold.

    Those that hold the same come in the order that they have.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 4.0], [4.0, 9.0]])
    >>> turned = 100.0 * X[::-1, ::-1] + 7.0
    >>> here, there = (Y[np.ix_(*content_orders(Y))] for Y in (X, turned))
    >>> np.allclose(there, 100.0 * here + 7.0, equal_nan=True)
    True
    """
    keys, columns = np.zeros(len(X), dtype=np.uint64), np.zeros(X.shape[1], dtype=np.uint64)
    for j, x in enumerate(X.T):
        there = np.isfinite(x)
        low, high = (x[there].min(), x[there].max()) if there.any() else (0.0, 0.0)
        span = high - low if high > low else 1.0
        steps = np.where(there, np.rint((x - low) / span * _STEPS), -1.0).astype(np.int64)
        cells = _mixed(steps.astype(np.uint64))
        columns[j] = _mixed(cells.sum(dtype=np.uint64, keepdims=True))[0]
        keys += _mixed(cells ^ columns[j])
    return np.argsort(keys, kind="stable"), np.argsort(columns, kind="stable")


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return 64 bits that depend on all of those given (splitmix64: Steele, Lea & Flood 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
