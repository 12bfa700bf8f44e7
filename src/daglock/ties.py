"""When two numbers count as equal, and which variable comes first then.

Sums of floating-point numbers end in other bits on another processor, with the rows or the columns
in another order, or with another library. Wherever numbers can tie by construction (copies of a
column, columns of zeros and ones, graphs of one equivalence class) the last bit must not choose.
So a comparison asks for a difference beyond `TIE`, and the first in `canonical_order` is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from daglock.typing import Array, IntArray

# Numbers that differ by a smaller share than this are equal: far above rounding, far below
# anything that data can tell.
TIE = 1e-9


def is_better(score: float, n_edges: int, than: float, than_edges: int) -> bool:
    """Whether a score is lower than another beyond `TIE`, or equal with fewer edges.

    Examples
    --------
    >>> is_better(1.0, 5, 1.0 + 1e-12, 5), is_better(1.0 + 1e-12, 4, 1.0, 5)
    (False, True)
    """
    if abs(score - than) > TIE * max(1.0, abs(than)):
        return score < than
    return n_edges < than_edges


def canonical_order(S: Array, names: Sequence[str] | None = None) -> IntArray:
    """Order of the variables that depends on the data, not on where their columns stand.

    The strongest come first: by the sum of squared correlations with all variables. Among equals
    the squared correlations themselves decide, taken from the strongest partner to the weakest,
    again and again as the order becomes finer. Variables that even so are alike can change places
    without changing the matrix of squared correlations: of these the one with the smaller
    variance comes first, then the first by name, and by column where there are no names.

    Parameters
    ----------
    S : (d, d) covariance.
    names : of the columns.

    Examples
    --------
    >>> S = np.array([[1.0, 0.1, 0.0], [0.1, 1.0, 0.5], [0.0, 0.5, 1.0]])
    >>> canonical_order(S).tolist()
    [1, 2, 0]
    """
    variance = np.where(np.diagonal(S) > 0.0, np.diagonal(S), 1.0)
    deviation = np.sqrt(variance)
    squares = (S / deviation[:, None] / deviation) ** 2  # covariances may be too large to square
    rank = ranks(-squares.sum(axis=1))
    d = len(rank)
    while (rank := _refined(rank, squares)).max() + 1 < d:
        classes = [np.flatnonzero(rank == r) for r in np.flatnonzero(np.bincount(rank) > 1)]
        twins = [alike for alike in classes if _are_twins(squares, alike)]
        place = rank * d
        # All twins in one go; else one variable gets a rank of its own, and the rest may follow.
        for alike in twins or classes[:1]:
            scale = ranks(variance[alike] / variance.mean())
            keys = [("" if names is None else names[i]) for i in alike.tolist()]
            sequence = sorted(range(len(alike)), key=lambda k: (scale[k], keys[k]))
            place[alike[sequence]] += np.arange(len(alike)) if twins else 1
            if not twins:
                place[alike[sequence[0]]] -= 1
        rank = np.unique(place, return_inverse=True)[1]
    return np.argsort(rank, kind="stable").astype(np.intp)


def ranks(values: Array) -> IntArray:
    """Rank of each value, the smallest 0; values without a gap between them have one rank.

    Examples
    --------
    >>> ranks(np.array([2.0, 1.0, 2.0 + 1e-12, 5.0])).tolist()
    [1, 0, 1, 2]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    gap = np.diff(ordered) > TIE * np.maximum(1.0, np.abs(ordered[1:]))
    result = np.empty(len(values), dtype=np.intp)
    result[order] = np.concatenate([[0], np.cumsum(gap)])
    return result


def _are_twins(squares: Array, alike: IntArray) -> bool:
    """Whether any of these variables can change places: then one sequence is as good as another."""
    rows = squares[alike].copy()
    rows[:, alike] = np.where(np.eye(len(alike), dtype=np.bool_), np.nan, rows[:, alike])
    spread = np.nanmax(rows, axis=0) - np.nanmin(rows, axis=0)
    inside = rows[:, alike]
    return bool(spread.max() <= TIE and np.nanmax(inside) - np.nanmin(inside) <= TIE)


def _refined(rank: IntArray, squares: Array) -> IntArray:
    """Tell variables of one rank apart by their squared correlations, as far as that goes."""
    while True:
        n_ranks, d = int(rank.max()) + 1, len(rank)
        place = rank * d
        for tied in np.flatnonzero(np.bincount(rank) > 1):
            alike = np.flatnonzero(rank == tied)
            finer = np.zeros(len(alike), dtype=np.intp)
            # Per row the partners by rank, and by strength within a rank; oneself stands apart.
            rows = squares[alike].copy()
            rows[np.arange(len(alike)), alike] = -1.0
            profile = np.array([row[np.lexsort((-row, rank))] for row in rows])
            for column in profile.T[np.ptp(profile, axis=0) > TIE]:
                finer = np.unique(finer * len(alike) + ranks(-column), return_inverse=True)[1]
            place[alike] += finer
        rank = np.unique(place, return_inverse=True)[1].astype(np.intp)
        if int(rank.max()) + 1 == n_ranks:
            return rank
