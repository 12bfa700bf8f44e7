"""The noise models: what their variances cost, and when one of the two is out of the question."""

from __future__ import annotations

import numpy as np

from daglock.search.score import graph_score
from daglock.typing import Array

# Variances whose largest and smallest differ by less than this share are those of one scale.
ONE_SCALE = 1e-3
# Residual variances agree when telling them apart gains less than this share of what it costs.
AGREE = 0.5


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
    gain = graph_score(rss, 0, 0.0, "equal") - graph_score(rss, 0, 0.0, "unequal")
    return gain < AGREE * (variance_price("unequal", n, d) - variance_price("equal", n, d))
