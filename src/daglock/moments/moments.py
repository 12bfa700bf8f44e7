"""Moments: covariance, sample count and means, the only thing that daglock keeps of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from daglock._parameters import as_numbers
from daglock.errors import InvalidDataError, refuse
from daglock.gaps import TOLERANCE
from daglock.moments.covariance import check_covariance
from daglock.moments.incomplete import Progress, fit_incomplete
from daglock.moments.raw import (
    Raw,
    accumulate,
    accumulate_chunks,
    frozen,
    known_steps,
    merge_moments,
    require_variation,
)
from daglock.table.frames import read_matrix
from daglock.table.policy import (
    about_infinite,
    check_names,
    column,
    refuse_constant,
    require_finite,
    rows_by_regime,
)
from daglock.table.resolution import merge_resolutions
from daglock.table.table import Table
from daglock.typing import Array, IntArray
from daglock.wording import default_names, listed, percent, plural


@dataclass(frozen=True, eq=False)
class Moments:
    """Covariance, sample count and means of a table.

    ``cov = (1/n) Σ_r (x_r − m)(x_r − m)ᵀ`` with ``m = (1/n) Σ_r x_r``: divided by n, centred.
    The arrays are read-only. Build one with `from_data` or `from_covariance`, of what arrives in
    pieces with `from_chunks` or `from_source`, with gaps `from_incomplete`, in regimes
    `within_regimes`.

    Parameters
    ----------
    cov, means : (d, d) and (d,).
    n : number of rows behind the covariance.
    names : of the columns, if they have any.
    resolution : (d,) step of the grid on which all values of a column lie: 1 for whole numbers,
        0.1 where they were rounded to tenths. 0 where there is no grid, or it is not known.
    n_rows : rows of the table; more than n where values are missing, of which n is then as how
        many complete rows they count. n by default.
    missing : share of the cells that are missing.

    Examples
    --------
    >>> moments = Moments.from_data([[0.0, 1.0], [2.0, 3.0], [4.0, 2.0]], names=["a", "b"])
    >>> moments.n, moments.d, moments.means.tolist()
    (3, 2, [2.0, 2.0])
    >>> moments.cov.round(3).tolist()
    [[2.667, 0.667], [0.667, 0.667]]
    """

    cov: Array
    n: int
    means: Array
    names: tuple[str, ...] | None = None
    resolution: Array = field(default_factory=lambda: np.empty(0))
    n_rows: int = 0
    missing: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "cov", frozen(self.cov))
        object.__setattr__(self, "means", frozen(self.means))
        steps = self.resolution if len(self.resolution) else np.zeros(self.means.shape)
        object.__setattr__(self, "resolution", frozen(steps))
        d = self.cov.shape[0] if self.cov.ndim == 2 else -1
        if self.cov.shape != (d, d):
            raise InvalidDataError(f"cov must be a square matrix; its shape is {self.cov.shape}.")
        if self.means.shape != (d,):
            raise InvalidDataError(
                f"means must have one entry for each of the {d} columns; "
                f"its shape is {self.means.shape}."
            )
        if (
            self.resolution.shape != (d,)
            or not (np.isfinite(self.resolution) & (self.resolution >= 0.0)).all()
        ):
            raise InvalidDataError(
                f"resolution must have one number, 0 or more, for each of the {d} columns."
            )
        if d < 2:
            raise InvalidDataError(f"At least two columns are needed to learn a graph; got {d}.")
        if not (isinstance(self.n, Integral) and self.n >= 2):
            raise InvalidDataError(f"At least two rows are needed; got n = {self.n!r}.")
        object.__setattr__(self, "n", int(self.n))
        object.__setattr__(self, "n_rows", int(self.n_rows) or self.n)
        object.__setattr__(self, "names", check_names(self.names, d))
        if not (np.isfinite(self.cov).all() and np.isfinite(self.means).all()):
            large = np.flatnonzero(~np.isfinite(np.diagonal(self.cov) + self.means))
            which = listed((column(self.names, int(j)) for j in large), 5) or "some columns"
            raise InvalidDataError(
                f"The covariance is not finite: the values of {which} are too large for a "
                "computer's numbers when they are squared; divide them by 1e200, say."
            )
        refuse_constant(np.diagonal(self.cov) <= 0, self.names)

    def __repr__(self) -> str:
        """One line for a person."""
        names = "" if self.names is None else f" ({listed(map(repr, self.names), most=4)})"
        gaps = f", {percent(self.missing)} of the cells missing" if self.missing else ""
        return f"<Moments: {plural(self.n_rows, 'row')}, {plural(self.d, 'column')}{names}{gaps}>"

    @property
    def d(self) -> int:
        """Number of columns."""
        return int(self.cov.shape[0])

    @property
    def n_fewest(self) -> int:
        """Rows behind the mechanism of a node, at the fewest: all."""
        return self.n

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the columns; x0, x1, ... where there are none."""
        return self.names or default_names(self.d)

    @property
    def likeness(self) -> Array:
        """How far each pair depends on each other: the covariance, to be taken to scale."""
        return self.cov

    @property
    def freedoms(self) -> Array | None:
        """Return None: an edge has one degree of freedom."""
        return None

    @property
    def extras(self) -> Array | None:
        """Return None: an edge costs the price of an edge."""
        return None

    @classmethod
    def from_data(cls, X: ArrayLike, names: Sequence[str] | None = None) -> Moments:
        """Moments of a table X of shape (n, d), one row per sample.

        X is read in blocks of rows that are centred before they are multiplied, so that a large
        common mean costs no accuracy and no second copy of X is made. Column names are taken
        from ``X.columns`` when it has them and `names` is not given. What is not numeric, missing
        or infinite, or does not vary, raises InvalidDataError.
        """
        table, labels = read_matrix(X, names)
        return cls._checked(accumulate(table, labels), labels)

    @classmethod
    def _checked(cls, raw: Raw, names: tuple[str, ...] | None) -> Moments:
        """Check and freeze."""
        if raw.n < 2:
            raise InvalidDataError(f"At least two rows are needed; got n = {raw.n}.")
        require_variation(raw, names)
        raw.cov.flags.writeable = False
        raw.means.flags.writeable = False
        return cls(raw.cov, raw.n, raw.means, names, known_steps(raw.step))

    @classmethod
    def from_covariance(
        cls,
        cov: ArrayLike,
        n: int,
        means: ArrayLike | None = None,
        names: Sequence[str] | None = None,
    ) -> Moments:
        """Moments from a covariance that is already known, with the n of the rows behind it.

        The matrix must be symmetric and positive semi-definite up to rounding (for d above 2000
        only the 2 × 2 minors are checked).

        Examples
        --------
        >>> Moments.from_covariance([[1.0, 0.5], [0.5, 2.0]], n=100).means.tolist()
        [0.0, 0.0]
        """
        S, labels = read_matrix(cov, names)
        S = check_covariance(S, labels)
        centre = np.zeros(len(S)) if means is None else as_numbers("means", means)
        return cls(S, n, centre, labels)

    @classmethod
    def from_chunks(
        cls, chunks: Iterable[ArrayLike], names: Sequence[str] | None = None
    ) -> Moments:
        """Moments of a table that arrives in pieces; the same as of the whole table at once.

        Examples
        --------
        >>> X = np.arange(12.0).reshape(6, 2) ** 2
        >>> whole, streamed = Moments.from_data(X), Moments.from_chunks([X[:1], X[1:4], X[4:]])
        >>> bool(np.allclose(whole.cov, streamed.cov)), streamed.n
        (True, 6)
        """
        return cls._checked(*accumulate_chunks(chunks, names))

    @classmethod
    def from_source(
        cls,
        source: Any,
        columns: Sequence[str] | None = None,
        regimes: str | None = None,
        *,
        missing: str = "refuse",
        progress: bool | None = False,
    ) -> Moments:
        """Moments of rows that are never in memory all at once, in one pass.

        The same as of the whole table at once, whatever the batches and their order: equal to
        1e-12 in units of the columns' standard deviations.

        Parameters
        ----------
        source : a path, a pattern (``"events/*.parquet"``) or a folder of Parquet or CSV files, a
            data set, table or reader of pyarrow, a lazy frame of polars, a relation of DuckDB, an
            iterator of batches (frames, arrays, record batches), or a function that returns one.
        columns : names of those to take, all numbers; by default all but that of the regimes.
        regimes : column that tells the regime of each row: moments are those within regimes, as
            `within_regimes` gives them.
        missing : "refuse"; "drop" leaves out rows with missing values, "model" keeps them, as
            `from_incomplete` does.
        progress : True shows a bar, None on a terminal.

        Examples
        --------
        >>> X = np.arange(12.0).reshape(6, 2) ** 2
        >>> whole = Moments.from_data(X, names=["x0", "x1"])
        >>> streamed = Moments.from_source(iter([X[:1], X[1:4], X[4:]]))
        >>> bool(np.allclose(whole.cov, streamed.cov, rtol=1e-12)), streamed
        (True, <Moments: 6 rows, 2 columns ('x0', 'x1')>)
        """
        from daglock.moments.reading import read_moments

        return cls(**read_moments(source, columns, regimes, missing, progress))

    @classmethod
    def from_incomplete(
        cls,
        X: ArrayLike,
        names: Sequence[str] | None = None,
        *,
        labels: ArrayLike | None = None,
        start: Moments | None = None,
        tolerance: float = TOLERANCE,
        progress: Progress | bool | None = False,
        quiet: bool = False,
    ) -> Moments:
        """Moments of a table with missing values (NaN), by expectation-maximisation.

        The mean and covariance under which what is there is most likely, as a sample of a
        Gaussian distribution whose values are missing at random. ``n`` is as how many complete
        rows the table counts (`daglock.gaps.effective_rows`), ``n_rows`` how many it has. Rows
        without any value are no rows. Without gaps it is the same as `from_data`.

        Parameters
        ----------
        X : (n, d), NaN where a value is missing.
        names : of the columns.
        labels : regime of each row, each with means of its own, as in `within_regimes`.
        start : moments of nearly the same rows, from which few steps are left; their resolution
            is taken for that of these rows.
        tolerance : what may be left to go, in standard deviations of the columns.
        progress : True shows a bar, None on a terminal; a function is called with the steps done
            and the log-likelihood.
        quiet : do not warn of columns that are hardly ever observed together.

        Examples
        --------
        >>> X = [[0.0, 1.0], [1.0, 3.0], [2.0, 2.0], [6.0, np.nan]]
        >>> moments = Moments.from_incomplete(X, ["a", "b"], quiet=True)
        >>> moments.means.round(3).tolist(), moments.n_rows, moments.n, moments.missing
        ([2.25, 2.625], 4, 3, 0.125)
        """
        table, columns = read_matrix(X, names)
        refuse([about_infinite(Table(table, columns))])
        there = ~np.isnan(table)
        some = there.any(axis=1)
        regimes = None if labels is None else np.asarray(labels)
        if not some.all():
            table, there = table[some], there[some]
            regimes = None if regimes is None else regimes[some]
        if len(table) < 2:
            raise InvalidDataError(
                f"At least two rows with a value are needed; got n = {len(table)}."
            )
        if there.all() and regimes is not None:
            return cls.within_regimes(table, regimes, columns)
        if there.all():
            return cls.from_data(table, columns)
        return cls(
            *fit_incomplete(table, columns, regimes, start, tolerance, progress, quiet),
            n_rows=len(table),
            missing=1.0 - float(there.mean()),
        )

    @classmethod
    def within_regimes(
        cls, X: ArrayLike, labels: ArrayLike, names: Sequence[str] | None = None
    ) -> Moments:
        """Pooled moments, each regime centred by its own mean.

        ``cov = (1/n) Σ_g Σ_{r in g} (x_r − m_g)(x_r − m_g)ᵀ``: shifts of the means between
        regimes do not enter. ``means`` are those of all rows.

        Examples
        --------
        >>> X = [[0.0, 1.0], [2.0, 2.0], [100.0, 1.0], [102.0, 3.0]]
        >>> float(Moments.within_regimes(X, [0, 0, 1, 1]).cov[0, 0])
        1.0
        """
        table, columns = read_matrix(X, names)
        n, d = table.shape
        require_finite(table, columns, 0)
        cov, means, constant = np.zeros((d, d)), np.zeros(d), np.ones(d, dtype=np.bool_)
        step = np.full(d, np.inf)
        for _, rows in rows_by_regime(labels, n):
            part = accumulate(table[rows], columns)
            cov += (part.n / n) * part.cov
            means += (part.n / n) * part.means
            constant &= part.low == part.high
            step = merge_resolutions(step, part.step)
        refuse_constant(constant, columns)
        return cls(cov, n, means, columns, known_steps(step))

    def merge(self, other: Moments) -> Moments:
        """Moments of the rows of both, exactly.

        ``cov = (n₁S₁ + n₂S₂)/n + (n₁n₂/n²) δδᵀ`` with ``δ = m₂ − m₁`` and ``n = n₁ + n₂``
        (Chan, Golub & LeVeque 1983, eq. 2.1). The resolution is that of a grid which holds both;
        0 where one of them is.
        """
        if other.d != self.d:
            raise InvalidDataError(f"Cannot merge moments of {self.d} and of {other.d} columns.")
        if self.names is not None and other.names is not None and self.names != other.names:
            raise InvalidDataError("Cannot merge moments whose columns have different names.")
        cov, means = merge_moments(self, other)
        step = merge_resolutions(self.resolution, other.resolution)
        n_rows = self.n_rows + other.n_rows
        missing = (self.n_rows * self.missing + other.n_rows * other.missing) / n_rows
        names = self.names or other.names
        return Moments(cov, self.n + other.n, means, names, step, n_rows, missing)

    def select(self, columns: Sequence[int] | IntArray) -> Moments:
        """Moments of some of the columns, two or more, in the order in which they are given.

        Examples
        --------
        >>> table = [[0.0, 1.0, 5.0], [2.0, 3.0, 1.0], [4.0, 2.0, 2.0]]
        >>> Moments.from_data(table, names=["a", "b", "c"]).select([2, 0]).names
        ('c', 'a')
        """
        some = np.asarray(columns, dtype=np.intp)
        names = None if self.names is None else tuple(self.names[j] for j in some)
        return replace(
            self,
            cov=self.cov[np.ix_(some, some)],
            means=self.means[some],
            names=names,
            resolution=self.resolution[some],
        )

    def redraw(self, rng: np.random.Generator) -> Moments:
        """Return the moments of n rows from the Gaussian distribution with these moments."""
        values, vectors = np.linalg.eigh(self.cov)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        rows = rng.standard_normal((self.n, self.d)) @ root.T
        return Moments.from_data(rows + self.means, names=self.names)

    @property
    def covariances(self) -> Array | None:
        """The covariance of all rows, (1, d, d)."""
        return self.cov[None]

    @property
    def group_rows(self) -> Array:
        """All rows are one group."""
        return np.ones(1)

    def places(self, other: Moments, variables: IntArray) -> tuple[IntArray, IntArray]:
        """Return the columns of other moments, of some variables, and which these are."""
        return np.arange(len(variables)), variables

    def edge_scale(self, source: IntArray, target: IntArray) -> Array:
        """Return the ratio of standard deviations, source over target, for each edge."""
        deviation = np.sqrt(np.diagonal(self.cov))
        return np.asarray(deviation[source] / deviation[target])

    def standardised(self) -> Moments:
        """Moments of the columns scaled to mean 0 and variance 1: the correlations."""
        scale = np.sqrt(np.diagonal(self.cov))
        correlation = self.cov / scale[:, None] / scale[None, :]
        np.fill_diagonal(correlation, 1.0)
        return replace(
            self,
            cov=correlation,
            means=np.zeros(self.d),
            resolution=self.resolution / scale,
        )
