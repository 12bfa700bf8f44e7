"""Blocks: moments of a table in which a variable is one column or several.

A categorical variable of r levels is a block of r − 1 columns, each 0 or 1, one for every level but
the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidDataError
from daglock.moments import Moments
from daglock.table.kinds import Kind
from daglock.table.policy import column
from daglock.table.table import Table
from daglock.typing import Array, IntArray
from daglock.wording import default_names, plural

# Added to variances, so that columns that determine each other have a likelihood.
_TRIFLE = 1e-8


@dataclass(frozen=True, eq=False)
class Blocks:
    """Moments of columns, and which of them make up each variable.

    Parameters
    ----------
    columns : moments of all columns.
    first : (d + 1,) where the columns of each variable begin; the last is their number.
    means : (d,) of the numbers in the table, codes of categories among them.
    levels : names of the levels of each variable, the one that the others are compared with first;
        None where it is a number.
    names : of the variables, if they have any.

    Examples
    --------
    >>> from daglock.table.kinds import CONTINUOUS, ColumnKind
    >>> kinds = ColumnKind(Kind.CATEGORICAL, ("a", "b", "c")), CONTINUOUS
    >>> X = np.array([[0.0, 1.5], [1.0, 2.0], [2.0, 0.5], [2.0, 1.0]])
    >>> blocks = Blocks.from_table(Table(X, ("group", "dose"), kinds=kinds))
    >>> blocks.columns.names, blocks.first.tolist()
    (('group=b', 'group=c', 'dose'), [0, 2, 3])
    """

    columns: Moments
    first: IntArray
    means: Array
    levels: tuple[tuple[str, ...] | None, ...]
    names: tuple[str, ...] | None = None

    @classmethod
    def from_table(
        cls,
        table: Table,
        moments: Callable[[Array, Sequence[str] | None], Moments] = Moments.from_data,
        labels: NDArray[np.str_] | None = None,
    ) -> Blocks:
        """Expand categorical columns and take the moments.

        Parameters
        ----------
        table : NaN where a value is missing.
        moments : from rows and names to moments, those of missing values among them.
        labels : regime of each row, if these moments are within regimes.

        Raises
        ------
        InvalidDataError
            A variable does not vary.
        """
        X, first, names, levels = expand(table, labels)
        means = np.nanmean(table.data, axis=0)
        return cls(moments(X, names), first, means, levels, table.names)

    def __repr__(self) -> str:
        """One line for a person."""
        return (
            f"<Blocks: {plural(self.n, 'row')}, {plural(self.d, 'variable')} in "
            f"{plural(self.columns.d, 'column')}>"
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.columns.n

    @property
    def n_rows(self) -> int:
        """Number of rows of the table, more than n where values are missing."""
        return self.columns.n_rows

    @property
    def missing(self) -> float:
        """Share of the cells that are missing."""
        return self.columns.missing

    @property
    def d(self) -> int:
        """Number of variables."""
        return len(self.first) - 1

    @property
    def n_fewest(self) -> int:
        """Rows behind the mechanism of a node, at the fewest: all."""
        return self.n

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the variables; x0, x1, ... where there are none."""
        return self.names or default_names(self.d)

    @property
    def widths(self) -> IntArray:
        """Number of columns of each variable, (d,)."""
        return np.diff(self.first)

    @property
    def freedoms(self) -> Array:
        """Degrees of freedom of an edge between each pair, p_i p_j."""
        p = self.widths.astype(np.float64)
        return np.asarray(p[:, None] * p)[np.triu_indices(self.d, 1)]

    @property
    def extras(self) -> Array:
        """What an edge between each pair costs beyond the price of an edge, per row."""
        return np.asarray((self.freedoms - 1.0) * np.log(self.n) / self.n)

    @property
    def likeness(self) -> Array:
        """How far each pair depends on each other, (d, d): ``√(1 − |S_ij| / (|S_i| |S_j|))``."""
        R = self.whitened()
        members = [self.members([j]) for j in range(self.d)]
        found = np.abs(R[np.ix_(self.first[:-1], self.first[:-1])])
        several = self.widths > 1
        pairs = np.tril(several[:, None] | several, -1)
        for i, j in np.argwhere(pairs).tolist():
            both = np.concatenate([members[i], members[j]])
            gain = -_log_determinant(R[np.ix_(both, both)])
            found[i, j] = found[j, i] = np.sqrt(max(-np.expm1(-gain), 0.0))
        np.fill_diagonal(found, 1.0)
        return found

    def whitened(self) -> Array:
        """Covariance of all columns, (D, D), with those of each variable made uncorrelated.

        Then a variable alone costs nothing, whichever of its levels has no column. The variances
        are a trifle above 1: where levels of two variables say the same, what that is worth does
        not depend on which column comes first.
        """
        R = self.columns.standardised().cov.copy()
        for j in np.flatnonzero(self.widths > 1).tolist():
            own = self.members([j])
            values, vectors = np.linalg.eigh(R[np.ix_(own, own)])
            T = vectors / np.sqrt(np.maximum(values, _TRIFLE)) @ vectors.T
            R[own] = T @ R[own]
            R[:, own] = R[:, own] @ T
        np.fill_diagonal(R, 1.0 + _TRIFLE)
        return R

    def members(self, variables: Sequence[int] | IntArray) -> IntArray:
        """Return the columns of some variables."""
        own = [np.arange(self.first[j], self.first[j + 1]) for j in variables]
        return np.concatenate([*own, np.empty(0, dtype=np.intp)]).astype(np.intp)

    @property
    def covariances(self) -> Array:
        """The covariance of all columns, (1, D, D)."""
        return self.columns.cov[None]

    @property
    def group_rows(self) -> Array:
        """All rows are one group."""
        return np.ones(1)

    def places(self, other: Blocks, variables: IntArray) -> tuple[IntArray, IntArray]:
        """Return columns of other blocks, of some variables, and which of these columns they are.

        Without those of a category whose first level is not there: the others have nothing to be
        compared with.
        """
        here, there = list[int](), list[int]()
        for k, v in enumerate(variables.tolist()):
            own, levels = other.levels[k], self.levels[v]
            first, start = int(other.first[k]), int(self.first[v])
            if own is None or levels is None or len(levels) != self.widths[v] + 1:
                here.append(first)
                there.append(start)
            elif own[0] == levels[0]:
                here += range(first, first + len(own) - 1)
                there += [start + levels.index(level) - 1 for level in own[1:]]
        return np.array(here, dtype=np.intp), np.array(there, dtype=np.intp)

    def redraw(self, rng: np.random.Generator) -> Blocks:
        """Return what would be kept of n rows from the Gaussian with these moments."""
        return replace(self, columns=self.columns.redraw(rng))

    def edge_scale(self, source: IntArray, target: IntArray) -> Array:
        """Return the ratio of standard deviations between single columns, else 1."""
        scale = self.columns.edge_scale(self.first[source], self.first[target])
        return np.where((self.widths[source] == 1) & (self.widths[target] == 1), scale, 1.0)

    def select(self, columns: Sequence[int] | IntArray) -> Blocks:
        """Blocks of some of the variables, in the order in which they are given."""
        some = np.asarray(columns, dtype=np.intp)
        first = np.concatenate([[0], np.cumsum(self.widths[some])]).astype(np.intp)
        names = None if self.names is None else tuple(self.names[j] for j in some)
        levels = tuple(self.levels[j] for j in some)
        chosen = self.columns.select(self.members(some))
        return Blocks(chosen, first, self.means[some], levels, names)


def expand(
    table: Table, labels: NDArray[np.str_] | None = None
) -> tuple[Array, IntArray, tuple[str, ...], tuple[tuple[str, ...] | None, ...]]:
    """Return all columns of a table with its categories as columns of 0 and 1.

    Returns
    -------
    array of shape (n, D); where those of each variable begin, (d + 1,); their names; and the levels
    of each variable. A level has a column if it varies within a regime, or, without regimes, if it
    occurs. The first of these has none: the others are compared with it.
    """
    parts: list[Array] = []
    widths: list[int] = []
    names: list[str] = []
    levels: list[tuple[str, ...] | None] = []
    regime = np.zeros(len(table.data), dtype=np.intp)
    if labels is not None:
        regime = np.unique(labels, return_inverse=True)[1]
    for j, (name, kind) in enumerate(zip(table.labels, table.kinds, strict=True)):
        x = np.asarray(table.data[:, j], dtype=np.float64)
        if kind.kind is not Kind.CATEGORICAL or kind.levels is None:
            parts.append(x[:, None])
            widths.append(1)
            names.append(name)
            levels.append(kind.levels)
            continue
        gaps = np.isnan(x)
        count = np.zeros((regime.max() + 1, len(kind.levels)))
        np.add.at(count, (regime[~gaps], x[~gaps].astype(np.intp)), 1.0)
        vary = (count > 0.0) & (count < count.sum(axis=1, keepdims=True))
        there = np.flatnonzero(vary.any(axis=0))
        if len(there) < 2:
            raise InvalidDataError(f"{column(table.names, j)} does not vary.")
        parts.append(np.where(gaps[:, None], np.nan, x[:, None] == there[1:]))
        widths.append(len(there) - 1)
        levels.append(tuple(kind.levels[k] for k in there))
        names += [f"{name}={kind.levels[k]}" for k in there[1:]]
    first = np.concatenate([[0], np.cumsum(widths)]).astype(np.intp)
    return np.concatenate(parts, axis=1), first, tuple(names), tuple(levels)


def _log_determinant(S: Array) -> float:
    """Return log|S|, of a matrix that may be singular."""
    return float(np.log(np.maximum(np.linalg.eigvalsh(S), 1e-13)).sum())
