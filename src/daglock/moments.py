"""Moments: covariance, sample count and means, the only thing that daglock keeps of the rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.blas import dsyr, dsyrk

from daglock._parameters import as_numbers
from daglock.errors import InvalidDataError
from daglock.table.frames import read_matrix
from daglock.table.policy import (
    check_names,
    refuse_constant,
    require_finite,
    rows_by_regime,
)
from daglock.table.resolution import find_resolution, merge_resolutions
from daglock.typing import Array, IntArray
from daglock.wording import default_names, listed, plural

_BLOCK_CELLS = 1 << 22  # cells of X that are centred at a time: 32 MB of doubles
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
        object.__setattr__(self, "names", check_names(self.names, d))
        if not (np.isfinite(self.cov).all() and np.isfinite(self.means).all()):
            raise InvalidDataError(
                "The covariance is not finite; rescale columns with very large values."
            )
        refuse_constant(np.diagonal(self.cov) <= 0, self.names)

    def __repr__(self) -> str:
        """One line for a person."""
        names = "" if self.names is None else f" ({listed(map(repr, self.names), most=4)})"
        return f"<Moments: {plural(self.n, 'row')}, {plural(self.d, 'column')}{names}>"

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
    def by_regime(
        cls, X: ArrayLike, labels: ArrayLike, names: Sequence[str] | None = None
    ) -> dict[Hashable, Moments]:
        """Moments of each regime (environment, condition) on its own, keyed by its label.

        Examples
        --------
        >>> X = [[0.0, 1.0], [2.0, 2.0], [5.0, 1.0], [6.0, 3.0]]
        >>> regimes = Moments.by_regime(X, ["a", "a", "b", "b"])
        >>> {label: m.means.tolist() for label, m in regimes.items()}
        {'a': [1.0, 1.5], 'b': [5.5, 2.0]}
        """
        table, columns = read_matrix(X, names)
        result: dict[Hashable, Moments] = {}
        for label, rows in rows_by_regime(labels, table.shape[0]):
            try:
                result[label] = cls.from_data(table[rows], columns)
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
        return Moments(cov, self.n + other.n, means, self.names or other.names, step)

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
        cov = self.cov[np.ix_(some, some)]
        return Moments(cov, self.n, self.means[some], names, self.resolution[some])

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
        return Moments(correlation, self.n, np.zeros(self.d), self.names, self.resolution / scale)


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
