"""What a singular covariance hides, in sentences that name the columns."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from daglock.moments import Moments
from daglock.typing import Array, IntArray

# A column whose variance given the others is below this share of its variance is determined.
DETERMINED = 1e-10
# Above this many columns the eigenvalues cost more than the warning is worth.
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
    sentences = []
    if n <= d:
        sentences.append(
            f"There are {n} rows for {d} columns: the covariance is singular, "
            "and only a sparse graph can be told from noise."
        )
    if d > MAX_CHECKED:
        return sentences
    # with few rows every column is a combination of others; a copy is worth a word even then
    columns = copied_columns(moments.cov) if n <= d else determined_columns(moments.cov)
    if len(columns):
        names = moments.names or tuple(f"x{i}" for i in range(d))
        listed = ", ".join(names[i] for i in columns[:10])
        more = f" and {len(columns) - 10} more" if len(columns) > 10 else ""
        sentences.append(
            f"Columns {listed}{more} determine each other linearly: "
            "which of them is a cause cannot be told."
        )
    return sentences


def copied_columns(S: Array) -> IntArray:
    """Columns that are a multiple of another one, up to a constant."""
    R = _correlation(S)
    np.fill_diagonal(R, 0.0)
    return np.flatnonzero((np.abs(R) > 1.0 - DETERMINED).any(axis=0))


def determined_columns(S: Array) -> IntArray:
    """Columns that are linear combinations of others, from the null space of the correlation."""
    R = _correlation(S)
    try:
        factor = scipy.linalg.cholesky(R, lower=True, check_finite=False)
        if np.diag(factor).min() ** 2 > DETERMINED:
            return np.empty(0, dtype=np.intp)
    except scipy.linalg.LinAlgError:
        pass
    values, vectors = scipy.linalg.eigh(R, check_finite=False)
    null = vectors[:, values < DETERMINED]
    return np.flatnonzero(np.linalg.norm(null, axis=1) > 1e-3)


def _correlation(S: Array) -> Array:
    """Covariance in units of the standard deviations."""
    deviation = np.sqrt(np.diag(S))
    return np.asarray(S / deviation[:, None] / deviation)
