"""Moments: covariance, sample count and means, the only thing that daglock keeps of the rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.blas import dsyr, dsyrk

from daglock._parameters import as_numbers
from daglock._progress import Bar
from daglock.errors import DataWarning, InvalidDataError, InvalidParameterError
from daglock.gaps import TOLERANCE, effective_rows, fit_gaussian
from daglock.table.faults import refuse
from daglock.table.frames import read_matrix
from daglock.table.missing import about_apart, refuse_empty
from daglock.table.policy import (
    about_infinite,
    check_names,
    refuse_constant,
    require_finite,
    rows_by_regime,
)
from daglock.table.resolution import find_resolution, merge_resolutions
from daglock.table.table import Table
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import default_names, listed, percent, plural

Progress = Callable[[int, float], None]

_BLOCK_CELLS = 1 << 22  # cells of X that are centred at a time: 32 MB of doubles
_LONG = 1.0  # seconds of work before a bar is shown
_LARGEST_CHECKED = 2000  # up to this d, a covariance is tested for negative eigenvalues


@dataclass(frozen=True, eq=False)
class Moments:
    """Covariance, sample count and means of a table.

    ``cov = (1/n) Σ_r (x_r − m)(x_r − m)ᵀ`` with ``m = (1/n) Σ_r x_r``: divided by n, centred.
    The arrays are read-only. Build one with `from_data`, `from_covariance` or `from_chunks`.

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
        object.__setattr__(self, "cov", _frozen(self.cov))
        object.__setattr__(self, "means", _frozen(self.means))
        steps = self.resolution if len(self.resolution) else np.zeros(self.means.shape)
        object.__setattr__(self, "resolution", _frozen(steps))
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
            raise InvalidDataError(
                "The covariance is not finite; rescale columns with very large values."
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
    def labels(self) -> tuple[str, ...]:
        """Names of the columns; x0, x1, ... where there are none."""
        return self.names or default_names(self.d)

    @property
    def likeness(self) -> Array:
        """How far each pair depends on each other: the covariance, to be taken to scale."""
        return self.cov

    @property
    def freedoms(self) -> None:
        """Return None: an edge has one degree of freedom."""
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
        return _raw_moments(table, labels).finish(labels)

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
        d = S.shape[1]
        if S.shape != (d, d):
            raise InvalidDataError(f"cov must be a square matrix; its shape is {S.shape}.")
        require_finite(S, labels, 0)
        S = S.astype(np.float64)
        refuse_constant(np.diagonal(S) <= 0, labels)
        scale = np.sqrt(np.diagonal(S))
        scales = np.outer(scale, scale)
        asymmetry = np.abs(S - S.T) / scales
        if asymmetry.max() > 1e-6:
            i, j = (int(k) for k in np.unravel_index(int(asymmetry.argmax()), asymmetry.shape))
            raise InvalidDataError(
                f"cov must be symmetric, but cov[{i}, {j}] = {S[i, j]:g} "
                f"and cov[{j}, {i}] = {S[j, i]:g}."
            )
        S = (S + S.T) / 2
        correlation = S / scales
        valid = bool(np.abs(correlation).max() <= 1 + 1e-6)
        if valid and d <= _LARGEST_CHECKED:
            valid = _is_positive_semidefinite(correlation)
        if not valid:
            raise InvalidDataError(
                "cov is not a covariance matrix: it has a negative eigenvalue; "
                "check that it was computed from complete rows."
            )
        centre = np.zeros(d) if means is None else as_numbers("means", means)
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
        total: _Raw | None = None
        labels = None if names is None else tuple(map(str, names))
        for chunk in chunks:
            table, labels = read_matrix(chunk, labels)
            if table.shape[0] == 0:
                continue
            if total is not None and table.shape[1] != total.means.size:
                raise InvalidDataError(
                    f"Every chunk must have the same columns; one has {table.shape[1]} "
                    f"and an earlier one {total.means.size}."
                )
            part = _raw_moments(table, labels, 0 if total is None else total.n)
            total = part if total is None else total.merge(part)
        if total is None:
            raise InvalidDataError("There are no rows: every chunk is empty.")
        return total.finish(labels)

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
        labels = None if labels is None else np.asarray(labels)
        if not some.all():
            table, there = table[some], there[some]
            labels = None if labels is None else labels[some]
        n = len(table)
        if n < 2:
            raise InvalidDataError(f"At least two rows with a value are needed; got n = {n}.")
        if there.all():
            if labels is not None:
                return cls.within_regimes(table, labels, columns)
            return cls.from_data(table, columns)
        refuse_empty(~there.any(axis=0), columns)
        refuse_constant(np.nanmin(table, axis=0) == np.nanmax(table, axis=0), columns)
        groups = np.zeros(n, dtype=np.intp)
        for g, (_, rows) in enumerate([] if labels is None else rows_by_regime(labels, n)):
            groups[rows] = g
        if not quiet and (apart := about_apart(there, columns)):
            warnings.warn(apart, DataWarning, stacklevel=2)
        with Bar(False if callable(progress) else progress) as bar:
            began = perf_counter()

            def show(done: int, likelihood: float) -> None:
                if callable(progress):
                    progress(done, likelihood)
                elif perf_counter() - began > _LONG:
                    bar.step("missing values, steps", done, 0)

            found = fit_gaussian(
                np.asarray(table, dtype=np.float64),
                groups=groups,
                start=None if start is None else (start.cov, start.means),
                tolerance=tolerance,
                progress=show,
            )
        if not (found.converged or quiet):
            warnings.warn(
                f"The moments had not settled after {len(found.likelihoods)} steps: too little is "
                "observed of some columns.",
                DataWarning,
                stacklevel=2,
            )
        return cls(
            found.cov,
            effective_rows(there),
            np.bincount(groups) / n @ found.means,
            columns,
            _resolution(table, there) if start is None else start.resolution,
            n,
            1.0 - float(there.mean()),
        )

    @property
    def about_gaps(self) -> str:
        """A sentence about missing values and what was done, empty where there are none.

        Examples
        --------
        >>> Moments(np.eye(2), 830, np.zeros(2), n_rows=1000, missing=0.123).about_gaps
        '12% of the cells are missing: the covariances are those under which what is there is most
        likely (EM), as if 830 of 1,000 rows were complete.'
        """
        if not self.missing:
            return ""
        return (
            f"{percent(self.missing)} of the cells are missing: the covariances are those under "
            f"which what is there is most likely (EM), as if {self.n:,} of "
            f"{plural(self.n_rows, 'row')} were complete."
        )

    @classmethod
    def by_regime(
        cls,
        X: ArrayLike,
        labels: ArrayLike,
        names: Sequence[str] | None = None,
        *,
        missing: str = "refuse",
    ) -> dict[Hashable, Moments]:
        """Moments of each regime (environment, condition) on its own, keyed by its label.

        With ``missing="model"`` gaps are allowed, as in `from_incomplete`.

        Examples
        --------
        >>> X = [[0.0, 1.0], [2.0, 2.0], [5.0, 1.0], [6.0, 3.0]]
        >>> regimes = Moments.by_regime(X, ["a", "a", "b", "b"])
        >>> {label: m.means.tolist() for label, m in regimes.items()}
        {'a': [1.0, 1.5], 'b': [5.5, 2.0]}
        """
        table, columns = read_matrix(X, names)
        if missing not in ("refuse", "model"):
            raise InvalidParameterError(f"missing must be refuse or model; got {missing!r}.")
        make = cls.from_incomplete if missing == "model" else cls.from_data
        result: dict[Hashable, Moments] = {}
        for label, rows in rows_by_regime(labels, table.shape[0]):
            try:
                result[label] = make(table[rows], columns)
            except InvalidDataError as error:
                raise InvalidDataError(f"In regime {label!r}: {error}") from error
        return result

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
            part = _raw_moments(table[rows], columns)
            cov += (part.n / n) * part.cov
            means += (part.n / n) * part.means
            constant &= part.low == part.high
            step = merge_resolutions(step, part.step)
        refuse_constant(constant, columns)
        return cls(cov, n, means, columns, _known(step))

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
        cov, means = _merged(self, other)
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


class _Raw(NamedTuple):
    """Moments that are not checked yet, with the smallest and largest value of each column.

    The step of its grid is infinite where there are too few values to tell.
    """

    cov: Array
    n: int
    means: Array
    low: NDArray[Any]
    high: NDArray[Any]
    step: Array

    def merge(self, other: _Raw) -> _Raw:
        """Raw moments of the rows of both."""
        cov, means = _merged(self, other)
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        step = merge_resolutions(self.step, other.step)
        return _Raw(cov, self.n + other.n, means, low, high, step)

    def finish(self, names: tuple[str, ...] | None) -> Moments:
        """Check and freeze."""
        if self.n < 2:
            raise InvalidDataError(f"At least two rows are needed; got n = {self.n}.")
        # By the values: the computed variance of a constant column can be a rounding above zero.
        refuse_constant(self.low == self.high, names)
        self.cov.flags.writeable = False
        self.means.flags.writeable = False
        return Moments(self.cov, self.n, self.means, names, _known(self.step))


def _resolution(table: NDArray[Any], there: BoolArray) -> Array:
    """Step of the grid of each column, by the values that are there."""
    columns = zip(table.T, there.T, strict=True)
    return _known(np.array([find_resolution(x[some, None])[0] for x, some in columns]))


def _known(step: Array) -> Array:
    """Return 0 for a step that is not known."""
    return np.where(np.isfinite(step), step, 0.0)


def _frozen(array: ArrayLike) -> Array:
    """Return a read-only array: the same one when it is read-only already, else a copy."""
    values = np.asarray(array)
    if values.dtype != np.float64 or values.flags.writeable:
        values = values.astype(np.float64)
        values.flags.writeable = False
    return values


def _raw_moments(table: NDArray[Any], names: Sequence[str] | None, first_row: int = 0) -> _Raw:
    """Centre and multiply block after block of rows."""
    n, d = table.shape
    if n == 0:
        raise InvalidDataError("At least two rows are needed; got n = 0.")
    require_finite(table, names, first_row)
    with np.errstate(over="ignore", invalid="ignore"):  # Moments reports an overflow
        means = table.mean(axis=0, dtype=np.float64)
        cov = np.zeros((d, d), order="F")
        remainder = np.zeros(d)
        rows = max(1, _BLOCK_CELLS // d)
        for start in range(0, n, rows):
            centred = np.subtract(table[start : start + rows], means, dtype=np.float64)
            remainder += centred.sum(axis=0) / n
            cov = dsyrk(1.0 / n, centred.T, beta=1.0, c=cov, overwrite_c=True)
        # What the rounding of the means left behind: the corrected two-pass formula.
        cov = dsyr(-1.0, remainder, a=cov, overwrite_a=True)
        _mirror_upper(cov)
    # The transpose of a symmetric matrix is itself, with its rows contiguous.
    low, high = table.min(axis=0), table.max(axis=0)
    return _Raw(cov.T, n, means + remainder, low, high, find_resolution(table))


def _mirror_upper(A: Array, width: int = 512) -> None:
    """Copy the upper triangle onto the lower one, in place, block by block."""
    for start in range(0, A.shape[0], width):
        stop = start + width
        A[stop:, start:stop] = A[start:stop, stop:].T
        corner = np.triu(A[start:stop, start:stop])
        A[start:stop, start:stop] = corner + np.triu(corner, 1).T


def _merged(first: Moments | _Raw, second: Moments | _Raw) -> tuple[Array, Array]:
    """Covariance and means of the union of two samples."""
    share = second.n / (first.n + second.n)
    shift = second.means - first.means
    cov = (1 - share) * first.cov + share * second.cov
    cov += (share * (1 - share) * shift)[:, None] * shift[None, :]
    return cov, first.means + share * shift


def _is_positive_semidefinite(correlation: Array) -> bool:
    """Whether no eigenvalue is below −1e-6, by a Cholesky factorisation."""
    try:
        np.linalg.cholesky(correlation + 1e-6 * np.eye(correlation.shape[0]))
    except np.linalg.LinAlgError:
        return False
    return True
