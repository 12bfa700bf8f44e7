"""What is better in one graph, taken over into another.

Two graphs that a search has found differ in places that have nothing to do with each other. Where
the scores are sums over nodes, each such place is better or worse by itself: the best of both is
had by taking, place by place, the parents from the better one, as long as no cycle arises. (Called
partition crossover where tours are searched: Whitley, Hains & Howe 2009.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from daglock.graph import is_dag
from daglock.knowledge import respect
from daglock.search.memo import IMPROVES, NOTHING, PARENT, PAYS
from daglock.search.spec import BEFORE
from daglock.search.state import State, restore
from daglock.typing import BoolArray, IntArray

if TYPE_CHECKING:
    from daglock.search.run import Chain


def take_better_parts(chain: Chain, best: State) -> bool:
    """Turn the state of a chain into the best one with what is better in it; whether anything is.

    A place are nodes whose parents differ and that are linked by edges which one of the graphs
    lacks. All places that are better are tried together, then one by one.
    """
    state = chain.state
    old, new = best.incoming == PARENT, state.incoming == PARENT
    nodes = np.flatnonzero((old != new).any(axis=1))
    place = components((old != new)[np.ix_(nodes, nodes)])
    change = np.bincount(place, state.score[nodes] - best.score[nodes])
    better = np.flatnonzero(change < -IMPROVES)
    first = chain.spec.knowledge & BEFORE > 0
    for taken in (better, *(better[[k]] for k in np.argsort(change[better], kind="stable"))):
        some = nodes[np.isin(place, taken)]
        parents = old.copy()
        parents[some] = new[some]
        if len(some) and is_dag(parents.T | first):
            _take(state, best, some, respect(best.order, parents.T | first))
            return True
    return False


def components(link: BoolArray) -> IntArray:
    """Return for each node the first that it is connected with, whichever way links go."""
    near = link | link.T
    np.fill_diagonal(near, True)
    first, before = np.arange(len(link)), None
    while before is None or (first < before).any():
        before = first
        first = np.where(near, first, len(first)).min(axis=1, initial=len(first))
        first = first[first]
    return first


def _take(state: State, best: State, some: IntArray, order: IntArray) -> None:
    """Make the state the best one, but for some nodes, which keep what they have; with an order."""
    score, incoming = state.score[some], state.incoming[some]
    concerned: BoolArray = ((incoming | best.incoming[some]) != NOTHING).any(axis=0)
    restore(state, best)
    state.score[some], state.incoming[some], state.relation[:, some] = score, incoming, incoming.T
    state.order[:] = order
    state.position[order] = np.arange(len(order))
    state.prefix[1:] = np.bitwise_xor.accumulate(state.word[0, order])
    state.look[some] = True
    state.look[concerned] = True


def paid_before(state: State) -> list[int]:
    """Return the positions of nodes that would gain one of their predecessors as a parent."""
    before = state.position < state.position[:, None]
    paid = ((state.incoming >= PAYS) & before).any(axis=1)
    return [int(q) for q in np.sort(state.position[paid])]
