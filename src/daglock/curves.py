"""Curves: moments of columns and of smooth functions of each, for effects that are no lines.

The functions of a column x are x itself and Legendre polynomials of x drawn into (−1, 1), made
uncorrelated one after the other: so a line is a curve whose first coefficient alone is not zero.
All that a regression on curves needs is the correlation of all functions of all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.polynomial.legendre import legvander
from numpy.typing import ArrayLike

from daglock.errors import InvalidDataError
from daglock.moments import Moments
from daglock.surfaces import Surfaces
from daglock.typing import Array, IntArray

# Functions of a column (docs/theory.md).
FUNCTIONS = 7
# The k-th function has a coefficient whose variance is k to this power smaller than a line's.
SMOOTHNESS = 3.0
# The fewest rows for each function of a column, and the most columns.
ROWS_PER_FUNCTION = 10
MOST_COLUMNS = 1000
# A function of which less is left, beside those before it, says nothing that these do not.
_NEW = 1e-4
# Rows whose functions are in memory at once.
_AT_A_TIME = 1 << 14


@dataclass(frozen=True, eq=False)
class Curves(Moments):
    """Moments of columns, and the correlation of smooth functions of them.

    Parameters
    ----------
    gram : (D, D) correlation of all functions, those of one column together, the column itself
        first. Of one that takes few values some are zero.
    n_functions : of a column, D = d · n_functions.
    sharpness : τ, how large bends are beside the noise; see `ridge`.
    surfaces : what columns cost where parents act together, if that was looked at.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((500, 2))
    >>> x[:, 1] += x[:, 0] ** 2
    >>> kept = Curves.from_data(x, names=["dose", "effect"])
    >>> kept, kept.gram.shape
    (<Curves: 500 rows, 2 columns, 7 functions of each>, (14, 14))
    >>> bool(np.linalg.norm(kept.gram[:7, 7]) > 0.7)  # of the functions of one with the other
    True
    """

    gram: Array = field(default_factory=lambda: np.empty((0, 0)))
    n_functions: int = 0
    sharpness: float = 1.0
    surfaces: Surfaces | None = None

    @classmethod
    def from_data(
        cls,
        X: ArrayLike,
        names: Sequence[str] | None = None,
        n_functions: int = FUNCTIONS,
        sharpness: float = 1.0,
    ) -> Curves:
        """Moments of a table X of shape (n, d), and the correlation of functions of its columns.

        Raises
        ------
        InvalidDataError
            Rows are too few for curves, or columns too many.
        """
        plain = Moments.from_data(X, names)
        _require_size(plain)
        gram = correlate(np.asarray(X, dtype=np.float64), n_functions)
        return cls(**vars(plain), gram=gram, n_functions=n_functions, sharpness=sharpness)

    @property
    def covariances(self) -> None:
        """None: no effects are drawn of curves."""
        return None

    def lines(self) -> Curves:
        """Return the same with the columns themselves alone for their functions."""
        columns = np.arange(0, len(self.gram), self.n_functions)
        return replace(self, gram=self.gram[np.ix_(columns, columns)], n_functions=1)

    def __repr__(self) -> str:
        """One line for a person."""
        plain = super().__repr__().removesuffix(">").replace("<Moments", "<Curves")
        plain = plain.split(" (")[0]
        return f"{plain}, {self.n_functions} functions of each>"

    @property
    def n_fewest(self) -> int:
        """Rows for each function of a parent."""
        return max(self.n // max(self.n_functions, 1), 1)

    @property
    def ridge(self) -> Array:
        """What is added to the variances of the functions of a column, (n_functions,).

        Coefficients of the k-th function are taken to be drawn with the variance τ·σ²/k³, of the
        first with any: then k³/(n·τ) is added to the variance, and nothing to that of a line.
        """
        k = np.arange(1.0, self.n_functions + 1.0)
        found = k**SMOOTHNESS / (self.n * self.sharpness)
        found[0] = 0.0
        return np.asarray(found)

    @property
    def ridged(self) -> Array:
        """Correlation of all functions with `ridge` on its diagonal, (D, D)."""
        found = np.array(self.gram)
        found[np.diag_indices_from(found)] += np.tile(self.ridge, self.d)
        return found

    @property
    def bend(self) -> float:
        """``−Σ log ridge`` over the functions of a column besides itself."""
        return float(-np.log(self.ridge[1:]).sum())

    @property
    def freedoms(self) -> Array:
        """Degrees of freedom of an edge between each pair, in effect: shrunk ones count less."""
        shrunk = 1.0 / (1.0 + self.ridge)
        return np.full(self.d * (self.d - 1) // 2, shrunk.sum())

    @property
    def extras(self) -> Array:
        """What an edge between each pair costs beyond the price of an edge, per row."""
        bent = np.log1p(1.0 / self.ridge[1:]).sum() / self.n
        return np.full(self.d * (self.d - 1) // 2, bent)

    def select(self, columns: Sequence[int] | IntArray) -> Curves:
        """Return what is kept of some of the columns, in this order."""
        some = np.asarray(columns, dtype=np.intp)
        chosen = super().select(some)
        assert isinstance(chosen, Curves)
        functions = members(some, self.n_functions)
        surfaces = None if self.surfaces is None else self.surfaces.select(some)
        return replace(chosen, gram=self.gram[np.ix_(functions, functions)], surfaces=surfaces)

    def edge_scale(self, source: IntArray, target: IntArray) -> Array:
        """Return ones: the weight of a curve is a strength, which has no unit."""
        return np.ones(len(source))

    def merge(self, other: Moments) -> Moments:
        """Refuse: functions of columns are made from all rows together."""
        raise InvalidDataError("Moments with curves cannot be merged: make them from all rows.")

    def redraw(self, rng: np.random.Generator) -> Self:
        """Refuse: curves are drawn again with the rows alone."""
        raise InvalidDataError(
            "Curved effects are learned again from rows alone, which this model does not have: "
            "pass those that it was fitted on as X."
        )


def members(columns: IntArray, K: int) -> IntArray:
    """Return the places of all functions of columns.

    Examples
    --------
    >>> members(np.array([2, 0]), 3).tolist()
    [6, 7, 8, 0, 1, 2]
    """
    return np.asarray((columns[:, None] * K + np.arange(K)).ravel(), dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Basis:
    """Functions of one column.

    Parameters
    ----------
    mean, deviation : of the column.
    centre, spread : its median, and its quartiles' distance in standard deviations of a Gaussian.
    level : (K,) means of the column and of the polynomials.
    mix : (K, K) what each function has of these.
    """

    mean: float
    deviation: float
    centre: float
    spread: float
    level: Array
    mix: Array

    @classmethod
    def of(cls, x: Array, K: int) -> Basis:
        """Make K functions that are uncorrelated over the values of x, zero where there are fewer.

        Examples
        --------
        >>> x = np.random.default_rng(0).exponential(size=300)
        >>> F = Basis.of(x, 4)(x)
        >>> np.allclose(F.T @ F / 300, np.eye(4)), np.allclose(F[:, 0], (x - x.mean()) / x.std())
        (True, True)
        >>> Basis.of(np.array([0.0, 1.0, 1.0, 0.0]), 4)(np.array([0.0, 1.0])).round(6).tolist()
        [[-1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
        """
        quarter, centre, three = np.quantile(x, [0.25, 0.5, 0.75])
        deviation = float(x.std())
        spread = float(three - quarter) / 1.349
        plain = cls(
            float(x.mean()),
            deviation,
            float(centre),
            spread if spread > 1e-3 * deviation else deviation,
            np.zeros(K),
            np.eye(K),
        )
        V = plain(x)
        level = V.mean(axis=0)
        V -= level
        mix, n = np.zeros((K, K)), len(x)
        for k in range(K):
            v, own = V[:, k].copy(), np.eye(K)[k]
            size = np.sqrt(v @ v / n)
            for _ in range(2):  # once more, for rounding
                for q in range(k):
                    h = V[:, q] @ v / n
                    v -= h * V[:, q]
                    own -= h * mix[:, q]
            left = np.sqrt(v @ v / n)
            if left > _NEW * size:
                V[:, k], mix[:, k] = v / left, own / left
            else:
                V[:, k] = 0.0
        return replace(plain, level=level, mix=mix)

    def __call__(self, x: Array) -> Array:
        """Values of the functions, (n, K)."""
        z = (x - self.centre) / (2.0 * self.spread)
        V = legvander(z / np.sqrt(1.0 + z * z), len(self.level) - 1)
        V[:, 0] = (x - self.mean) / self.deviation
        return np.asarray((V - self.level) @ self.mix)


def correlate(X: Array, K: int) -> Array:
    """Return the correlation of K functions of each column, (d·K, d·K)."""
    n, d = X.shape
    bases = [Basis.of(np.ascontiguousarray(x), K) for x in X.T]
    found = np.zeros((d * K, d * K))
    for begin in range(0, n, _AT_A_TIME):
        rows = X[begin : begin + _AT_A_TIME]
        F = np.concatenate([basis(x) for basis, x in zip(bases, rows.T, strict=True)], axis=1)
        found += F.T @ F
    found /= n
    found = (found + found.T) / 2.0
    for j, basis in enumerate(bases):  # up to rounding they are
        own = slice(j * K, (j + 1) * K)
        found[own, own] = np.diag(basis.mix.any(axis=0).astype(np.float64))
    return found


def curve_residuals(X: Array, kept: Curves, parents: list[IntArray]) -> Array:
    """Return what curves of its parents leave of each column, standardised, row by row."""
    K, A = kept.n_functions, kept.ridged
    functions: dict[int, Array] = {}
    left = np.array((X - X.mean(axis=0)) / X.std(axis=0), dtype=np.float64)
    for j, P in enumerate(parents):
        for i in P.tolist():
            if i not in functions:
                functions[i] = Basis.of(np.ascontiguousarray(X[:, i]), K)(X[:, i])
            own, all_of_them = members(np.array([i]), K), members(P, K)
            b = np.linalg.solve(A[np.ix_(all_of_them, all_of_them)], A[all_of_them, j * K])
            left[:, j] -= functions[i] @ b[np.isin(all_of_them, own)]
    return left


def _require_size(plain: Moments) -> None:
    """Raise where rows are too few for curves, or columns too many."""
    least = ROWS_PER_FUNCTION * FUNCTIONS
    if plain.n < least:
        raise InvalidDataError(
            f"Curved effects need at least {least} rows, and there are {plain.n}: leave curved "
            "out, or add rows."
        )
    if plain.d > MOST_COLUMNS:
        raise InvalidDataError(
            f"Curved effects are for up to {MOST_COLUMNS:,} columns; there are {plain.d:,}: leave "
            "columns out, or leave curved out."
        )
