"""Resolution: the step of the grid on which the values of a column were recorded.

Values that were rounded lie on a grid: whole numbers, tenths, or either of them after a change of
units. The step is the greatest common divisor of the gaps between neighbouring values, up to the
rounding of doubles. Gaps between sorted values are small multiples of the step, so that Euclid's
algorithm has few errors to carry along.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array

# Rows that are looked at first, evenly spaced; and those that tell that a column has no grid.
MOST_ROWS = 10_000
FIRST_ROWS = 64
# A step below this share of the standard deviation is as good as none.
FINEST = 1e-6
# Gaps that must agree before a step is believed.
FEWEST_GAPS = 3
# A value that is so many steps away from the grid is not on it.
OFF_GRID = 0.01
_MAX_PASSES = 60
_BLOCK_CELLS = 1 << 20


def find_resolution(table: NDArray[Any]) -> Array:
    """Step of the grid of each column: 0 where it has none, infinity where too few values tell.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(100.0, 20.0, size=(500, 1))
    >>> find_resolution(np.hstack([x, x.round(), x.round(1) / 4, np.ones_like(x)]))
    array([0.   , 1.   , 0.025,   inf])
    """
    n, d = table.shape
    if n > 4 * FIRST_ROWS:
        result = _steps(table[_spaced(n, FIRST_ROWS)])
        columns = np.flatnonzero(result != 0.0)
    else:
        result, columns = np.zeros(d), np.arange(d)
    rows = _spaced(n, MOST_ROWS)
    width = max(1, _BLOCK_CELLS // len(rows))
    for start in range(0, len(columns), width):
        some = columns[start : start + width]
        result[some] = _steps(table[np.ix_(rows, some)])
    if n > MOST_ROWS:
        for j in np.flatnonzero((result > 0.0) & np.isfinite(result)):
            result[j] = _of_all(table[:, j], rows, float(result[j]))
    return result


def _of_all(column: NDArray[Any], rows: NDArray[np.intp], step: float) -> float:
    """Step of a whole column, from that of some of its rows: what is off the grid is added."""
    for _ in range(_MAX_PASSES):
        ratio = (column - column[rows[0]]) / step
        off = np.flatnonzero(np.abs(ratio - np.rint(ratio)) > OFF_GRID)
        if not len(off):
            return step
        rows = np.concatenate([rows, off[:MOST_ROWS]])
        finer = float(_steps(column[rows, None])[0])
        if finer == 0.0 or finer >= step:
            return 0.0
        step = finer
    return 0.0


def merge_resolutions(first: Array, second: Array) -> Array:
    """Step of a grid that holds both: the common divisor, or 0 where there is none.

    Examples
    --------
    >>> one, other = np.array([1.0, 0.2, 0.1, np.inf]), np.array([0.1, 0.3, 0.0, 2.0])
    >>> merge_resolutions(one, other).round(9)
    array([0.1, 0.1, 0. , 2. ])
    """
    small, large = np.minimum(first, second), np.maximum(first, second)
    result = np.where(np.isinf(large), small, 0.0)  # a grid that cannot be told is any grid
    open_ = (small > 0.0) & np.isfinite(large)
    floor = FINEST * large
    for _ in range(10):
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = np.abs(large - np.rint(large / small) * small)
        done = open_ & (rest <= 1e-6 * small)
        result[done] = small[done]
        open_ &= ~done & (rest > floor)
        large, small = np.where(open_, small, 1.0), np.where(open_, rest, 1.0)
    return result


def _spaced(n: int, most: int) -> NDArray[np.intp]:
    """Rows at even distances, at most so many."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))


def _steps(table: NDArray[Any]) -> Array:
    """Euclid's algorithm on the gaps of all columns at once.

    The smallest gap is the first guess; what a guess leaves of some gap, beyond rounding, is the
    next one.
    """
    eps = np.finfo(table.dtype if table.dtype.kind == "f" else np.float64).eps
    values = np.sort(table.astype(np.float64), axis=0)
    d = values.shape[1]
    if len(values) < 2:
        return np.full(d, np.inf)
    noise = 4.0 * eps * np.abs(values[[0, -1]]).max(axis=0)  # of a gap
    with np.errstate(over="ignore", invalid="ignore"):  # Moments reports an overflow
        floor = np.maximum(FINEST * values.std(axis=0), 1e4 * noise)
        gaps = np.diff(values, axis=0)
    gaps[~(gaps > 2.0 * noise)] = np.inf  # a value that occurs twice
    step, error = gaps.min(axis=0), noise.copy()
    gaps[np.isinf(gaps)] = 0.0
    result = np.full(d, np.inf)
    active = np.flatnonzero(np.isfinite(step))
    for _ in range(_MAX_PASSES):
        if not len(active):
            break
        fine = step[active] < floor[active]
        result[active[fine]] = 0.0
        active = active[~fine]
        g = step[active]
        ratio = np.rint(gaps[:, active] / g)
        rest = np.abs(gaps[:, active] - ratio * g)
        doubt = noise[active] + 2.0 * ratio * error[active]
        told = (ratio > 0) & (doubt < 0.01 * g)  # a gap of very many steps tells nothing
        left = np.where(told & (rest > doubt), rest, np.inf)
        row = left.argmin(axis=0)
        index = np.arange(len(active))
        smaller = np.isfinite(left[row, index])
        settled = active[~smaller]
        enough = told.sum(axis=0) >= np.maximum(FEWEST_GAPS, 0.5 * (ratio > 0).sum(axis=0))
        result[settled] = np.where(enough[~smaller], step[settled], np.inf)
        step[active] = np.where(smaller, left[row, index], g)
        error[active] = noise[active] + ratio[row, index] * error[active]
        active = active[smaller]
    result[active] = 0.0
    return result
