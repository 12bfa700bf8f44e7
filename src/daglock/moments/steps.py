"""Steps: the grids on which columns lie, of rows that go by in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.table.resolution import MOST_ROWS, OFF_GRID, find_resolution, merge_resolutions
from daglock.typing import Array


class Steps:
    """The step of each column, and a value that is on its grid.

    A column without a grid is known by its first rows; of the others each value is looked at.

    Examples
    --------
    >>> steps = Steps(2)
    >>> steps.add([np.array([1.0, 3.0, 7.0, 5.0, 9.0]), np.array([0.1, 0.25, 0.3, 0.7, 0.9])])
    >>> steps.add([np.array([2.0, 4.0]), np.array([0.15, 0.2])])
    >>> steps.step.round(9).tolist()
    [1.0, 0.05]
    """

    def __init__(self, d: int) -> None:
        self.step = np.full(d, np.inf)
        self.value: Array = np.full(d, np.nan)

    def add(self, columns: Sequence[NDArray[Any]]) -> None:
        """Look at further values, all of them finite."""
        for j in np.flatnonzero(self.step > 0.0).tolist():
            x = columns[j]
            if not len(x):
                continue
            if np.isinf(self.step[j]):
                first = self.value[j : j + 1]
                both = x if np.isnan(first[0]) else np.concatenate([first, x])
                self.step[j] = _step(both)
                self.value[j] = x[0]
            else:
                self.step[j] = _finer(x, float(self.value[j]), float(self.step[j]))

    def merge(self, other: Steps) -> None:
        """Take the values of others for further ones."""
        step = merge_resolutions(self.step, other.step)
        for j in np.flatnonzero((step > 0.0) & ~np.isnan(self.value) & ~np.isnan(other.value)):
            if np.isfinite(step[j]):
                step[j] = _finer(other.value[j : j + 1], float(self.value[j]), float(step[j]))
        self.step = step
        self.value = np.where(np.isnan(self.value), other.value, self.value)


def _step(x: NDArray[Any]) -> float:
    """Return the step of a column."""
    return float(find_resolution(x[:, None])[0])


def _finer(x: NDArray[Any], value: float, step: float) -> float:
    """Return the step of a grid that holds further values, too."""
    ratio = (x - value) / step
    off = np.flatnonzero(np.abs(ratio - np.rint(ratio)) > OFF_GRID)
    if not len(off):
        return step
    grid = value + step * np.arange(4.0)
    finer = _step(np.concatenate([grid, x[off[:MOST_ROWS]]]))
    if not 0.0 < finer < step:
        return 0.0
    return _finer(x, value, finer)
