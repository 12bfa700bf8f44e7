"""Gaps in groups of rows that miss the same: the steps of `daglock.gaps`, from sums of each group.

With the covariance Σ, O what the rows of a group have and M what they miss, B = Σ_MO Σ_OO⁻¹ and
C = Σ_MM − B Σ_OM, rows with sum of squares Q_OO around the means are expected to have

    Q = A Q_OO Aᵀ + n C,   A = [I; B],

of which the next moments are taken. That is the same step as row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from daglock.gaps import BEYOND_PAIRS, FLOOR, MAX_STEPS, TOLERANCE, Gaussian, climb, without_floor
from daglock.moments.grouped import Key
from daglock.moments.sums import Sums
from daglock.typing import Array, BoolArray, IntArray

_FIRST_FLOOR = 0.05


@dataclass(frozen=True, eq=False)
class _Group:
    """Rows that miss the same, in units of the columns."""

    regime: int
    there: IntArray
    missing: IntArray
    n: int
    means: Array
    scatter: Array


def fit_groups(
    sums: Mapping[Key, Sums],
    there: Mapping[Key, BoolArray],
    progress: Callable[[int, float], None] | None = None,
    *,
    start: tuple[Array, Array] | None = None,
    tolerance: float = TOLERANCE,
) -> tuple[Gaussian, Array]:
    """Find the moments under which what was observed is most likely, and rows that pairs share.

    Returns
    -------
    Gaussian, with means for each regime in the order of their names; and (d, d) numbers of rows.
    """
    d = len(next(iter(there.values())))
    regimes = sorted({regime for regime, _ in sums})
    shared, total, squares = np.zeros((d, d)), np.zeros(d), np.zeros(d)
    for key, own in sums.items():
        some = there[key]
        shared += own.n * np.outer(some, some)
        total[some] += own.n * own.means
    count = np.diagonal(shared)
    place = total / np.maximum(count, 1)
    for key, own in sums.items():
        some = there[key]
        squares[some] += np.diagonal(own.scatter) + own.n * (own.means - place[some]) ** 2
    scale = np.sqrt(squares / np.maximum(count, 1))
    groups = []
    for key, own in sums.items():
        columns = np.flatnonzero(there[key])
        unit = scale[columns]
        groups.append(
            _Group(
                regimes.index(key[0]),
                columns,
                np.flatnonzero(~there[key]),
                own.n,
                (own.means - place[columns]) / unit,
                own.scatter / unit / unit[:, None],
            )
        )
    steps = _Steps(groups, d, len(regimes))
    point = steps.first_guess(shared)
    if start is not None:
        means = np.tile((start[1] - place) / scale, (len(regimes), 1))
        point = (start[0] / scale / scale[:, None], means)
    point, likelihoods, converged = climb(steps.step, point, tolerance, MAX_STEPS, True, progress)
    cov = without_floor(point[0]) * scale * scale[:, None]
    return Gaussian(cov, point[1] * scale + place, likelihoods, converged), shared


def effective_rows_of(shared: Array, n: int) -> int:
    """Return as how many complete rows n rows count: as `daglock.gaps.effective_rows`.

    Examples
    --------
    >>> shared = np.full((3, 3), 1000.0)
    >>> shared[0] = shared[:, 0] = 800.0
    >>> effective_rows_of(shared, 1000)
    824
    """
    counts = shared[np.triu_indices(len(shared), 1)]
    counts = counts[counts > 0]
    if not len(counts):
        return 2
    share = float(np.diagonal(shared).mean()) / n
    pairs = 1.0 / float(np.sqrt(np.mean(1.0 / counts**2)))
    return max(2, min(n, round(pairs * float(share**BEYOND_PAIRS))))


class _Steps:
    """Steps of expectation and maximisation on groups."""

    def __init__(self, groups: list[_Group], d: int, n_regimes: int) -> None:
        self.groups, self.d = groups, d
        self.sizes = np.zeros(n_regimes)
        for group in groups:
            self.sizes[group.regime] += group.n
        self.n = float(self.sizes.sum())
        cells = sum(group.n * len(group.there) for group in groups)
        self.constant = cells * np.log(2.0 * np.pi)

    def first_guess(self, shared: Array) -> tuple[Array, Array]:
        """Covariances of the rows that two columns share, made a covariance matrix."""
        count, means = np.zeros((len(self.sizes), self.d)), np.zeros((len(self.sizes), self.d))
        for group in self.groups:
            count[group.regime, group.there] += group.n
            means[group.regime, group.there] += group.n * group.means
        means /= np.maximum(count, 1.0)
        if not shared.all():
            return np.eye(self.d), means
        cov = np.zeros((self.d, self.d))
        for group in self.groups:
            away = group.means - means[group.regime, group.there]
            own = group.scatter + group.n * np.outer(away, away)
            cov[np.ix_(group.there, group.there)] += own
        values, vectors = np.linalg.eigh(cov / shared)
        return (vectors * np.maximum(values, _FIRST_FLOOR)) @ vectors.T, means

    def step(self, point: tuple[Array, Array]) -> tuple[tuple[Array, Array], float]:
        """Return the moments of the rows as expected, and the likelihood of the point before."""
        values, vectors = np.linalg.eigh(point[0])
        cov = (vectors * np.maximum(values, FLOOR)) @ vectors.T
        first, second = np.zeros((len(self.sizes), self.d)), np.zeros((self.d, self.d))
        unlikely = 0.0
        for group in self.groups:
            own, M, n = group.there, group.missing, group.n
            away = group.means - point[1][group.regime, own]
            Q = group.scatter + n * np.outer(away, away)
            factor = scipy.linalg.cho_factor(cov[np.ix_(own, own)], lower=True, check_finite=False)
            unlikely += 2.0 * n * float(np.log(np.diagonal(factor[0])).sum())
            unlikely += float(np.trace(scipy.linalg.cho_solve(factor, Q, check_finite=False)))
            A = np.zeros((self.d, len(own)))
            A[own, np.arange(len(own))] = 1.0
            if len(M):
                across = cov[np.ix_(own, M)]
                B = scipy.linalg.cho_solve(factor, across, check_finite=False).T
                A[M] = B
                second[np.ix_(M, M)] += n * (cov[np.ix_(M, M)] - B @ across)
            second += A @ Q @ A.T
            first[group.regime] += n * (A @ away)
        shift = first / self.sizes[:, None]
        second -= (self.sizes[:, None] * shift).T @ shift
        second /= self.n
        new = ((second + second.T) / 2.0, point[1] + shift)
        return new, -0.5 * (self.constant + unlikely)
