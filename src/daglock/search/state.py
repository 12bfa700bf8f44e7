"""The state of a search: an order and, for each node, the best parents among its predecessors.

Nodes are tried by index, and of equals the first is taken: the engine numbers them canonically.
Parent sets that were worked out before come from the memo.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import inlined, kernel, part
from daglock.search.calling import call, lend
from daglock.search.memo import NOTHING, PARENT, PAYS, Memo, another_row, copy_row, row_of
from daglock.search.node import Nodes
from daglock.search.parents import CANDIDATE, OUT, START
from daglock.search.spec import ALLOWED
from daglock.typing import Array, BoolArray, IntArray

# What parents came of a start is kept so often, under the same key, in which this tells that it is
# of a start.
FROM_A_START = 6
SALT = 0x3C6EF372FE94F82B


class State(NamedTuple):
    """An order with the parents of every node."""

    order: IntArray  # order[q] is the node at position q
    position: IntArray  # its inverse
    prefix: NDArray[np.int64]  # (d + 1,) hash of the set order[:q]
    score: Array  # (d,) f_u
    relation: NDArray[np.uint8]  # [i, u]: what i is to u: NOTHING, PARENT, or PAYS and more
    incoming: NDArray[np.uint8]  # its transpose: all that concerns u is read together, as a row
    look: BoolArray  # nodes whose moves must be tried (again)
    word: NDArray[np.int64]  # (2, d) random: of a variable in a set, and of the node it is for


def make_state(order: IntArray, rng: np.random.Generator) -> State:
    """Allocate a state for an order; parents and scores are to be filled in."""
    d = len(order)
    word = rng.integers(-(2**63), 2**63 - 1, size=(2, d), dtype=np.int64)
    prefix = np.zeros(d + 1, dtype=np.int64)
    prefix[1:] = np.bitwise_xor.accumulate(word[0, order])
    return State(
        np.array(order, dtype=np.intp),
        np.argsort(order),
        prefix,
        np.empty(d),
        np.zeros((d, d), dtype=np.uint8),
        np.zeros((d, d), dtype=np.uint8),
        np.ones(d, dtype=np.bool_),
        word,
    )


def copy_of(state: State) -> State:
    """Return a copy, for `restore`."""
    arrays: list[Any] = [array.copy() for array in state]
    return State(*arrays)


def restore(state: State, copy: State) -> None:
    """Go back to what a state was."""
    for name in State._fields:
        getattr(state, name)[...] = getattr(copy, name)


@part
def mark(
    nodes: Nodes, position: IntArray, u: int, limit: int, v: int, base: NDArray[np.uint8]
) -> None:
    """Make order[:limit] candidates for u, with v on the other side, and those in base a start."""
    nodes, position, base = lend(nodes), lend(position), lend(base)
    role, known = nodes.role, nodes.knowledge
    for i in range(position.shape[0]):
        role[i] = OUT
        if (position[i] < limit) != (i == v) and known[i, u] & ALLOWED:
            role[i] = CANDIDATE if base[i] == NOTHING else START
    role[u] = OUT


@part
def settle_marked(nodes: Nodes, u: int, out: NDArray[np.uint8]) -> float:
    """Choose parents of u among those that are marked: f_u, and relations to u."""
    score = call(nodes.settle, nodes.sealed, u)
    for i in range(out.shape[0]):
        out[i] = nodes.told[i]
    return float(score)


@kernel
def work_out(
    nodes: Nodes,
    position: IntArray,
    u: int,
    limit: int,
    v: int,
    base: NDArray[np.uint8],
    out: NDArray[np.uint8],
) -> float:
    """Best parents of u among order[:limit] with v on the other side: f_u, and relations to u.

    If v is behind ``limit`` it becomes a candidate, if it is before it no longer is one; nobody
    changes sides if v is u itself. Grow and shrink start from those that are parents in ``base``,
    or would pay: who pays and was no parent is new.
    """
    mark(nodes, position, u, limit, v, base)
    return settle_marked(nodes, u, out)


@part
def recall(
    nodes: Nodes,
    state: State,
    memo: Memo,
    position: IntArray,
    u: int,
    limit: int,
    v: int,
    base: NDArray[np.uint8],
    key: int,
) -> int:
    """Row of the memo with the parents that `work_out` finds, now or earlier; its key is given.

    Where the candidates are new, the start may not be. Other candidates lead to other parents only
    if one of those that were found is no longer among them, or if one of them would pay. What came
    of a start is kept a few times, for different candidates.
    """
    nodes, state, memo = lend(nodes), lend(state), lend(memo)
    position, base = lend(position), lend(base)
    row, new = row_of(memo, key)
    if not new:
        return row
    mark(nodes, position, u, limit, v, base)
    role, known = nodes.role, memo.relation
    key = state.word[1, u] ^ SALT
    for i in range(role.shape[0]):
        if role[i] == START:
            key ^= state.word[0, i]
    own, new = row_of(memo, key)
    for k in range(FROM_A_START):
        if new:
            break
        other = 0
        for i in range(role.shape[0]):
            other |= (known[own, i] == PARENT) & (role[i] == OUT)
            other |= (known[own, i] >= PAYS) & (role[i] != OUT)
        if not other:
            copy_row(memo, own, row)
            return row
        if k + 1 < FROM_A_START:
            own, new = another_row(memo, own)
    memo.score[row] = settle_marked(nodes, u, known[row])
    memo.used[2] += 1
    if new:
        copy_row(memo, row, own)
    return row


@inlined
def best_parents(
    nodes: Nodes,
    state: State,
    memo: Memo,
    u: int,
    limit: int,
    v: int,
    base: NDArray[np.uint8],
) -> int:
    """Row of the memo with the parents of u among order[:limit] with v on the other side."""
    key = state.prefix[limit] ^ state.word[1, u]
    if v != u or state.position[u] < limit:
        key ^= state.word[0, v]
    return recall(nodes, state, memo, state.position, u, limit, v, base, key)


@part
def adopt(state: State, memo: Memo, u: int, row: int) -> None:
    """Take a memo row as the state of u; wake every node that this concerns."""
    state, memo = lend(state), lend(memo)
    state.score[u] = memo.score[row]
    state.look[u] = True
    old, new = state.incoming[u], memo.relation[row]
    for i in range(old.shape[0]):
        if old[i] != NOTHING or new[i] != NOTHING:
            state.look[i] = True
        if old[i] != new[i]:
            old[i] = new[i]
            state.relation[i, u] = new[i]
