"""What a singular covariance hides, in sentences that name the columns."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from daglock.moments import Moments
from daglock.typing import Array, IntArray

# A column whose variance given the others is below this share of its variance is determined.
DETERMINED = 1e-10
MAX_CHECKED = 1000


def warnings_about(moments: Moments) -> list[str]:
    """Sentences about too few rows and about columns that others determine; empty when all is well.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((50, 2))
    >>> warnings_about(Moments.from_data(np.column_stack([x, x[:, 0]]), names=["a", "b", "c"]))
    ['Columns a, c determine each other linearly: which of them is a cause cannot be told.']
    """
    n, d = moments.n, moments.d
    if n <= d:
        return [
            f"There are {n} rows for {d} columns: the covariance is singular, "
            "and only a sparse graph can be told from noise."
        ]
    if d > MAX_CHECKED:
        return []
    columns = determined_columns(moments.cov)
    if not len(columns):
        return []
    names = moments.names or tuple(f"x{i}" for i in range(d))
    listed = ", ".join(names[i] for i in columns[:10])
    more = f" and {len(columns) - 10} more" if len(columns) > 10 else ""
    return [
        f"Columns {listed}{more} determine each other linearly: "
        "which of them is a cause cannot be told."
    ]


def determined_columns(S: Array) -> IntArray:
    """Columns that are linear combinations of others, from the null space of the correlation."""
    deviation = np.sqrt(np.diag(S))
    R = S / np.outer(deviation, deviation)
    try:
        factor = scipy.linalg.cholesky(R, lower=True, check_finite=False)
        if np.diag(factor).min() ** 2 > DETERMINED:
            return np.empty(0, dtype=np.intp)
    except scipy.linalg.LinAlgError:
        pass
    values, vectors = scipy.linalg.eigh(R, check_finite=False)
    null = vectors[:, values < DETERMINED]
    return np.flatnonzero(np.linalg.norm(null, axis=1) > 1e-3)
