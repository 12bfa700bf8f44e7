"""What a singular covariance hides, in sentences that name the columns."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from daglock.diagnostics.determined import MAX_CHECKED, Determined, find_determined
from daglock.diagnostics.finding import column_names, listed
from daglock.moments import Moments
from daglock.typing import Array, IntArray

# Below this share of a variance, what is left of it counts as nothing in what is said of a graph.
DETERMINED = 1e-10


def warnings_about(
    moments: Moments, found: Determined | None = None, *, set_aside: bool = False
) -> list[str]:
    """Sentences about too few rows and about columns that others determine; empty when all is well.

    Parameters
    ----------
    moments : Moments
    found : what `find_determined` says, where it was asked already.
    set_aside : whether the graph was learned without the columns that others determine.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((50, 2))
    >>> moments = Moments.from_data(np.column_stack([x, x[:, 0]]), names=["a", "b", "c"])
    >>> print(*warnings_about(moments, set_aside=True))
    c is a copy of a, up to scale and shift. Which of them is a cause cannot be told: c is set
    aside, a node without edges; with determined="keep" all are searched.
    """
    n, d = moments.n, moments.d
    sentences = []
    if n <= d:
        sentences.append(
            f"There are {n} rows for {d} columns: the covariance is singular, "
            "and only a sparse graph can be told from noise."
        )
    if found is None:
        found = find_determined(moments)
    names = column_names(moments)
    if found:
        sentences.append(" ".join(found.sentences(names, set_aside=set_aside)))
    elif n > d:
        close = nearly_determined(moments.cov)
        if len(close):
            sentences.append(
                f"Columns {listed(names[j] for j in close)} nearly determine each other: edges "
                "among them rest on differences of less than one part in ten thousand million of "
                "their variance."
            )
    return sentences


def nearly_determined(S: Array) -> IntArray:
    """Columns with a share in combinations that hardly vary, up to `MAX_CHECKED` columns.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((50, 3))
    >>> x[:, 2] = x[:, 0] + 3e-6 * x[:, 2]
    >>> nearly_determined(np.cov(x.T)).tolist()
    [0, 2]
    """
    if len(S) > MAX_CHECKED:
        return np.empty(0, dtype=np.intp)
    deviation = np.sqrt(np.diag(S))
    R = S / np.outer(deviation, deviation)
    L, info = scipy.linalg.lapack.dpotrf(R, lower=1)
    if info == 0 and np.diag(L).min() ** 2 > DETERMINED:
        return np.empty(0, dtype=np.intp)
    values, vectors = scipy.linalg.eigh(R, check_finite=False)
    return np.flatnonzero(np.linalg.norm(vectors[:, values < DETERMINED], axis=1) > 1e-3)
