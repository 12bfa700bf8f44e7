"""Whether the variances of a table speak for equal noise variances, or rule them out."""

from __future__ import annotations

import numpy as np

from daglock.settings import SETTINGS, Settings
from daglock.typing import Array


def has_one_scale(variance: Array, settings: Settings = SETTINGS) -> bool:
    """Whether all columns have the same variance, as after standardising.

    Under equal noise variances effects vary more than columns without a cause, so a graph with
    edges does not give such columns: their scale was taken away, and says nothing.
    """
    return bool(variance.max() <= (1.0 + settings.one_scale) * variance.min())


def variances_agree(rss: Array, n: int, settings: Settings = SETTINGS) -> bool:
    """Whether the residuals of an equal-variance graph confirm that the variances are equal.

    n times `bartlett` is about χ² with d − 1 degrees of freedom where the variances are equal; the
    BIC asks (d − 1)·log n for telling them apart. Below half of that the graph is taken as it
    is, see docs/theory.md, section 6.

    Examples
    --------
    >>> variances_agree(np.array([1.0, 1.05, 0.95, 1.0]), n=1000)
    True
    >>> variances_agree(np.array([1.0, 0.5, 2.0, 1.0]), n=1000)
    False
    """
    return bool(bartlett(rss) < settings.agree * (len(rss) - 1) * np.log(n) / n)


def explains_scale(variance: Array, rss: Array, n: int, settings: Settings = SETTINGS) -> bool:
    """Whether an equal-variance graph accounts for most of what the columns' variances differ by.

    If noise variances are equal, columns differ in variance because of the edges, and residuals do
    not. Where the scale is arbitrary, as in a table that was standardised and then split or
    rounded, or scaled to a range, taking out what parents explain does not make variances alike.
    Bartlett's statistic of the residuals must not exceed that of the columns, and what it is above
    its expected value, d − 1, must be at most a third of what that of the columns is.

    Examples
    --------
    >>> variance = np.array([1.0, 2.0, 3.0])
    >>> explains_scale(variance, rss=np.array([1.0, 1.1, 0.9]), n=100)
    True
    >>> explains_scale(variance, rss=np.array([1.0, 1.5, 2.5]), n=100)
    False
    """
    by_chance = len(rss) - 1
    before, left = n * bartlett(variance), n * bartlett(rss)
    most = by_chance + settings.unexplained * max(before - by_chance, 0.0)
    return left <= min(before, most)


def bartlett(variances: Array) -> float:
    """Return ``d·log(Σ v_j / d) − Σ log v_j``: zero where all are equal."""
    return float(len(variances) * np.log(np.mean(variances)) - np.sum(np.log(variances)))
