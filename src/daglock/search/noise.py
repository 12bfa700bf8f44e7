"""The noise models: what their variances cost, and when one of the two is out of the question."""

from __future__ import annotations

import numpy as np

from daglock.search.score import graph_score
from daglock.typing import Array

# Variances whose largest and smallest differ by less than this share are those of one scale.
ONE_SCALE = 1e-3
# Residual variances agree when telling them apart gains less than this share of what it costs.
AGREE = 0.5
# A graph explains the scale of the columns if at most this share of their differences is left.
UNEXPLAINED = 1 / 3


def variance_price(noise: str, n: int, d: int) -> float:
    """Return what the BIC asks for the noise variances, per row."""
    return float((1 if noise == "equal" else d) * np.log(n) / n)


def has_one_scale(variance: Array) -> bool:
    """Whether all columns have the same variance, as after standardising.

    Under equal noise variances effects vary more than columns without a cause, so a graph with
    edges does not give such columns: their scale was taken away, and says nothing.
    """
    return bool(variance.max() <= (1.0 + ONE_SCALE) * variance.min())


def variances_agree(rss: Array, n: int) -> bool:
    """Whether the residuals of an equal-variance graph confirm that the variances are equal.

    ``n·(d·log(Σ RSS_j / d) − Σ log RSS_j)`` is Bartlett's statistic, about χ² with d − 1 degrees
    of freedom where the variances are equal; the BIC asks (d − 1)·log n for telling them apart.
    Below half of that the graph is taken as it is, see docs/theory.md, section 6.

    Examples
    --------
    >>> variances_agree(np.array([1.0, 1.05, 0.95, 1.0]), n=1000)
    True
    >>> variances_agree(np.array([1.0, 0.5, 2.0, 1.0]), n=1000)
    False
    """
    d = len(rss)
    return _bartlett(rss) < AGREE * (
        variance_price("unequal", n, d) - variance_price("equal", n, d)
    )


def explains_scale(variance: Array, rss: Array, n: int) -> bool:
    """Whether an equal-variance graph accounts for most of what the columns' variances differ by.

    If noise variances are equal, columns differ in variance because of the edges, and residuals do
    not. Where the scale is arbitrary, as in a table that was standardised and then split or
    rounded, or scaled to a range, taking out what parents explain does not make variances alike.
    Bartlett's statistic of the residuals must not exceed that of the columns, and what it is above
    its expected value, d − 1, must be at most `UNEXPLAINED` of what that of the columns is.

    Examples
    --------
    >>> variance = np.array([1.0, 2.0, 3.0])
    >>> explains_scale(variance, rss=np.array([1.0, 1.1, 0.9]), n=100)
    True
    >>> explains_scale(variance, rss=np.array([1.0, 1.5, 2.5]), n=100)
    False
    """
    by_chance = len(rss) - 1
    before, left = n * _bartlett(variance), n * _bartlett(rss)
    most = by_chance + UNEXPLAINED * max(before - by_chance, 0.0)
    return left <= min(before, most)


def overdispersion(rss: Array, n: int) -> float:
    """Return how many times more residual variances differ than those of equal noise would.

    Bartlett's statistic over its degrees of freedom, d − 1, and at least 1: where noise variances
    differ a little, a larger residual variance says so much less about the direction of an edge.

    Examples
    --------
    >>> overdispersion(np.array([1.0, 1.01, 0.99, 1.0]), n=1000)
    1.0
    >>> round(overdispersion(np.array([1.0, 1.2, 0.8, 1.0]), n=1000), 1)
    13.6
    """
    return max(1.0, n * _bartlett(rss) / max(len(rss) - 1, 1))


def _bartlett(variances: Array) -> float:
    """Return ``d·log(Σ v_j / d) − Σ log v_j``: zero where all are equal."""
    return graph_score(variances, 0, 0.0, "equal") - graph_score(variances, 0, 0.0, "unequal")
