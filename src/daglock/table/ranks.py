"""Normal scores: ranks on the scale of a Gaussian."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from scipy.stats import rankdata

from daglock.typing import Array


def normal_scores(x: ArrayLike) -> Array:
    """Return Φ⁻¹((r − ½)/n) of the ranks r, tied ranks averaged, with mean 0 and variance 1.

    Missing values (NaN) stay missing and are not counted in n.

    Examples
    --------
    >>> normal_scores([3.0, 1000.0, np.nan, -5.0]).round(3).tolist()
    [0.0, 1.225, nan, -1.225]
    """
    values = np.asarray(x, dtype=np.float64)
    there = ~np.isnan(values)
    n = int(there.sum())
    result = np.full(values.shape, np.nan)
    if not n:
        return result
    scores = ndtri((rankdata(values[there]) - 0.5) / n)
    ordered = np.sort(scores)  # sums that end in the same bits however rows are sorted
    scores -= ordered.mean()
    deviation = float(ordered.std())
    result[there] = scores / deviation if deviation > 0.0 else scores
    return result
