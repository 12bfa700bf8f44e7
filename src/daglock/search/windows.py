"""Exact windows: the best order of a few consecutive nodes, all others staying where they are.

Who comes before a window of w consecutive positions stays before it, who comes after it stays after
it, so that whatever happens inside concerns no one outside. With b_u(T) what node u costs when the
nodes before the window and those in T, a part of it, are candidates for its parents, the least that
the members of T cost together is

    V(T) = min_{u ∈ T} V(T∖u) + b_u(T∖u),

and V of the whole window is the best of its w! orders, at 2^w sets (as in `daglock.search.exact`).

Few of the w·2^(w−1) numbers b_u(T) have to be worked out. Where the parents found among T ∪ x leave
x out, b_u(T) is b_u(T ∪ x): only a set that lacks a parent, whichever of the others is added, is
asked for. And nothing is where no node of the window would gain a later one as a parent.

A graph has many orders. A window begins with two nodes of which the earlier would gain the later
one as a parent; with them goes all that is between them in the graph, then, as long as there is
room, one neighbour after the other with what is between. `gather` takes the order in which these
are next to each other.
"""

from __future__ import annotations

from typing import NamedTuple

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
)
from daglock.search.node import Nodes
from daglock.search.spec import BEFORE
from daglock.search.state import State, adopt, recall, work_out
from daglock.typing import Array, BoolArray, IntArray

# What a node is to a window that is gathered: nothing, below it, or in it.
APART, BELOW, INSIDE = 0, 1, 2


class Room(NamedTuple):
    """Scratch arrays of one thread for windows of w nodes."""

    node: IntArray  # (w,) the nodes of the window
    row: NDArray[np.int32]  # (2^w, w) of the memo, with the parents behind b_t(T); -1: not known
    inside: NDArray[np.int64]  # (2^w, w) which of the window are among these
    value: Array  # (2^w,) V(T)
    first: NDArray[np.int64]  # (w,) which of the window knowledge puts before each
    least: Array  # (w,) what each costs when all others of the window are candidates
    last: IntArray  # (2^w,) the member of T that V(T) puts last
    choice: NDArray[np.int32]  # (2^w,) row of the memo with its parents then
    at: IntArray  # (d,) positions; in the window −1 for who is a candidate
    part: NDArray[np.uint8]  # (d,) what each node is to the window: APART, BELOW or INSIDE
    order: IntArray  # (d,) scratch: an order
    seen: BoolArray  # (d, d) pairs that were in a window together
    above: BoolArray  # (d, d) [u, i]: whether i is u, or a path leads from i to u
    right: IntArray  # (1,) rows of ``above`` are right for nodes before this position


def make_room(d: int, w: int) -> Room:
    """Allocate the scratch arrays of one thread."""
    return Room(
        np.empty(w, dtype=np.intp),
        np.empty((1 << w, w), dtype=np.int32),
        np.empty((1 << w, w), dtype=np.int64),
        np.empty(1 << w),
        np.empty(w, dtype=np.int64),
        np.empty(w),
        np.empty(1 << w, dtype=np.intp),
        np.empty(1 << w, dtype=np.int32),
        np.empty(d, dtype=np.intp),
        np.zeros(d, dtype=np.uint8),
        np.empty(d, dtype=np.intp),
        np.empty((d, d), dtype=np.bool_),
        np.empty((d, d), dtype=np.bool_),
        np.zeros(1, dtype=np.intp),
    )


@inlined
def improve_window(nodes: Nodes, state: State, memo: Memo, room: Room, q: int, w: int) -> bool:
    """Put the nodes at q, ..., q + w − 1 into their best order; tell whether that gains."""
    order, node, row, inside, value = state.order, room.node, room.row, room.inside, room.value
    full, hope, now = (1 << w) - 1, False, 0.0
    for t in range(w):
        node[t] = order[q + t]
        now += state.score[node[t]]
        for s in range(t):
            hope |= state.relation[node[t], node[s]] >= PAYS
    if not hope:
        return False
    clear_if_full(memo, w << w)
    for i in range(order.shape[0]):
        room.at[i] = state.position[i]
    for T in range(full + 1):
        value[T] = np.inf
        for t in range(w):
            row[T, t] = -1
    for t in range(w):
        room.first[t], room.least[t] = 0, -np.inf
        for x in range(w):
            if nodes.knowledge[node[x], node[t]] & BEFORE:
                room.first[t] |= 1 << x
    value[0] = 0.0
    for T in range(full):
        left = value[T]
        for t in range(w):
            if not T >> t & 1:
                left += room.least[t]
        if not left < now - IMPROVES:
            continue
        for t in range(w):
            if T >> t & 1 or room.first[t] & ~T:
                continue
            # b_u(T), from the whole window down: as long as parents are missing in T, the best are
            # asked for without those
            u, U, wider = node[t], full ^ 1 << t, -1
            while True:
                if row[U, t] < 0:
                    key = state.prefix[q] ^ state.word[1, u]
                    for x in range(w):
                        room.at[node[x]] = q
                        if U >> x & 1:
                            key ^= state.word[0, node[x]]
                            room.at[node[x]] = -1
                    base = state.incoming[u] if wider < 0 else memo.relation[row[wider, t]]
                    found = recall(nodes, state, memo, room.at, u, q, u, base, key)
                    row[U, t], inside[U, t], out = found, 0, memo.relation[found]
                    for x in range(w):
                        if out[node[x]] == PARENT:
                            inside[U, t] |= 1 << x
                    if wider < 0:
                        room.least[t] = memo.score[found]
                missing = inside[U, t] & ~T
                if missing == 0:
                    break
                wider = U
                U &= ~missing
            own, after = value[T] + memo.score[row[U, t]], T | 1 << t
            if own < value[after] - IMPROVES:
                value[after], room.last[after], room.choice[after] = own, t, row[U, t]
    if not value[full] < now - IMPROVES:
        return False
    T = full
    for at in range(q + w - 1, q - 1, -1):
        u = node[room.last[T]]
        order[at] = u
        adopt(state, memo, u, room.choice[T])
        T ^= 1 << room.last[T]
    for at in range(q, q + w):
        state.position[order[at]] = at
        state.prefix[at + 1] = state.prefix[at] ^ state.word[0, order[at]]
    return True


@part
def look_up(nodes: Nodes, state: State, room: Room) -> None:
    """Bring ``room.above`` up to date, along the order: who is above a parent is above its child.

    So is whom knowledge puts before a node, edge or not.
    """
    order, above, known = state.order, room.above, nodes.knowledge
    for q in range(room.right[0], order.shape[0]):
        u = order[q]
        for i in range(order.shape[0]):
            above[u, i] = i == u
        for p in range(order.shape[0]):
            if state.incoming[u, p] == PARENT or known[p, u] & BEFORE:
                for i in range(order.shape[0]):
                    above[u, i] |= above[p, i]
    room.right[0] = order.shape[0]


@part
def is_below(room: Room, u: int, size: int) -> bool:
    """Whether u is in the window, or a path leads there from it."""
    below = False
    for k in range(size):
        below |= room.above[u, room.node[k]]
    return below


@part
def is_above(room: Room, u: int, size: int) -> bool:
    """Whether u is in the window, or a path leads from it there."""
    above = False
    for k in range(size):
        above |= room.above[room.node[k], u]
    return above


@part
def reach_of(state: State, room: Room, size: int) -> tuple[int, int]:
    """First and last position of a window."""
    first, last = state.order.shape[0], -1
    for k in range(size):
        q = state.position[room.node[k]]
        first, last = min(first, q), max(last, q)
    return first, last


@part
def close(state: State, room: Room, size: int) -> int:
    """Append to the window what is between its nodes; its size then, or more than there is room."""
    first, last = reach_of(state, room, size)
    own = size
    for q in range(last - 1, first, -1):
        i = state.order[q]
        if is_above(room, i, own) and is_below(room, i, own):
            new = True
            for k in range(own):
                new &= room.node[k] != i
            if new:
                if size < room.node.shape[0]:
                    room.node[size] = i
                size += 1
    return size


@inlined
def grow(state: State, room: Room, x: int, u: int, luck: NDArray[np.int64]) -> int:
    """Choose a window with x and u in it; its size, or more than w where they are too far apart."""
    node, d, w = room.node, state.order.shape[0], room.node.shape[0]
    node[0], node[1] = x, u
    size = close(state, room, 2)
    for k in range(luck.shape[0]):
        if size >= w:
            break
        centre, near, wanted = node[luck[k] % size], 0, -1
        for turn in range(2):  # count the neighbours, then take one of them
            if turn == 1:
                if near == 0:
                    break
                wanted, near = luck[k] // size % near, 0
            for i in range(d):
                if state.relation[centre, i] != NOTHING or state.incoming[centre, i] != NOTHING:
                    new = True
                    for m in range(size):
                        new &= node[m] != i
                    if new:
                        if near == wanted:
                            node[size] = i
                        near += 1
        if near > 0:
            wider = close(state, room, size + 1)
            if wider <= w:
                size = wider
    return size


@inlined
def gather(nodes: Nodes, state: State, memo: Memo, room: Room, size: int) -> int:
    """Take the order of the same graph in which the window is in one place; where that begins.

    What was among it and descends from it goes behind it, the rest before it. Whoever has a node
    before it then that pays, and had it behind, chooses parents anew.
    """
    order, position, part = state.order, state.position, room.part
    first, last = reach_of(state, room, size)
    begin, within, spill = last + 1, True, memo.score.shape[0] - 1
    for q in range(first, last + 1):
        u = order[q]
        part[u] = BELOW if is_below(room, u, size) else APART
        within &= part[u] == BELOW
        begin -= part[u] == BELOW
    for k in range(size):
        part[room.node[k]] = INSIDE
    if within and last + 1 - first == size:
        return first
    at = first
    for wanted in (APART, INSIDE, BELOW):
        for q in range(first, last + 1):
            if part[order[q]] == wanted:
                room.order[at] = order[q]
                at += 1
    for i in range(order.shape[0]):
        room.at[i] = position[i]
    for q in range(first, last + 1):
        u = room.order[q]
        order[q], position[u] = u, q
        state.prefix[q + 1] = state.prefix[q] ^ state.word[0, u]
    for q in range(begin, last + 1):
        u, anew = order[q], False
        for i in range(order.shape[0]):
            ahead = (position[i] < q) & (room.at[i] > room.at[u])
            anew |= ahead & (state.incoming[u, i] >= PAYS)
        if anew:
            base, out = state.incoming[u], memo.relation[spill]
            memo.score[spill] = work_out(nodes, position, u, q, u, base, out)
            if memo.score[spill] < state.score[u] - IMPROVES:
                adopt(state, memo, u, spill)
                room.right[0] = min(room.right[0], q)
    return begin


@kernel
def lay(
    nodes: Nodes,
    state: State,
    memo: Memo,
    room: Room,
    places: IntArray,
    luck: NDArray[np.int64],
) -> int:
    """Lay windows and put what is in them into its best order; count those that gain.

    A place is a pair of nodes, (earlier, later), of which the later pays, or a position and −1. A
    pair is passed over if that is no longer so, or if it was in a window already. ``luck`` has a
    row of random numbers for each pair: how its window grows.
    """
    nodes, state, memo, room = lend(nodes), lend(state), lend(memo), lend(room)
    gained, node, seen = 0, room.node, room.seen
    for k in range(places.shape[0]):
        u, x = places[k, 0], places[k, 1]
        q, size = u, min(node.shape[0], state.order.shape[0])
        if x >= 0:
            pays = state.relation[x, u] >= PAYS and state.position[u] < state.position[x]
            if not pays or seen[u, x]:
                continue
            look_up(nodes, state, room)
            size = grow(state, room, x, u, luck[k])
            if size > node.shape[0]:
                continue
            q = gather(nodes, state, memo, room, size)
        if improve_window(nodes, state, memo, room, q, size):
            gained += 1
            room.right[0] = min(room.right[0], q)
        for s in range(size):
            for t in range(size):
                seen[node[s], node[t]] = True
    return gained
