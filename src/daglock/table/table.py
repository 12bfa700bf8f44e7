"""Table: numbers and their names, what was assumed of them and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.table.doubts import Doubt
from daglock.table.kinds import CONTINUOUS, ColumnKind, Schema
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import default_names

# Why rows were left out.
BLANK = "without any value"
INCOMPLETE = "with missing values"
NOTHING = "without a value in any variable"


@dataclass(frozen=True, eq=False)
class LeftOut:
    """A column that is no variable: what it is, and what it holds where that can be said."""

    kind: ColumnKind
    values: Array | None = None  # numbers, or those of the words
    words: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """A table of numbers.

    Examples
    --------
    >>> table = Table(np.array([[1.0, 2.0], [np.nan, 3.0]]), ("a", "b"))
    >>> table.without(np.array([False, True]), INCOMPLETE).dropped
    {'with missing values': array([1])}
    """

    data: NDArray[Any] = field(repr=False)  # (n, d), NaN where a cell is missing
    names: tuple[str, ...] | None = None  # d different ones; None where the columns have none
    notes: tuple[str, ...] = ()  # plain sentences about what was assumed while reading
    first_missing: str = ""  # place of the first missing cell in its file, if there is one
    library: str | None = None  # whose frames it came as; results are handed back in them
    # Rows that were left out, as they were counted in the source from 0, by the reason.
    dropped: Mapping[str, IntArray] = field(default_factory=dict)
    # What each of the d columns is. A column with levels holds their numbers, 0, 1, ...
    kinds: tuple[ColumnKind, ...] = ()
    # Columns that are no variables, and why, in words: "row counter", "date", "does not vary".
    left_out: Mapping[str, str] = field(default_factory=dict)
    # What those columns are and hold, and all columns in the order in which they came.
    aside: Mapping[str, LeftOut] = field(default_factory=dict, repr=False)
    source: tuple[str, ...] = field(default=(), repr=False)
    # Columns whose whole numbers have more digits than a double keeps.
    rounded: tuple[str, ...] = ()
    # Columns of text that cannot be taken for numbers, though they say such.
    doubts: tuple[Doubt, ...] = ()

    def __post_init__(self) -> None:
        if not self.kinds and self.data.ndim == 2:
            object.__setattr__(self, "kinds", (CONTINUOUS,) * self.data.shape[1])

    @property
    def labels(self) -> tuple[str, ...]:
        """The names, or x0, x1, ... where there are none, without those that were left out."""
        if self.names is None and self.source:
            return tuple(name for name in self.source if name not in self.left_out)
        return self.names or default_names(self.data.shape[1])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, those that were left out too, in the order of the source."""
        return self.source or self.labels

    @property
    def schema(self) -> Schema:
        """What another table must be like to be read as this one."""
        return Schema(self.labels, self.kinds, self.columns, self.names is not None)

    def kind_of(self, name: str) -> ColumnKind:
        """Return what a column is, whether it is used or was left out."""
        if name in self.aside:
            return self.aside[name].kind
        return self.kinds[self.labels.index(name)]

    @property
    def n_dropped(self) -> int:
        """Rows that were left out for missing values; blank rows of a file are no rows."""
        return sum(len(self.dropped.get(reason, ())) for reason in (INCOMPLETE, NOTHING))

    def without(self, rows: BoolArray, reason: str) -> Table:
        """Return the table without some of its rows, which it remembers."""
        gone = np.concatenate([*self.dropped.values(), np.empty(0, dtype=np.intp)])
        there = np.setdiff1d(np.arange(len(self.data) + len(gone)), gone)
        aside = {
            name: replace(column, values=None if column.values is None else column.values[~rows])
            for name, column in self.aside.items()
        }
        dropped = {**self.dropped, reason: there[rows]}
        return replace(self, data=self.data[~rows], dropped=dropped, aside=aside)
