"""What a singular covariance hides, in sentences that name the columns."""

from __future__ import annotations

from daglock.diagnostics.determined import Determined, find_determined
from daglock.diagnostics.finding import column_names
from daglock.moments import Moments

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
    >>> import numpy as np
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
    if found:
        sentences.append(" ".join(found.sentences(column_names(moments), set_aside=set_aside)))
    return sentences
