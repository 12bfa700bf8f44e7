"""Resampled rows: which ones, by themselves or in groups and in each regime; their statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidParameterError
from daglock.typing import IntArray, Statistics


class Sample(NamedTuple):
    """Statistics of resampled rows, of the columns that vary in them.

    A column with a single value in these rows has no link in their graph. The other columns are
    learned as in every other replicate.

    Attributes
    ----------
    moments : of the columns that vary.
    columns : which ones, sorted.
    """

    moments: Statistics
    columns: IntArray


@dataclass(frozen=True, eq=False)
class Drawing:
    """How rows are drawn: by themselves or in groups, from all of them or from each regime."""

    n: int
    regimes: NDArray[np.str_] | None
    strata: list[list[IntArray]] | None  # of each regime, or of all, the rows of each group

    @classmethod
    def of(
        cls, n: int, groups: NDArray[Any] | None = None, regimes: NDArray[np.str_] | None = None
    ) -> Drawing:
        """Check groups, and find the rows of each, in each regime."""
        if groups is None and regimes is None:
            return cls(n, None, None)
        inside = [np.arange(n)] if regimes is None else _places(regimes)
        if groups is None:
            return cls(n, regimes, [list(rows[:, None]) for rows in inside])
        labels = np.asarray(groups)
        if labels.shape != (n,):
            raise InvalidParameterError(
                f"groups must have a label for each of the {n} rows; its shape is {labels.shape}."
            )
        if len(np.unique(labels)) < 2:
            raise InvalidParameterError("groups has one label only: there is nothing to draw from.")
        strata = [[rows[own] for own in _places(labels[rows])] for rows in inside]
        return cls(n, regimes, strata)

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Return rows, with replacement."""
        if self.strata is None:
            return rng.integers(self.n, size=self.n)
        drawn = []
        for units in self.strata:
            drawn += [units[k] for k in rng.integers(len(units), size=len(units)).tolist()]
        return np.concatenate(drawn)


def _places(labels: NDArray[Any]) -> list[IntArray]:
    """Return where each label is."""
    _, place = np.unique(labels, return_inverse=True)
    by_label = np.argsort(place, kind="stable")
    return np.split(by_label, np.flatnonzero(np.diff(place[by_label])) + 1)
