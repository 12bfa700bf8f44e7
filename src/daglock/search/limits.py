"""How far a search goes: what the engine and the baselines it is set beside have in common."""

from __future__ import annotations

# A node has at most this many parents, and at most a quarter as many as there are rows.
MAX_PARENTS = 100
# Up to this many variables the best graph of all is found by going through all sets of them.
MAX_EXACT = 14
# Above this many variables regressions on all predecessors cost more than they can give.
MAX_FULL = 1000


def most_parents(n: int, d: int) -> int:
    """Return how many parents a node may have, with n rows and d variables.

    Examples
    --------
    >>> most_parents(n=1000, d=20), most_parents(n=40, d=20), most_parents(n=10**6, d=500)
    (19, 10, 100)
    """
    return min(d - 1, MAX_PARENTS, max(1, n // 4))


def full_regressions_pay(n: int, d: int) -> bool:
    """Whether to try the regression on all predecessors as a start for every node's parents.

    Examples
    --------
    >>> [full_regressions_pay(n, d) for n, d in ((80, 20), (79, 20), (10**6, 1001))]
    [True, False, False]
    """
    return n >= 4 * d and d <= MAX_FULL
