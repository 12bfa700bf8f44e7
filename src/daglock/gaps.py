"""Gaps: mean and covariance of rows of which some values are missing, by expectation-maximisation.

The rows are taken as drawn from one Gaussian distribution, and that a value is missing may depend
on what was observed, not on the value itself (missing at random). A step fills in what is expected
of the missing part of a row, given the rest, and takes the moments of that, with the covariance of
what was filled in added (Dempster, Laird and Rubin 1977). With K = Σ⁻¹, M what a row misses, and
u = x − μ with zeros at M,

    E[u_M | u_O] = −K_MM⁻¹ (K u)_M,   cov = K_MM⁻¹,   log|Σ_OO| = log|Σ| + log|K_MM|

so that a table costs one product with K and one small inverse for each pattern of gaps.

A likelihood has no maximum where some combination of columns does not vary. Covariances are
therefore sought among those that have no eigenvalue below a floor f, in units of the columns'
variances. Of these, −log|Σ| − tr(Σ⁻¹S) is largest where Σ has the eigenvectors of S, and its
eigenvalues where they are above f, else f: the likelihood grows with every step here, too, and no
covariance that is above the floor is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock.content import content_orders
from daglock.typing import Array, BoolArray, IntArray

# Least eigenvalue of a covariance of standardised columns while it is sought. What ends at it is
# taken for zero.
FLOOR = 1e-10
# Above this eigenvalue the inverse covariance is used, which is quicker.
SAFE = 1e-5
# What is left to go, in standard deviations and correlations, at which the steps end. The
# standard error of a correlation is 1/√n: of a million rows a thousandth.
TOLERANCE = 1e-5
MAX_STEPS = 1000
# Cells of the inverses that are worked out at once: 16 MB.
_BLOCK_CELLS = 1 << 21
# Eigenvalues of the first guess, from the rows that pairs of columns share, are not below this.
_FIRST_FLOOR = 0.05
# Power of the share of cells that are there by which fewer rows count than pairs of columns share:
# what a pair is regressed on has gaps, too. Chosen by simulation (docs/theory.md, section 8).
BEYOND_PAIRS = 0.5


class Gaussian(NamedTuple):
    """What was found: the moments, and how.

    Attributes
    ----------
    cov : (d, d)
    means : (g, d), one row for each group.
    likelihoods : log-likelihood of what was observed at each step, never falling but for rounding:
        of n rows and a least eigenvalue λ of the correlations about nε/λ.
    converged : whether the steps ended by themselves.
    """

    cov: Array
    means: Array
    likelihoods: list[float]
    converged: bool


def log_likelihood(X: Array, cov: Array, means: Array) -> float:
    """Log-likelihood of what is there of the rows, under a Gaussian distribution.

    Examples
    --------
    >>> X = np.array([[0.0, np.nan], [1.0, 2.0]])  # three standard normal values: 0, 1 and 2
    >>> round(float(log_likelihood(X, np.eye(2), np.zeros(2)) + 1.5 * np.log(2 * np.pi)), 9)
    -2.5
    """
    scale = np.sqrt(np.diagonal(cov))
    rows = _Rows((X - means) / scale, None)
    standard = rows.step((cov / scale / scale[:, None], np.zeros((1, len(cov)))))[1]
    return standard - float((~np.isnan(X)).sum(axis=0) @ np.log(scale))


def effective_rows(there: BoolArray) -> int:
    """Return as how many complete rows a table counts, from which of its cells are there.

    ``n_eff = √s / √(mean_{i<j} 1/n_ij²)`` with n_ij the rows that have both of two columns, s the
    share of cells that are there. The variance of a coefficient goes with 1/n_ij, and a false edge
    is most likely where that is large. Columns that are never observed together do not count.

    Examples
    --------
    >>> there = np.ones((1000, 3), dtype=bool)
    >>> there[:200, 0] = False
    >>> effective_rows(there), effective_rows(np.ones((1000, 3), dtype=bool))
    (824, 1000)
    """
    n = len(there)
    shared = shared_rows(there)
    counts = shared[np.triu_indices(len(shared), 1)]
    counts = counts[counts > 0]
    if not len(counts):
        return 2
    pairs = 1.0 / float(np.sqrt(np.mean(1.0 / counts**2)))
    return max(2, min(n, round(pairs * float(there.mean() ** BEYOND_PAIRS))))


def shared_rows(there: BoolArray) -> Array:
    """Return for each pair of columns how many rows have both."""
    cells = there.astype(np.float32)  # exact up to 2²⁴ rows
    return np.asarray(cells.T @ cells, dtype=np.float64)


# The parameters: covariance and means, of standardised columns.
_Point = tuple[Array, Array]


def fit_gaussian(
    X: Array,
    *,
    groups: IntArray | None = None,
    start: tuple[Array, Array] | None = None,
    start_rows: float = 0.0,
    tolerance: float = TOLERANCE,
    max_steps: int = MAX_STEPS,
    accelerate: bool = True,
    progress: Callable[[int, float], None] | None = None,
) -> Gaussian:
    """Find the moments under which what was observed is most likely.

    Parameters
    ----------
    X : (n, d), NaN where a value is missing; every column varies, every row has a value.
    groups : (n,) numbers 0, 1, ... of groups of rows with means of their own and one covariance.
    start : covariance (d, d) and means (d,) to begin with.
    start_rows : as how many rows more this covariance counts where values are filled in, and
        nowhere else: what the rows hardly tell stays as it was, and few steps are left.
    tolerance : what may be left to go, in units of the columns' standard deviations.
    max_steps : at which it ends anyhow.
    accelerate : extrapolate two steps as far as the likelihood agrees (Varadhan and Roland 2008).
    progress : called with the steps done and the log-likelihood.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0], [6.0, np.nan]])
    >>> found = fit_gaussian(X, tolerance=1e-12)
    >>> found.means.round(6).tolist()  # the line through the first three goes on: 2 + (x − 1) / 2
    [[2.25, 2.625]]
    """
    # where steps end hangs on the last bits of sums, which are therefore always of one order
    order, columns = content_orders(X)
    X, groups = X[np.ix_(order, columns)], None if groups is None else groups[order]
    back = np.argsort(columns)
    place = np.nanmean(X, axis=0)
    scale = np.nanstd(X, axis=0)
    rows = _Rows((X - place) / scale, groups)
    if start is None:
        point = rows.first_guess()
    else:
        means = np.tile((start[1][columns] - place) / scale, (len(rows.sizes), 1))
        point = (start[0][np.ix_(columns, columns)] / scale / scale[:, None], means)
        rows.more = _More(point[0], start_rows)
    point, likelihoods, converged = climb(
        rows.step, point, tolerance, max_steps, accelerate, progress, rows.is_hopeless
    )
    cov, means = without_floor(rows.own(point[0])), point[1]
    cov, means = cov * scale * scale[:, None], means * scale + place
    return Gaussian(cov[np.ix_(back, back)], means[:, back], likelihoods, converged)


def climb(
    step: Callable[[_Point], tuple[_Point, float]],
    point: _Point,
    tolerance: float,
    max_steps: int,
    accelerate: bool,
    progress: Callable[[int, float], None] | None,
    is_hopeless: Callable[[Array, float], bool] | None = None,
) -> tuple[_Point, list[float], bool]:
    """Take steps until little is left to go; return the point, all likelihoods, and whether so.

    Two steps r = θ₁ − θ₀ and s = θ₂ − θ₁ are extrapolated to θ₀ + 2ar + a²(s − r), a = ‖r‖/‖s − r‖,
    which for a = 1 is θ₂. Where that is less likely than θ₁, θ₂ is taken instead; so it is, without
    a step, where the covariance alone shows that it is.
    """
    likelihoods: list[float] = []
    first, likelihood = step(point)
    n_steps = 1
    while True:
        likelihoods.append(likelihood)
        second, likelihood = step(first)
        n_steps += 1
        likelihoods.append(likelihood)
        if progress is not None:
            progress(n_steps, likelihood)
        r, s = _difference(first, point), _difference(second, first)
        rate = min(_norm(s) / max(_norm(r), 1e-300), 1.0 - 1e-3)
        gained = likelihoods[-1] - likelihoods[-2]
        left = max(float(np.abs(part).max()) for part in s) / (1.0 - rate)
        if left <= tolerance and gained <= tolerance * abs(likelihood):
            return second, likelihoods, True
        if n_steps >= max_steps:
            return second, likelihoods, False
        bend = _difference(s, r)
        length = _norm(r) / max(_norm(bend), 1e-300)
        if accelerate and length > 1.0:
            cov, means = (
                start + 2.0 * length * a + length**2 * b
                for start, a, b in zip(point, r, bend, strict=True)
            )
            n_steps += 1
            if is_hopeless is None or not is_hopeless(cov, likelihood):
                after, there = step((cov, means))
                if there >= likelihood:
                    point, first, likelihood = (cov, means), after, there
                    continue
        point = second
        first, likelihood = step(point)
        n_steps += 1


def _difference(one: _Point, other: _Point) -> _Point:
    """Subtract part by part."""
    return one[0] - other[0], one[1] - other[1]


def _norm(point: _Point) -> float:
    """Length of both parts together."""
    return float(np.hypot(np.linalg.norm(point[0]), np.linalg.norm(point[1])))


class _Batch(NamedTuple):
    """Patterns that miss equally many columns, in equally many rows each."""

    columns: NDArray[np.intp]  # (k, m) that are missing
    rows: NDArray[np.intp]  # (k, c) that miss them


class _More(NamedTuple):
    """Rows that are known by their covariance alone."""

    cov: Array
    n: float


class _Rows:
    """Standardised rows, sorted by what they miss."""

    def __init__(self, X: Array, groups: IntArray | None) -> None:
        self.gaps = np.isnan(X)
        self.X = np.where(self.gaps, 0.0, X)
        self.n, self.d = X.shape
        self.groups = np.zeros(self.n, dtype=np.intp) if groups is None else groups
        self.sizes = np.bincount(self.groups).astype(np.float64)
        self.batches = _batches(self.gaps)
        self.constant = float((~self.gaps).sum()) * np.log(2.0 * np.pi)
        self.more = _More(np.empty((0, 0)), 0.0)

    def first_guess(self) -> _Point:
        """Covariances of the rows that two columns share, made a covariance matrix."""
        there = (~self.gaps).astype(np.float64)
        means = self._by_group(self.X) / np.maximum(self._by_group(there), 1.0)
        shared = there.T @ there
        if not shared.all():  # what no row tells begins with nothing, not with a contradiction
            return np.eye(self.d), means
        U = np.where(self.gaps, 0.0, self.X - means[self.groups])
        cov = (U.T @ U) / shared
        values, vectors = np.linalg.eigh(cov)
        return (vectors * np.maximum(values, _FIRST_FLOOR)) @ vectors.T, means

    def step(self, point: _Point) -> tuple[_Point, float]:
        """Return the moments of the rows as expected, and the likelihood of the point before."""
        values, vectors = np.linalg.eigh(point[0])
        values = np.maximum(values, FLOOR)  # the best covariance above the floor: see above
        U = np.where(self.gaps, 0.0, self.X - point[1][self.groups])
        if values[0] > SAFE:
            K = (vectors / values) @ vectors.T
            unlikely, spread = self._by_precision(K, float(np.log(values).sum()), U)
        else:
            unlikely, spread = self._by_covariance(values, vectors, U)
        shift = self._by_group(U) / self.sizes[:, None]
        centred = U - shift[self.groups]
        cov = centred.T @ centred + spread
        if self.more.n:
            cov += self.more.n * self.more.cov
            unlikely += self._unlikely_of_more(values, vectors)
        cov /= self.n + self.more.n
        return ((cov + cov.T) / 2.0, point[1] + shift), -0.5 * (self.constant + unlikely)

    def is_hopeless(self, cov: Array, likelihood: float) -> bool:
        """Tell whether no means make a covariance as likely, by what is known without the rows.

        The determinant of what is there of a row is no less than the product of as many of the
        least eigenvalues (Cauchy's interlacing theorem). Looked at where a step is slow.
        """
        values, vectors = np.linalg.eigh(cov)
        if values[0] > SAFE or not self.more.n:
            return False
        values = np.maximum(values, FLOOR)
        least = np.cumsum(np.log(values))[(~self.gaps).sum(axis=1) - 1].sum()
        unlikely = self.constant + least + self._unlikely_of_more(values, vectors)
        return bool(-0.5 * unlikely < likelihood)

    def _unlikely_of_more(self, values: Array, vectors: Array) -> float:
        """Return −2 log-likelihood of the rows that are known by their covariance alone."""
        across = np.einsum("ij,ij->j", vectors, self.more.cov @ vectors) / values
        return self.more.n * float((np.log(values) + across).sum())

    def own(self, cov: Array) -> Array:
        """Return what a step found without the rows that are known by their covariance alone."""
        if not self.more.n:
            return cov
        return np.asarray(cov + (cov - self.more.cov) * (self.more.n / self.n))

    def _by_precision(self, K: Array, log_det: float, U: Array) -> tuple[float, Array]:
        """Fill in what is expected; return −2 log-likelihood, and the covariance of what is not."""
        G = U @ K
        unlikely = self.n * log_det + float(np.vdot(U, G))
        spread = np.zeros(self.d * self.d)
        for columns, rows in self.batches:
            if columns.shape[1]:
                across, which = columns[:, None, :], rows[:, :, None]
                A = K[columns[:, :, None], across]
                roots = np.diagonal(np.linalg.cholesky(A), axis1=1, axis2=2)
                C = np.linalg.inv(A)
                g = G[which, across]
                U[which, across] = filled = -(g @ C)
                times = rows.shape[1]
                unlikely += 2.0 * times * float(np.log(roots).sum()) + float(np.vdot(g, filled))
                self._scatter(spread, columns, times * C)
        return unlikely, spread.reshape(self.d, self.d)

    def _by_covariance(self, values: Array, vectors: Array, U: Array) -> tuple[float, Array]:
        """Do the same by Σ_OO = LLᵀ, which costs more and keeps twice the digits.

        With a = L⁻¹u_O and B = L⁻¹Σ_OM, E[u_M] = Bᵀa and its covariance is Σ_MM − BᵀB. Of whole
        rows, which are most, the eigenvectors of Σ tell the same.
        """
        cov = (vectors * values) @ vectors.T
        unlikely, spread = 0.0, np.zeros(self.d * self.d)
        for columns, rows in self.batches:
            m, which = columns.shape[1], rows[:, :, None]
            if not m:
                a = (U[rows.ravel()] @ vectors) / np.sqrt(values)
                unlikely += rows.size * float(np.log(values).sum()) + float(np.vdot(a, a))
                continue
            present = np.ones((len(columns), self.d), dtype=np.bool_)
            np.put_along_axis(present, columns, False, axis=1)
            others = np.nonzero(present)[1].reshape(len(columns), self.d - m)
            down, across = others[:, :, None], columns[:, None, :]
            L = np.linalg.cholesky(cov[down, others[:, None, :]])
            right = np.concatenate(
                [cov[down, across], U[which, others[:, None, :]].swapaxes(1, 2)], axis=2
            )
            both = np.linalg.solve(L, right)
            B, a = both[:, :, :m], both[:, :, m:]
            U[which, across] = a.swapaxes(1, 2) @ B
            roots, times = np.diagonal(L, axis1=1, axis2=2), rows.shape[1]
            unlikely += 2.0 * times * float(np.log(roots).sum()) + float(np.vdot(a, a))
            C = cov[columns[:, :, None], across] - B.swapaxes(1, 2) @ B
            self._scatter(spread, columns, times * C)
        return unlikely, spread.reshape(self.d, self.d)

    def _scatter(self, spread: Array, columns: NDArray[np.intp], blocks: Array) -> None:
        """Add blocks (k, m, m) to the cells of a flat (d, d) matrix that their columns name."""
        cells = columns[:, :, None] * self.d + columns[:, None, :]
        spread += np.bincount(cells.ravel(), weights=blocks.ravel(), minlength=len(spread))

    def _by_group(self, values: Array) -> Array:
        """Sum rows by their group."""
        if len(self.sizes) == 1:
            return np.asarray(values.sum(axis=0, keepdims=True))
        total = np.zeros((len(self.sizes), self.d))
        np.add.at(total, self.groups, values)
        return total


def _batches(gaps: BoolArray) -> list[_Batch]:
    """Sort the rows by their pattern of gaps, patterns by what they have in common."""
    codes = np.packbits(gaps, axis=1)
    _, first, place, count = np.unique(
        codes, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    place = place.ravel()
    missing = gaps[first].sum(axis=1)
    by_pattern = np.argsort(place, kind="stable")
    begin = np.cumsum(count) - count
    result = []
    for m, c in sorted(set(zip(missing.tolist(), count.tolist(), strict=True))):
        alike = np.flatnonzero((missing == m) & (count == c))
        width = max(1, _BLOCK_CELLS // (gaps.shape[1] * max(gaps.shape[1], c)))
        for at in range(0, len(alike), width):
            chosen = alike[at : at + width]
            rows = by_pattern[begin[chosen][:, None] + np.arange(c)]
            columns = np.nonzero(gaps[rows[:, 0]])[1].reshape(len(chosen), m)
            result.append(_Batch(columns, rows))
    return result


def without_floor(cov: Array) -> Array:
    """Make what ended at the floor exactly zero: combinations of columns that do not vary."""
    values, vectors = np.linalg.eigh(cov)
    low = values < 2.0 * FLOOR
    return np.asarray(cov - (vectors[:, low] * values[low]) @ vectors[:, low].T)
