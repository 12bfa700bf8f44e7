"""The state of a search: an order and, for each node, the best parents among its predecessors.

Nodes are tried by index, and of equals the first is taken: the engine numbers them canonically.
Parent sets that were worked out before come from the memo.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from daglock.search.memo import IMPROVES, NOTHING, PARENT, PAYS, Memo, claim, clear_if_full, find
from daglock.search.parents import Spec, Work, least_gain, select
from daglock.typing import Array, BoolArray, IntArray

# Up to this many variables every start for a node's parents is affordable.
SMALL = 12


class State(NamedTuple):
    """An order with the parents of every node. ``best_*`` is what a restart falls back to."""

    order: IntArray  # order[q] is the node at position q
    position: IntArray  # its inverse
    prefix: NDArray[np.int64]  # (d + 1,) hash of the set order[:q]
    score: Array  # (d,) f_u
    rss: Array  # (d,)
    relation: NDArray[np.uint8]  # [u, i]: what i is to u: NOTHING, PAYS or PARENT
    relation_of: NDArray[np.uint8]  # its transpose: [i, u]
    look: BoolArray  # nodes whose moves must be tried (again)
    changed: BoolArray  # nodes that differ from best_*
    own: NDArray[np.uint8]  # (d,) scratch: the row of the node that moves
    touched: IntArray  # (d,) scratch
    variable_key: NDArray[np.int64]  # (d,) random words
    node_key: NDArray[np.int64]  # (d,) random words
    best_order: IntArray
    best_score: Array
    best_rss: Array
    best_relation: NDArray[np.uint8]


def make_state(order: IntArray, restarts: bool, rng: np.random.Generator) -> State:
    """Allocate a state for an order; ``initialise`` fills it."""
    d = len(order)
    keys = rng.integers(-(2**63), 2**63 - 1, size=(2, d), dtype=np.int64)
    kept = d if restarts else 0
    return State(
        np.array(order, dtype=np.intp),
        np.empty(d, dtype=np.intp),
        np.zeros(d + 1, dtype=np.int64),
        np.empty(d),
        np.empty(d),
        np.zeros((d, d), dtype=np.uint8),
        np.zeros((d, d), dtype=np.uint8),
        np.ones(d, dtype=np.bool_),
        np.zeros(d, dtype=np.bool_),
        np.empty(d, dtype=np.uint8),
        np.empty(d, dtype=np.intp),
        keys[0],
        keys[1],
        np.empty(kept, dtype=np.intp),
        np.empty(kept),
        np.empty(kept),
        np.empty((kept, d), dtype=np.uint8),
    )


@njit(cache=True, nogil=True)
def describe(spec: Spec, work: Work, u: int, m: int, rss: float, out: NDArray[np.uint8]) -> None:
    """Write what every variable is to u, from the residuals that ``select`` left behind."""
    least = least_gain(spec, u, rss)
    r, D, floor = work.r, work.D, spec.floor
    for i in range(out.shape[0]):
        out[i] = PAYS if (r[i] * r[i] > least * D[i] and D[i] > floor[i]) else NOTHING
    if spec.allowed.shape[0] > 0:
        for i in range(out.shape[0]):
            if not spec.allowed[u, i]:
                out[i] = NOTHING
    out[u] = NOTHING
    for t in range(m):
        out[work.P[t]] = PARENT
    if spec.required.shape[0] > 0:
        for i in range(out.shape[0]):
            if spec.required[u, i]:  # also one that the others determine, which has no row in P
                out[i] = PARENT


@njit(cache=True, nogil=True)
def candidates(spec: Spec, work: Work, state: State, u: int, limit: int) -> None:
    """Mark the nodes before position ``limit`` that may be parents of u."""
    eligible, position = work.eligible, state.position
    for i in range(position.shape[0]):
        eligible[i] = position[i] < limit
    eligible[u] = False
    if spec.allowed.shape[0] > 0:
        for i in range(position.shape[0]):
            eligible[i] &= spec.allowed[u, i]


@njit(cache=True, nogil=True)
def evaluate(
    spec: Spec,
    work: Work,
    state: State,
    memo: Memo,
    u: int,
    key: int,
    limit: int,
    plus: int,
    minus: int,
    add: int,
    base: NDArray[np.uint8],
) -> int:
    """Best parents of u among the nodes before ``limit``, plus one and minus one; a memo row.

    The search for them starts from the parents in ``base`` and, when it is not -1, ``add``.
    """
    key ^= state.node_key[u]
    row = find(memo, key)
    if row >= 0:
        return row
    eligible = work.eligible
    candidates(spec, work, state, u, limit)
    if plus >= 0:
        eligible[plus] = spec.allowed.shape[0] == 0 or spec.allowed[u, plus]
    if minus >= 0:
        eligible[minus] = False
    row = claim(memo, key)
    # Where there are few variables, also from all candidates at once.
    for attempt in range(2 if eligible.shape[0] <= SMALL else 1):
        n_start = 0
        for i in range(eligible.shape[0]):
            if eligible[i] and (attempt == 1 or base[i] == PARENT or i == add):
                work.start[n_start] = i
                n_start += 1
        score, m, rss = select(spec, work, u, min(n_start, spec.max_parents))
        if attempt == 0 or score < memo.score[row] - IMPROVES:
            memo.score[row] = score
            memo.rss[row] = rss
            describe(spec, work, u, m, rss, memo.relation[row])
    return row


@njit(cache=True, nogil=True)
def adopt(state: State, memo: Memo, u: int, row: int) -> None:
    """Take a memo row as the state of u; wake every node that this concerns."""
    state.score[u] = memo.score[row]
    state.rss[u] = memo.rss[row]
    state.changed[u] = True
    state.look[u] = True
    write_relation(state, u, memo.relation[row], True)


@njit(cache=True, nogil=True)
def write_relation(state: State, u: int, new: NDArray[np.uint8], wake: bool) -> None:
    """Replace the relation row of u, keeping the transpose in step."""
    old = state.relation[u]
    for i in range(old.shape[0]):
        if wake and (old[i] != NOTHING or new[i] != NOTHING):
            state.look[i] = True
        if old[i] != new[i]:
            old[i] = new[i]
            state.relation_of[i, u] = new[i]


@njit(cache=True, nogil=True)
def rehash(state: State, first: int, last: int) -> None:
    """Recompute positions and prefix hashes of order[first:last]."""
    for q in range(first, last):
        v = state.order[q]
        state.position[v] = q
        state.prefix[q + 1] = state.prefix[q] ^ state.variable_key[v]


@njit(cache=True, nogil=True)
def initialise(spec: Spec, work: Work, state: State, memo: Memo, first: int, last: int) -> None:
    """Choose parents for the nodes at positions first..last; the others follow in later calls."""
    if first == 0:
        rehash(state, 0, state.order.shape[0])
    for q in range(first, last):
        u = state.order[q]
        clear_if_full(memo, 1)
        row = evaluate(
            spec, work, state, memo, u, state.prefix[q], q, -1, -1, -1, state.relation[u]
        )
        adopt(state, memo, u, row)


@njit(cache=True, nogil=True)
def remember(state: State) -> None:
    """Make the present state the best one."""
    for u in range(state.order.shape[0]):
        state.best_order[u] = state.order[u]
        if state.changed[u]:
            state.best_score[u] = state.score[u]
            state.best_rss[u] = state.rss[u]
            state.best_relation[u] = state.relation[u]
            state.changed[u] = False


@njit(cache=True, nogil=True)
def recall(state: State) -> None:
    """Go back to the best state; there no node needs another look."""
    for u in range(state.order.shape[0]):
        state.order[u] = state.best_order[u]
        if state.changed[u]:
            state.score[u] = state.best_score[u]
            state.rss[u] = state.best_rss[u]
            write_relation(state, u, state.best_relation[u], False)
            state.changed[u] = False
    rehash(state, 0, state.order.shape[0])
    state.look[:] = False


@njit(cache=True, nogil=True)
def total(state: State) -> float:
    """Score of the present state."""
    s = 0.0
    for u in range(state.score.shape[0]):
        s += state.score[u]
    return s
