"""Order search: move one node at a time through the order until no move improves.

Moving ``v`` to the left past ``u`` changes at most two nodes: ``u`` may now use ``v``, and ``v``
may no longer use ``u``. Nothing at all is done unless ``v`` pays as a parent of ``u``, or
``u`` is a parent of ``v``; both are looked up in the state, so most swaps cost nothing. (``v`` also
pays in the place of another parent. That it pays only together with one is overlooked.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import inlined, kernel, part
from daglock.search.calling import lend
from daglock.search.memo import (
    IMPROVES,
    NOTHING,
    PARENT,
    PAYS,
    Memo,
    clear_if_full,
    keep,
    lower,
    worth_of,
)
from daglock.search.node import Nodes
from daglock.search.spec import ALLOWED, BEFORE
from daglock.search.state import State, adopt, best_parents, work_out
from daglock.typing import Array, IntArray

NO_START = np.empty(0, dtype=np.uint8)
NO_HOPES = np.empty(0)


@kernel
def choose(
    nodes: Nodes,
    state: State,
    memo: Memo,
    start: NDArray[np.uint8],
    hopes: Array,
    first: int,
    last: int,
) -> int:
    """Choose parents for the nodes at positions first..last; how many got them.

    They start from those they have and get what is found. If ``start`` is not empty they start from
    it, and get what is found if it is better. Unless it is empty, ``hopes`` gets their scores when
    every other variable is a candidate. More candidates are never worse, so this is what a node can
    hope for: exactly so for the best parents, nearly always for those that grow and shrink find.
    """
    nodes, state, memo = lend(nodes), lend(state), lend(memo)
    d, out = state.order.shape[0], memo.relation[memo.score.shape[0] - 1]
    taken = 0
    for q in range(first, last):
        u = state.order[q]
        base = state.incoming[u] if start.shape[0] == 0 else start
        if hopes.shape[0] > 0:
            hopes[u] = work_out(nodes, state.position, u, d, u, base, out)
        score = work_out(nodes, state.position, u, q, u, base, out)
        if start.shape[0] == 0 or score < state.score[u] - IMPROVES:
            take(state, memo, u, q, score)
            taken += 1
    return taken


def choose_again(
    nodes: Nodes, state: State, memo: Memo, gain: Array, needed: Array, first: int, last: int
) -> int:
    """Choose parents of the nodes at positions first..last from another start; count the better.

    Growing from nothing can pick proxies that shrinking does not undo. The other start is what
    gains more than ``needed`` in ``gain[a, q]``, by position, the regression on all predecessors.
    """
    order = state.order
    mine, at = order[first:last], np.arange(len(order))
    before = at < at[first:last, None]
    starts = before & (gain[:, first:last] > needed[mine]).T
    may = before & (nodes.knowledge[np.ix_(order, mine)].T & ALLOWED > 0)
    other = may & (starts != (state.incoming[np.ix_(mine, order)] != NOTHING))
    better, start = 0, np.empty(len(order), dtype=np.uint8)
    for k in np.flatnonzero(other.any(axis=1)).tolist():
        start[order] = np.where(starts[k], PAYS, NOTHING)
        better += choose(nodes, state, memo, start, NO_HOPES, first + k, first + k + 1)
    return better


@part
def take(state: State, memo: Memo, u: int, q: int, score: float) -> None:
    """Give u, at position q, the parents that are in the spill row of the memo."""
    out = memo.relation[memo.score.shape[0] - 1]
    clear_if_full(memo, 1)
    key = state.prefix[q] ^ state.word[1, u]
    adopt(state, memo, u, keep(memo, key, score, out))


@part
def concerns(state: State, v: int, u: int, left: bool) -> bool:
    """Whether u chooses parents anew when v goes past it: v then pays, or was a parent."""
    relation = state.relation[v, u]
    return bool(relation >= PAYS if left else relation == PARENT)


@part
def hope_of(nodes: Nodes, state: State, v: int, u: int) -> float:
    """Return what u can gain by v at the most.

    No node can do better than ``nodes.least``, nor, where ``nodes.reach`` is not infinite, gain
    more than so many times what v gains as one more parent.
    """
    alone = worth_of(state.relation[v, u], nodes.cost)
    return float(min(max(0.0, state.score[u] - nodes.least[u]), nodes.reach * alone))


@inlined
def walk(
    nodes: Nodes, state: State, memo: Memo, v: int, step: int, best: float
) -> tuple[float, int]:
    """Try v at every position to the left (step -1) or right (1); the best change and where.

    The change must be below ``best``, else v stays where it is. On the way to the left each u that
    v passes may gain v as a parent, and v loses u; on the way to the right u loses v, and v may
    gain u. A walk ends when nothing ahead can make up for what was lost: see `hope_of`.
    """
    d, order, own, here = state.order.shape[0], state.order, nodes.own, state.position[v]
    score, least, known = state.score, nodes.least, nodes.knowledge
    left = step < 0
    own_score, others, hope = score[v], 0.0, 0.0 if left else score[v] - least[v]
    for u in range(d):
        own[u] = state.incoming[v, u]
        if left and state.relation[v, u] >= PAYS and state.position[u] < here:
            hope += hope_of(nodes, state, v, u)
    best_q, q = here, here + step
    while 0 <= q < d:
        u, limit = order[q], q if left else q + 1  # how many come before v, at q
        first, second = (u, v) if left else (v, u)
        lost = others + own_score - score[v] if left else others
        if known[first, second] & BEFORE or lost - hope > best - IMPROVES:
            break
        changes = concerns(state, v, u, left)
        if changes:
            row = best_parents(nodes, state, memo, u, q, v, state.incoming[u])
            if left:
                lower(memo, row, score[u], state.incoming[u])  # what it has it may keep
                hope -= hope_of(nodes, state, v, u)
            others += memo.score[row] - score[u]
        if own[u] == PARENT if left else own[u] >= PAYS:
            changes = True
            row = best_parents(nodes, state, memo, v, limit, v, own)
            if not left:
                lower(memo, row, own_score, own)
            own_score = memo.score[row]
            for i in range(d):
                own[i] = memo.relation[row, i]
        change = others + own_score - score[v]
        if changes and change < best - IMPROVES:
            best, best_q = change, q
            key = state.prefix[limit] ^ state.word[1, v]
            if not left:
                key ^= state.word[0, v]
            keep(memo, key, own_score, own)
        q += step
    return best, best_q


@inlined
def move(nodes: Nodes, state: State, memo: Memo, v: int, q: int) -> None:
    """Put v at position q and give everyone concerned their new parents."""
    order, own, here = state.order, nodes.own, state.position[v]
    step = -1 if q < here else 1
    x = here
    while x != q:
        x += step
        u = order[x]
        if concerns(state, v, u, step < 0):
            row = best_parents(nodes, state, memo, u, x, v, state.incoming[u])
            adopt(state, memo, u, row)
    x = here
    while x != q:
        order[x] = order[x + step]
        x += step
    order[q] = v
    for x in range(min(q, here), max(q, here) + 1):
        state.position[order[x]] = x
        state.prefix[x + 1] = state.prefix[x] ^ state.word[0, order[x]]
    for i in range(own.shape[0]):  # it starts from its parents alone
        own[i] = PARENT if state.incoming[v, i] == PARENT else NOTHING
    adopt(state, memo, v, best_parents(nodes, state, memo, v, q, v, own))


@kernel
def improve(
    nodes: Nodes,
    state: State,
    memo: Memo,
    kicks: IntArray,
    first: int,
    budget: int,
) -> int:
    """Kick node ``kicks[t, 0]`` towards ``kicks[t, 1]``, all of them, then improve the order.

    A kick goes as far as knowledge allows. Then the nodes that must be looked at are tried, at most
    ``budget`` of them, from ``first`` on. Returns the node to go on with, or -1 when no node is
    left: the order is then one that no single move improves.
    """
    nodes, state, memo = lend(nodes), lend(state), lend(memo)
    d, order, known = state.order.shape[0], state.order, nodes.knowledge
    n_kicked, at, idle = 0, first, 0
    while idle < d:
        kicked = n_kicked < kicks.shape[0]
        v = kicks[n_kicked, 0] if kicked else at
        if not kicked:
            if state.look[v] and budget == 0:
                return at
            at = at + 1 if at + 1 < d else 0
            if not state.look[v]:
                idle += 1
                continue
            budget -= 1
            idle = 0
        clear_if_full(memo, 8 * d)
        q = state.position[v]
        if kicked:
            to = kicks[n_kicked, 1]
            while q > to and not known[order[q - 1], v] & BEFORE:
                q -= 1
            while q < to and not known[v, order[q + 1]] & BEFORE:
                q += 1
            n_kicked += 1
        else:
            change = 0.0
            for step in (-1, 1):
                best, best_q = walk(nodes, state, memo, v, step, change)
                if best < change:
                    change, q = best, best_q
        if q != state.position[v]:
            move(nodes, state, memo, v, q)
        if not kicked:
            state.look[v] = False
    return -1
