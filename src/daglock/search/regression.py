"""Regressions on given parents, solved afresh from the covariance."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

from daglock.search.spec import COLLINEAR
from daglock.typing import Array, IntArray


def residual_variances(S: Array, parents: list[IntArray]) -> Array:
    """RSS_j / n of every node on its parents, solved afresh from the covariance.

    Independent of the search, and what a certificate is verified with. Like the search it takes
    no variance for smaller than the share ``COLLINEAR`` of what it was: below that is rounding.
    """
    return np.array([residual_variance(S, P, j) for j, P in enumerate(parents)])


def residual_variance(S: Array, P: IntArray, j: int) -> float:
    """RSS_j / n of one node on its parents."""
    rss = variance = float(S[j, j])
    if len(P):
        S_PP, S_Pj = S[P[:, None], P], S[P, j]
        b = _solve(S_PP, S_Pj)
        rss -= float(2.0 * b @ S_Pj - b @ S_PP @ b)
    return max(rss, COLLINEAR * variance)


def least_squares(S: Array, P: IntArray, j: int) -> Array:
    """Coefficients of the regression of j on P; those of least norm where P is collinear."""
    return _solve(S[P[:, None], P], S[P, j]) if len(P) else np.empty(0)


def _solve(S_PP: Array, S_Pj: Array) -> Array:
    """Solve ``S_PP b = S_Pj``.

    From the correlation, so that columns of very different scale do no harm, by Cholesky; by
    singular values where that comes near to dividing by zero.
    """
    variance = S_PP.diagonal()
    deviation = np.sqrt(np.where(variance > 0.0, variance, 1.0))
    R, r = S_PP / (deviation[:, None] * deviation), S_Pj / deviation
    factor, b, info = dposv(R, r)
    if info != 0 or factor.diagonal().min() < 1e-4:
        b = np.linalg.lstsq(R, r, rcond=COLLINEAR)[0]
    return np.asarray(b / deviation)
