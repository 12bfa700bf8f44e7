"""Order search: move one node at a time through the order until no move improves.

Moving ``v`` to the left past ``u`` changes at most two nodes: ``u`` may now use ``v``, and ``v``
may no longer use ``u``. Nothing at all is done unless adding ``v`` to the parents of ``u`` pays, or
``u`` is a parent of ``v``; both are looked up in the state, so most swaps cost nothing. (That ``v``
pays only in the place of another parent, or together with one, is possible: ``Spec.thorough`` looks
for that too.)
"""

from __future__ import annotations

from numba import njit

from daglock.search.memo import IMPROVES, PARENT, PAYS, Memo, claim, clear_if_full, find, keep
from daglock.search.parents import Spec, Work, least_gain, select
from daglock.search.state import (
    SMALL,
    State,
    adopt,
    candidates,
    describe,
    evaluate,
    rehash,
)
from daglock.typing import Array, IntArray


@njit(cache=True, nogil=True)
def blanket_scores(spec: Spec, work: Work, first: int, last: int, out: Array) -> None:
    """Score of the nodes first..last when every other variable is a candidate.

    More candidates are never worse, so this is what a node can hope for: exactly so for the best
    parents, nearly always for those that grow and shrink find.
    """
    for u in range(first, last):
        for i in range(out.shape[0]):
            work.eligible[i] = i != u and (spec.allowed.shape[0] == 0 or spec.allowed[u, i])
        out[u] = select(spec, work, u, 0)[0]


@njit(cache=True, nogil=True)
def reselect(
    spec: Spec, work: Work, state: State, memo: Memo, gain: Array, first: int, last: int
) -> int:
    """Start the parents of the nodes at positions first..last anew; count the nodes that gain.

    Growing from nothing can pick proxies that shrinking does not undo. Other starts: what pays in
    ``gain[q, a]``, by position, the regression on all predecessors; where there are few of them
    all predecessors; and the present parents without each of them in turn.
    """
    order, better = state.order, 0
    small = order.shape[0] <= SMALL
    for q in range(max(first, 1), last):
        u = order[q]
        n_parents = 0
        for i in range(order.shape[0]):
            n_parents += state.relation[u, i] == PARENT
        improved = False
        for attempt in range(-2, n_parents if small else 0):
            least, n_start, seen, same = least_gain(spec, u, state.rss[u]), 0, 0, True
            for a in range(q):
                i = order[a]
                parent = state.relation[u, i] == PARENT
                take = parent
                if attempt == -2:
                    take = gain.shape[0] > 0 and gain[q, a] > least
                elif attempt == -1:
                    take = small or parent
                elif parent:
                    take = seen != attempt
                    seen += 1
                take &= spec.allowed.shape[0] == 0 or spec.allowed[u, i]
                same &= take == parent
                if take and n_start < spec.max_parents:
                    work.start[n_start] = i
                    n_start += 1
            if same:
                continue
            candidates(spec, work, state, u, q)
            if attempt >= 0:  # the one that is left out stays out
                seen = 0
                for a in range(q):
                    if state.relation[u, order[a]] == PARENT:
                        if seen == attempt:
                            work.eligible[order[a]] = False
                        seen += 1
            score, m, rss = select(spec, work, u, n_start)
            if score < state.score[u] - IMPROVES:
                improved = True
                key = state.prefix[q] ^ state.node_key[u]
                clear_if_full(memo, 1)
                row = find(memo, key)
                if row < 0:
                    row = claim(memo, key)
                memo.score[row] = score
                memo.rss[row] = rss
                describe(spec, work, u, m, rss, memo.relation[row])
                adopt(state, memo, u, row)
                break
        better += improved
    return better


@njit(cache=True, nogil=True)
def best_position(spec: Spec, work: Work, state: State, memo: Memo, v: int) -> tuple[float, int]:
    """Try v at every position that knowledge allows; return the best change of score and where.

    On the way to the left each u that v passes may gain v as a parent, and v loses u; on the way
    to the right u loses v, and v may gain u. A walk ends when nothing ahead can make up for what
    was lost: no node can do better than ``spec.least``.
    """
    order, prefix, own, here = state.order, state.prefix, state.own, state.position[v]
    of_v = state.relation_of[v]  # what v is to every other node
    ordered = spec.before.shape[0] > 0
    best, best_q = 0.0, here
    for side in range(2):
        left = side == 0
        step = -1 if left else 1
        own[:] = state.relation[v]
        own_score, own_rss, others = state.score[v], state.rss[v], 0.0
        hope = state.score[v] - spec.least[v]  # what is left to gain at the most
        if left:
            hope = 0.0
            for u in range(of_v.shape[0]):
                if (of_v[u] == PAYS or spec.thorough) and state.position[u] < here:
                    hope += max(0.0, state.score[u] - spec.least[u])
        q = here + step
        while 0 <= q < order.shape[0]:
            u = order[q]
            if ordered and (spec.before[u, v] if left else spec.before[v, u]):
                break
            lost = others + (own_score - state.score[v] if left else 0.0)
            if lost - hope > best - IMPROVES:
                break
            concerned = False
            for who in range(2):  # first u, then v
                gains = left == (who == 0)  # else it loses a candidate, and hardly needs a look
                if who == 0:
                    if of_v[u] != (PAYS if left else PARENT) and not (gains and spec.thorough):
                        continue
                    node, score, rss, base = u, state.score[u], state.rss[u], state.relation[u]
                    key, limit = prefix[q] ^ state.variable_key[v], q
                    plus, minus = (v, -1) if left else (-1, v)
                    add = plus
                else:
                    if own[u] != (PARENT if left else PAYS) and not (gains and spec.thorough):
                        continue
                    node, score, rss, base = v, own_score, own_rss, own
                    limit = q if left else q + 1
                    key = prefix[q] if left else prefix[q + 1] ^ state.variable_key[v]
                    plus, minus, add = -1, v, -1 if left else u
                row = evaluate(spec, work, state, memo, node, key, limit, plus, minus, add, base)
                concerned = True
                if gains:  # what it has it may keep
                    row = keep(memo, key ^ state.node_key[node], row, score, rss, base)
                if who == 0:
                    others += memo.score[row] - state.score[u]
                    if left:
                        hope -= max(0.0, state.score[u] - spec.least[u])
                else:
                    own_score, own_rss = memo.score[row], memo.rss[row]
                    own[:] = memo.relation[row]
            if concerned:
                change = others + own_score - state.score[v]
                if change < best - IMPROVES:
                    best, best_q = change, q
                    key = prefix[q] if left else prefix[q + 1] ^ state.variable_key[v]
                    key ^= state.node_key[v]
                    keep(memo, key, find(memo, key), own_score, own_rss, own)
            q += step
    return best, best_q


@njit(cache=True, nogil=True)
def move(spec: Spec, work: Work, state: State, memo: Memo, v: int, q: int) -> None:
    """Put v at position q and give everyone concerned their new parents."""
    order, here = state.order, state.position[v]
    left = q < here
    n_touched = 0
    for x in range(min(q, here), max(q, here) + 1):
        u = order[x]
        concerned = state.relation_of[v, u] == (PAYS if left else PARENT)
        if u != v and (concerned or (left and spec.thorough)):
            state.touched[n_touched] = u
            n_touched += 1
    step = -1 if left else 1
    x = here
    while x != q:
        order[x] = order[x + step]
        x += step
    order[q] = v
    rehash(state, min(q, here), max(q, here) + 1)
    for c in range(n_touched + 1):
        u = v if c == n_touched else state.touched[c]
        at = state.position[u]
        add = v if (left and u != v) else -1
        row = evaluate(
            spec, work, state, memo, u, state.prefix[at], at, -1, -1, add, state.relation[u]
        )
        adopt(state, memo, u, row)


@njit(cache=True, nogil=True)
def improve(spec: Spec, work: Work, state: State, memo: Memo, first: int, budget: int) -> int:
    """Try the nodes that must be looked at, at most ``budget`` of them, from ``first`` on.

    Returns the node to go on with, or -1 when no node is left: the order is then one that no
    single move improves.
    """
    d = state.order.shape[0]
    v, idle = first, 0
    while idle < d:
        if state.look[v]:
            if budget == 0:
                return v
            budget -= 1
            idle = 0
            state.look[v] = False
            clear_if_full(memo, 4 * d)
            change, q = best_position(spec, work, state, memo, v)
            if change < 0.0:
                move(spec, work, state, memo, v, q)
                state.look[v] = False
        else:
            idle += 1
        v = v + 1 if v + 1 < d else 0
    return -1


@njit(cache=True, nogil=True)
def perturb(spec: Spec, work: Work, state: State, memo: Memo, kicks: IntArray) -> None:
    """Move node ``kicks[t, 0]`` towards position ``kicks[t, 1]``, as far as knowledge allows."""
    for t in range(kicks.shape[0]):
        v, q = kicks[t, 0], kicks[t, 1]
        clear_if_full(memo, 4 * state.order.shape[0])
        x = state.position[v]
        if spec.before.shape[0] > 0:
            while x > q and not spec.before[state.order[x - 1], v]:
                x -= 1
            while x < q and not spec.before[v, state.order[x + 1]]:
                x += 1
            q = x
        if q != state.position[v]:
            move(spec, work, state, memo, v, q)
