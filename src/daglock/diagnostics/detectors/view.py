"""View: what detectors look at of a table, worked out once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from daglock.table import Table
from daglock.table.kinds import Kind
from daglock.table.policy import MOST_SHOWN, as_argument
from daglock.table.resolution import find_resolution
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import listed

# Rows of a sample; what a detector says of a million rows it says of these.
MOST_ROWS = 5000
# Complete rows that are enough to do without the others.
ENOUGH = 500
# Different values up to which a column can stand for batches; more are groups of rows.
MOST_BATCHES = 20
# Columns that are named at once.
_MOST_CALLED = 6


@dataclass(frozen=True)
class View:
    """A table as detectors see it.

    Examples
    --------
    >>> view = View(Table(np.array([[1.0, 5.0], [2.0, np.nan], [1.0, 7.0]]), ("a", "b")))
    >>> view.values[0].tolist(), view.counts[0].tolist(), view.present.tolist()
    ([1.0, 2.0], [2, 1], [3, 2])
    """

    table: Table
    labels: NDArray[np.str_] | None = None  # regime of each row

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.table.data.shape[0])

    @property
    def d(self) -> int:
        """Number of columns."""
        return int(self.table.data.shape[1])

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        return self.table.labels

    @cached_property
    def _tallies(self) -> list[tuple[Array, IntArray]]:
        """The different values of each column and how often each occurs."""
        result = []
        for column in self.table.data.T:
            cells = np.asarray(column, dtype=np.float64)
            values, counts = np.unique(cells[~np.isnan(cells)], return_counts=True)
            result.append((values, counts.astype(np.intp)))
        return result

    @property
    def values(self) -> list[Array]:
        """For each column its different values, sorted."""
        return [values for values, _ in self._tallies]

    @property
    def counts(self) -> list[IntArray]:
        """For each column how often each of its values occurs."""
        return [counts for _, counts in self._tallies]

    @cached_property
    def present(self) -> IntArray:
        """How many values each column has."""
        return np.array([counts.sum() for counts in self.counts], dtype=np.intp)

    @cached_property
    def whole(self) -> BoolArray:
        """Whether the values of each column are whole numbers."""
        return np.array([bool((v == np.round(v)).all()) for v in self.values])

    @cached_property
    def numeric(self) -> BoolArray:
        """Which columns are numbers that vary, and no labels."""
        labels = [kind.kind is Kind.CATEGORICAL for kind in self.table.kinds]
        return np.array([len(v) > 1 for v in self.values]) & ~np.array(labels, dtype=np.bool_)

    @cached_property
    def measured(self) -> IntArray:
        """The columns of numbers with more than a handful of values."""
        many = np.array([len(v) > 10 for v in self.values])
        return np.flatnonzero(self.numeric & many)

    @cached_property
    def rows(self) -> IntArray:
        """A sample of rows in their order, complete ones where there are enough."""
        complete = np.flatnonzero(~np.isnan(self.table.data).any(axis=1))
        rows = complete if len(complete) >= min(ENOUGH, self.n / 2) else np.arange(self.n)
        return rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(np.intp)]

    @cached_property
    def sample(self) -> Array:
        """The sample, with means in place of what is missing."""
        return filled(np.array(self.table.data[self.rows], dtype=np.float64))

    @cached_property
    def scaled(self) -> Array:
        """The sample in standard deviations."""
        return standardised(self.sample)

    @cached_property
    def centred(self) -> Array:
        """The sample around the means of its regimes, where there are regimes."""
        if self.labels is None:
            return self.sample
        return around_means(self.sample, self.labels[self.rows])

    @cached_property
    def within(self) -> Array:
        """The sample within regimes, in standard deviations."""
        return self.scaled if self.labels is None else standardised(self.centred)

    @cached_property
    def correlation(self) -> Array:
        """Correlations of the sample."""
        return np.asarray(self.scaled.T @ self.scaled / len(self.scaled))

    @cached_property
    def steps(self) -> Array:
        """Step of the grid on which each column was recorded; 0 where there is none."""
        steps = find_resolution(self.sample)
        return np.where(np.isfinite(steps), steps, 0.0)

    def row(self, i: int) -> int:
        """Return the number of a row as it was in its source, counted from 1."""
        gone = np.concatenate([*self.table.dropped.values(), np.empty(0, dtype=np.intp)])
        there = np.setdiff1d(np.arange(self.n + len(gone)), gone)
        return int(there[i]) + 1

    def called(self, columns: Iterable[int]) -> str:
        """Return the names of columns, the rest counted."""
        return listed([self.names[j] for j in columns], _MOST_CALLED)

    def named(self, columns: Iterable[int]) -> tuple[str, ...]:
        """Return the names of columns."""
        return tuple(self.names[j] for j in columns)

    def drop(self, columns: Iterable[int]) -> str:
        """Return the option that leaves columns out; nothing where it would be too long."""
        names = self.named(columns)
        return f"--drop {as_argument(names)}" if len(names) <= MOST_SHOWN else ""


def filled(X: Array) -> Array:
    """Return columns with their means in place of what is missing."""
    gaps = np.isnan(X)
    if not gaps.any():
        return X
    with warnings.catch_warnings():  # a column without any value has no mean
        warnings.simplefilter("ignore", RuntimeWarning)
        means = np.nan_to_num(np.nanmean(X, axis=0))
    return np.where(gaps, means, X)


def around_means(X: Array, labels: NDArray[np.str_]) -> Array:
    """Return rows less the means of their regime."""
    result = X.copy()
    for label in np.unique(labels):
        own = labels == label
        result[own] -= result[own].mean(axis=0)
    return result


def standardised(X: Array) -> Array:
    """Return columns with mean 0 and variance 1; 0 where they do not vary."""
    centred = X - X.mean(axis=0)
    deviation = np.sqrt((centred**2).mean(axis=0))
    still = deviation <= 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    return np.where(still, 0.0, centred / np.where(still, 1.0, deviation))
