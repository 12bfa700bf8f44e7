"""Part: what is kept of the rows of one regime; mergeable, and never larger than its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf

from daglock.moments.raw import accumulate
from daglock.typing import Array, IntArray

# Above this many times the number of columns, rows are multiplied out before they are factored.
_TALL = 2


@dataclass(frozen=True, eq=False)
class Part:
    """Number of rows, their mean, and a factor F of their scatter.

    ``FᵀF = Σ_r (x_r − m)(x_r − m)ᵀ``: the centred rows themselves, or d rows that have the same
    scatter where there are more than d of them. A screen of a thousand regimes with a hundred rows
    each takes the room of its table, not that of a thousand matrices.

    Attributes
    ----------
    n : rows.
    mean : (d,)
    factor : (m, d), m ≤ d or so.
    """

    n: int
    mean: Array
    factor: Array

    @classmethod
    def of(cls, rows: Array) -> Part:
        """Part of all rows of a regime.

        Examples
        --------
        >>> part = Part.of(np.array([[0.0, 1.0], [2.0, 2.0], [4.0, 6.0]]))
        >>> part.n, part.mean.tolist(), part.scatter.round(6).tolist()
        (3, [2.0, 3.0], [[8.0, 10.0], [10.0, 14.0]])
        """
        n, d = rows.shape
        constant = rows.min(axis=0) == rows.max(axis=0)  # where rounding must not make a scatter
        if n > _TALL * d:
            raw = accumulate(rows, None)
            mean, factor = raw.means, _root(np.where(constant, 0.0, n * raw.cov))
        else:
            mean = np.asarray(rows.mean(axis=0), dtype=np.float64)
            factor = _short(np.where(constant, 0.0, rows - mean))
        return cls(n, np.where(constant, rows[0], mean), np.where(constant, 0.0, factor))

    @classmethod
    def from_scatter(cls, n: int, mean: Array, scatter: Array) -> Part:
        """Part of rows of which number, mean and scatter (d, d) are known.

        Examples
        --------
        >>> scatter = np.array([[8.0, 10.0], [10.0, 14.0]])
        >>> Part.from_scatter(3, np.array([2.0, 3.0]), scatter).scatter.round(6).tolist()
        [[8.0, 10.0], [10.0, 14.0]]
        """
        constant = np.diagonal(scatter) <= 0.0
        still = constant | constant[:, None]
        return cls(n, mean, np.where(constant, 0.0, _root(np.where(still, 0.0, scatter))))

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.mean)

    @property
    def scatter(self) -> Array:
        """Sum of squares and products around the mean, (d, d)."""
        return self.factor.T @ self.factor

    def merge(self, other: Part) -> Part:
        """Part of the rows of both.

        Examples
        --------
        >>> rows = np.arange(12.0).reshape(6, 2) ** 2
        >>> both = Part.of(rows[:2]).merge(Part.of(rows[2:]))
        >>> bool(np.allclose(both.scatter, Part.of(rows).scatter)), both.n
        (True, 6)
        """
        n = self.n + other.n
        gap = other.mean - self.mean
        between = np.sqrt(self.n * other.n / n) * gap
        stacked = np.concatenate([self.factor, other.factor, between[None]])
        return Part(n, self.mean + other.n / n * gap, _short(stacked))

    def select(self, columns: IntArray) -> Part:
        """Part of some of the columns."""
        return Part(self.n, self.mean[columns], self.factor[:, columns])

    def scaled(self, centre: Array, scale: Array) -> Part:
        """Part of the columns less a centre, over a scale."""
        return Part(self.n, (self.mean - centre) / scale, self.factor / scale)

    def redraw(self, rng: np.random.Generator) -> Part:
        """Part of as many rows from the Gaussian distribution with this mean and covariance."""
        shares = rng.standard_normal((self.n, len(self.factor)))
        return Part.of(self.mean + shares @ self.factor / np.sqrt(self.n))


def stacked(factors: list[Array], d: int) -> Array:
    """Return a factor of the sum of scatters."""
    return _short(np.concatenate([*factors, np.empty((0, d))]))


def _short(rows: Array) -> Array:
    """Return no more rows than columns, with the same scatter."""
    if len(rows) <= rows.shape[1]:
        return rows
    return np.asarray(np.linalg.qr(rows, mode="r"))


def _root(scatter: Array) -> Array:
    """Return F with FᵀF the scatter, which may be singular, whatever the scales of the columns."""
    deviation = np.sqrt(np.diagonal(scatter))
    scale = np.where(deviation > 0.0, deviation, 1.0)
    R = scatter / scale[:, None] / scale
    factor, info = dpotrf(R, lower=0, clean=1)
    if info != 0:
        values, vectors = np.linalg.eigh(R)
        factor = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    return np.asarray(factor * scale)
