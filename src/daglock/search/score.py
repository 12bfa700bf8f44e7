"""What an edge costs, and the score of a graph.

With ``n`` rows and ``d`` variables the score that is minimised is, per row,

    Σ_j log RSS_j + k·|E|        (unequal variances)
    d·log(Σ_j RSS_j / d) + k·|E| (equal variances)

with the extended BIC's price of an edge, k = (log n + 4γ log d) / n (Foygel and Drton, 2010).
Adding an edge that is not there lowers n·log RSS by about a χ² variable with one degree of
freedom, and a graph has d(d−1)/2 pairs to be wrong about. ``default_gamma`` is the smallest γ ≥ 0
for which the expected number of such edges in the whole graph stays below ``FALSE_EDGES``.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import chdtri

from daglock._parameters import require_number
from daglock.search.parents import COLLINEAR
from daglock.typing import Array, IntArray

FALSE_EDGES = 0.01


def default_gamma(n: int, d: int, false_edges: float = FALSE_EDGES) -> float:
    """Return the smallest γ that keeps the expected number of false edges small.

    Solves ``d(d−1)/2 · P(χ²₁ > log n + 4γ log d) = false_edges``, and is zero, the plain BIC,
    where that already holds.

    Examples
    --------
    >>> round(default_gamma(n=1000, d=50), 2)
    0.83
    >>> default_gamma(n=10**9, d=3)
    0.0
    """
    pairs = d * (d - 1) / 2
    if false_edges >= pairs:
        return 0.0
    quantile = float(chdtri(1.0, false_edges / pairs))
    return float(max(0.0, (quantile - np.log(n)) / (4.0 * np.log(d))))


def edge_cost(n: int, d: int, gamma: float) -> float:
    """Price k of one edge per row, (log n + 4γ log d) / n."""
    require_number("ebic_gamma", gamma, at_least=0)
    return float((np.log(n) + 4.0 * gamma * np.log(d)) / n)


def residual_variances(S: Array, parents: list[IntArray]) -> Array:
    """RSS_j / n of every node on its parents, solved afresh from the covariance.

    Independent of the search, and what a certificate is verified with. Like the search it takes
    no variance for smaller than the share ``COLLINEAR`` of what it was: below that is rounding.
    """
    variance = np.diag(S)
    rss = variance.astype(np.float64)
    for j, P in enumerate(parents):
        if len(P):
            b = least_squares(S, P, j)
            rss[j] -= 2.0 * b @ S[P, j] - b @ S[P[:, None], P] @ b
    return np.maximum(rss, COLLINEAR * variance)


def least_squares(S: Array, P: IntArray, j: int) -> Array:
    """Coefficients of the regression of j on P; those of least norm where P is collinear.

    From the correlation, so that columns of very different scale do no harm, by Cholesky; by
    singular values where that comes near to dividing by zero.
    """
    if not len(P):
        return np.empty(0)
    deviation = np.sqrt(S[P, P])
    R = S[P[:, None], P] / (deviation[:, None] * deviation)
    factor, b, info = dposv(R, S[P, j] / deviation)
    if info != 0 or factor.diagonal().min() < 1e-4:
        b = np.linalg.lstsq(R, S[P, j] / deviation, rcond=COLLINEAR)[0]
    return np.asarray(b / deviation)


def graph_score(rss: Array, n_edges: int, cost: float, noise: str) -> float:
    """Score of a graph with these residual variances: fit plus price, per row."""
    fit = len(rss) * np.log(np.mean(rss)) if noise == "equal" else np.sum(np.log(rss))
    return float(fit + cost * n_edges)
