"""Counts: what is kept of a table of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from daglock.blocks import Blocks
from daglock.errors import InvalidDataError
from daglock.moments import Moments
from daglock.regret import price_of_cells
from daglock.table.kinds import Kind
from daglock.table.policy import check_names, column
from daglock.table.table import Table
from daglock.typing import Array, IntArray
from daglock.wording import default_names, plural, short

DISCRETE = (Kind.BINARY, Kind.CATEGORICAL, Kind.ORDINAL)
# Rows for each cell of the table of a pair from which on pairs can be counted.
ROWS_PER_CELL = 5


@dataclass(frozen=True, eq=False)
class Counts:
    """Different rows of a table of categories, and how often each occurs.

    Parameters
    ----------
    codes : (d, m) level of each variable in each different row, 0, 1, ...
    weight : (m,) how often each row occurs.
    levels : names of the levels of each variable.
    means : (d,) of the numbers in the table, codes among them.
    names : of the variables, if they have any.

    Examples
    --------
    >>> counts = Counts.from_codes([[0, 1], [1, 0], [0, 1]], names=["a", "b"])
    >>> counts.n, counts.weight.tolist(), counts.levels
    (3, [2.0, 1.0], (('0', '1'), ('0', '1')))
    """

    codes: NDArray[np.int16]
    weight: Array
    levels: tuple[tuple[str, ...], ...]
    means: Array
    names: tuple[str, ...] | None = None

    @classmethod
    def from_codes(
        cls,
        X: ArrayLike,
        levels: Sequence[Sequence[str]] | None = None,
        names: Sequence[str] | None = None,
    ) -> Counts:
        """Count the rows of X, (n, d), whole numbers from 0 on.

        Raises
        ------
        InvalidDataError
            A code is missing or no level has it, or a variable has one level only.
        """
        codes = np.asarray(X)
        d = codes.shape[1]
        labels = check_names(names, d)
        whole = codes.astype(np.int16)
        if not np.array_equal(whole, codes) or whole.min(initial=0) < 0:
            raise InvalidDataError("Codes of categories must be whole numbers from 0 on.")
        if levels is None:
            levels = [tuple(map(str, range(int(top) + 1))) for top in whole.max(axis=0)]
        sizes = np.array(list(map(len, levels)))
        for j in np.flatnonzero(whole.max(axis=0, initial=0) >= sizes).tolist():
            raise InvalidDataError(f"{column(labels, j)} has a code that no level has.")
        different, weight = np.unique(whole, axis=0, return_counts=True)
        for j in np.flatnonzero(np.ptp(different, axis=0) == 0).tolist():
            raise InvalidDataError(f"{column(labels, j)} does not vary.")
        return cls(
            np.ascontiguousarray(different.T),
            weight.astype(np.float64),
            tuple(tuple(map(str, own)) for own in levels),
            codes.mean(axis=0),
            labels,
        )

    @classmethod
    def from_table(cls, table: Table) -> Counts:
        """Count the rows of a table; every different number is a level.

        Raises
        ------
        InvalidDataError
            A column does not vary.
        """
        codes, levels = np.empty(table.data.shape, dtype=np.int16), []
        for j, kind in enumerate(table.kinds):
            values, codes[:, j] = np.unique(table.data[:, j], return_inverse=True)
            if kind.levels is None:
                levels.append(tuple(map(short, values.tolist())))
            else:
                levels.append(tuple(kind.levels[int(k)] for k in values))
        counts = cls.from_codes(codes, levels, table.names)
        return replace(counts, means=table.data.mean(axis=0))

    def __repr__(self) -> str:
        """One line for a person."""
        return f"<Counts: {plural(self.n, 'row')}, {plural(self.d, 'variable')}>"

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.weight.sum())

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.n

    @property
    def missing(self) -> float:
        """Nothing is missing."""
        return 0.0

    @property
    def d(self) -> int:
        """Number of variables."""
        return len(self.codes)

    @property
    def n_fewest(self) -> int:
        """Rows behind the mechanism of a node, at the fewest: all."""
        return self.n

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the variables; x0, x1, ... where there are none."""
        return self.names or default_names(self.d)

    @property
    def sizes(self) -> IntArray:
        """Number of levels that occur, (d,).

        A level without a row has no frequencies to be estimated.
        """
        return np.array([len(np.unique(own)) for own in self.codes], dtype=np.intp)

    @property
    def dense(self) -> NDArray[np.int16]:
        """Codes in which every number occurs, (d, m)."""
        numbered = [np.unique(own, return_inverse=True)[1] for own in self.codes]
        return np.array(numbered, dtype=np.int16)

    @property
    def freedoms(self) -> Array:
        """Degrees of freedom of an edge between each pair, (r_i − 1)(r_j − 1)."""
        own = self.sizes - 1.0
        return np.asarray(own[:, None] * own)[np.triu_indices(self.d, 1)]

    @property
    def extras(self) -> Array:
        """What an edge between each pair costs beyond the price of an edge, per row."""
        n, r = float(self.n), self.sizes.astype(np.float64)
        alone = [price_of_cells(n, own) for own in r.tolist()]
        found = [
            2.0 * (price_of_cells(n, float(r[i] * r[j])) - alone[i] - alone[j]) / n - np.log(n) / n
            for i, j in zip(*np.triu_indices(self.d, 1), strict=True)
        ]
        return np.array(found)

    @property
    def likeness(self) -> Array:
        """How far each pair depends on each other, (d, d): ``√(1 − exp(−2 I))``, and 1."""
        sizes, codes, weight = self.sizes, self.dense, self.weight / self.weight.sum()
        alone = [_entropy(np.asarray(np.bincount(own, weight), dtype=np.float64)) for own in codes]
        found = np.eye(self.d)
        for i in range(self.d):
            for j in range(i):
                together = codes[i].astype(np.intp) * sizes[j] + codes[j]
                both = np.asarray(np.bincount(together, weight), dtype=np.float64)
                shared = max(alone[i] + alone[j] - _entropy(both), 0.0)
                found[i, j] = found[j, i] = np.sqrt(-np.expm1(-2.0 * shared))
        return found

    def select(self, columns: Sequence[int] | IntArray) -> Counts:
        """Return the counts of some of the variables, in the order in which they are given."""
        some = np.asarray(columns, dtype=np.intp)
        different, place = np.unique(self.codes[some], axis=1, return_inverse=True)
        weight = np.asarray(np.bincount(np.ravel(place), self.weight), dtype=np.float64)
        levels = tuple(self.levels[j] for j in some)
        names = None if self.names is None else tuple(self.names[j] for j in some)
        return Counts(np.ascontiguousarray(different), weight, levels, self.means[some], names)

    @property
    def covariances(self) -> None:
        """None: the counts themselves can be drawn again."""
        return None

    @property
    def group_rows(self) -> Array:
        """All rows are one group."""
        return np.ones(1)

    def places(self, other: Counts, variables: IntArray) -> tuple[IntArray, IntArray]:
        """Return the columns of other counts, of some variables, and which these are."""
        return np.arange(len(variables)), variables

    def redraw(self, rng: np.random.Generator) -> Counts:
        """Return the counts of n rows drawn from these with replacement."""
        weight = rng.multinomial(self.n, self.weight / self.weight.sum()).astype(np.float64)
        return replace(self, codes=self.codes[:, weight > 0], weight=weight[weight > 0])

    def to_blocks(self) -> Blocks:
        """Return blocks of columns of 0 and 1, one for every level that occurs but the first."""
        codes, sizes = self.dense, self.sizes
        first = np.concatenate([[0], np.cumsum(sizes - 1)]).astype(np.intp)
        X = np.concatenate(
            [own[:, None] == np.arange(1, r) for own, r in zip(codes, sizes, strict=True)], axis=1
        ).astype(np.float64)
        share = self.weight / self.weight.sum()
        means = share @ X
        Z = X - means
        columns = Moments(Z.T @ (Z * share[:, None]), self.n, means)
        return Blocks(columns, first, self.means, self.levels, self.names)

    def edge_scale(self, source: IntArray, target: IntArray) -> Array:
        """Return ones: weights have no unit."""
        return np.ones(len(source))


def _entropy(share: Array) -> float:
    """Return H of a distribution, in nats."""
    share = share[share > 0.0]
    return float(-(share * np.log(share)).sum())


def can_be_counted(table: Table) -> bool:
    """Whether all columns are categories, and most pairs have rows enough for their cells."""
    if not all(kind.kind in DISCRETE for kind in table.kinds) or np.isnan(table.data).any():
        return False
    levels = np.array([len(np.unique(column)) for column in table.data.T], dtype=np.float64)
    cells = np.outer(levels, levels)[np.triu_indices(len(levels), 1)]
    return bool(len(table.data) >= ROWS_PER_CELL * np.median(cells))
