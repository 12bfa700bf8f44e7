"""A lower bound for all DAGs: what no choice of a set of parents for each node can be below.

With x_jP = 1 where P are the parents of j, and 0 elsewhere, a DAG is a choice of one set for each
node in which no nodes go round in a circle. Take any nodes C, in an order of the DAG: the first k
of them have fewer than k of C for parents. So every DAG obeys, for all C and k,

    Σ_{j ∈ C} Σ_{P: |P ∩ C| < k} x_jP ≥ k

(Jaakkola et al. 2010 for k = 1, Cussens 2011 for more). The least Σ f_j(P) x_jP under some of
these, x between 0 and 1, is a lower bound: a linear programme. Those that its solution breaks are
added, and it is solved again. For any multipliers λ ≥ 0 of them

    Σ_C k λ_C + Σ_j min_P r_j(P),    r_j(P) = f_j(P) − Σ {λ_C: j ∈ C, |P ∩ C| < k},

is a lower bound too. It is worked out here from the multipliers that the solver returns, so that
the solver's rounding does no harm. A set whose r_j is larger than the least by more than upper and
lower bound differ is in no better graph and is left out. Where no constraint is broken and sets are
still chosen in part, an edge is taken as given, and as not there: two programmes, the lower of
whose bounds holds (branch and bound).

What must come before a node counts among its parents in the sums: it cannot come later in an order.
"""

from __future__ import annotations

from heapq import heappop, heappush
from time import perf_counter
from typing import NamedTuple, TypeAlias

import numpy as np

from daglock.search.parent_sets import ParentSets
from daglock.search.programme import CLOSED, Cut, Programme, Progress
from daglock.typing import Array, BoolArray, IntArray

# A part of all graphs: its bound, a number, the sets that are left, how far each is from the least
# of its node, and the constraints that bind.
_Part: TypeAlias = tuple[float, int, ParentSets, Array, list[Cut]]


class Bounded(NamedTuple):
    """What was shown.

    Attributes
    ----------
    lower : no DAG costs less.
    parents : those of a DAG that costs less than the one that was known, if one was found.
    """

    lower: float
    parents: list[IntArray] | None


def lower_bound(
    sets: ParentSets,
    upper: float,
    before: BoolArray | None = None,
    *,
    deadline: float = np.inf,
    progress: Progress | None = None,
) -> Bounded:
    """Bound Σ_j f_j(P_j) from below over all DAGs, for as long as there is time.

    Parameters
    ----------
    sets : all that may be parents in a best graph.
    upper : cost of a graph that is known.
    before : [i, j]: i must come before j.
    deadline : value of ``time.perf_counter`` at which to end.
    progress : called with the bound whenever it was computed.

    Examples
    --------
    >>> from daglock.knowledge import Masks
    >>> from daglock.search.parent_sets import parent_sets
    >>> R = np.array([[1.0, 0.6, 0.6], [0.6, 1.0, 0.36], [0.6, 0.36, 1.0]])
    >>> graph = 2 * np.log(1 - 0.36) + 2 * 0.01
    >>> bounded = lower_bound(parent_sets(R, 0.01, 2, Masks()), graph)
    >>> bool(abs(graph - bounded.lower) < 1e-6), bounded.parents
    (True, None)
    """
    lower, better, n = -np.inf, None, 0
    pending: list[_Part] = [(lower, n, sets, sets.cost, [])]
    while pending and perf_counter() < deadline:
        lower = max(lower, min(pending[0][0], upper))
        if upper - lower <= CLOSED:
            break
        if progress is not None:
            progress(lower)
        below, _, own, beyond, cuts = heappop(pending)
        programme = Programme(own, beyond, before, cuts)
        relaxed = programme.tighten(upper, deadline, progress if n == 0 else None)
        below = max(below, relaxed.lower)
        if relaxed.x is None and below < np.inf:  # out of time
            heappush(pending, (below, -1, own, beyond, cuts))
            break
        if relaxed.x is None or upper - below <= CLOSED:
            continue
        if relaxed.is_graph:
            better, upper = programme.parents(relaxed.x), float(programme.sets.cost @ relaxed.x)
            continue
        for which in programme.branches(relaxed.x):
            n += 1
            own, beyond = programme.some(which), programme.beyond[which]
            heappush(pending, (below, n, own, beyond, list(programme.cuts)))
    if not pending:
        lower = upper
    lower = max(lower, min([upper, *(below for below, *_ in pending)]))
    return Bounded(min(lower, upper), better)
