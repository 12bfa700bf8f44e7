"""A table of parent sets that were worked out before.

The best parents of a node depend on its predecessors only as a set. A search asks for the same
few sets again and again: after a small change of the order nearly every move that it tries again
was tried before. Sets are hashed by XOR of one random word per variable, so the key of
"predecessors plus v" or "minus v" costs one instruction. The table grows with what is in it: a
small one stays in the processor's cache, and most searches need no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import merged, part
from daglock.typing import Array

# A score must be lower by more than rounding can make it.
IMPROVES = 1e-9

# The relation of a variable i to a node u. From PAYS on it would pay as one more parent, and the
# number says how much: see `worth` and `worth_of`.
NOTHING, PARENT, PAYS = 0, 1, 2
UNTOLD = 255
# So many numbers for each doubling of what is gained; the first bits of 1.0, up to these eighths.
_STEPS = 8
_ONE = 1023 * _STEPS
# Slots of a table that is empty.
FEWEST = 1 << 10


class Memo(NamedTuple):
    """Open addressing from keys to rows of a pool; the last row is a spill."""

    table: NDArray[np.int64]  # (slots, 2): a key, and its row + 1, 0 when free
    key: NDArray[np.int64]  # (capacity + 1,) of each row
    after: NDArray[np.int32]  # (capacity + 1,) another row for the same key, 0 if there is none
    score: Array  # (capacity + 1,) f_u
    relation: NDArray[np.uint8]  # (capacity + 1, d): NOTHING, PARENT, or PAYS and how much
    # (3,) rows in use; slots, a power of two, the others are free; how often parents were chosen
    used: NDArray[np.int64]


def make_memo(d: int, megabytes: int = 48) -> Memo:
    """Allocate a table whose pool stays below the given size."""
    capacity = int(min(1 << 16, max(64, megabytes * 1_000_000 // d)))
    slots = 1 << int(np.ceil(np.log2(2 * capacity)))
    return Memo(
        np.zeros((slots, 2), dtype=np.int64),
        np.empty(capacity + 1, dtype=np.int64),
        np.empty(capacity + 1, dtype=np.int32),
        np.empty(capacity + 1),
        np.empty((capacity + 1, d), dtype=np.uint8),
        np.array([0, min(slots, FEWEST), 0], dtype=np.int64),
    )


@part
def worth(gain: float, cost: float) -> int:
    """Return the relation of a variable that lowers f_u by ``gain``, k being ``cost``."""
    return relation_of(1.0 + max(gain, 0.0) / cost)


@part
def relation_of(saved: float) -> int:
    """Return the relation of a variable that saves so many prices of an edge, its own among them.

    Of (1 + x) 2^e the exponent and the eighth that x is in, which stand together in the bits of the
    number: a logarithm, nearly.
    """
    if not saved < 1e9:
        return UNTOLD
    eighths = int(np.float64(saved).view(np.int64) >> 49)
    return min(PAYS + eighths - _ONE, UNTOLD - 1)


@part
def worth_of(relation: int, cost: float) -> float:
    """Return at least what `worth` was told, and at most an eighth of it and of k more."""
    if relation == UNTOLD:
        return np.inf
    steps = relation - PAYS + 1
    return float(cost * ((1.0 + steps % _STEPS / _STEPS) * (1 << steps // _STEPS) - 1.0))


@merged
def slot_of(memo: Memo, key: int) -> int:
    """Slot of a key, or the free one where it belongs."""
    table, mask = memo.table, memo.used[1] - 1
    slot: int = key & mask
    while table[slot, 1] != 0 and table[slot, 0] != key:
        slot = (slot + 1) & mask
    return slot


@merged
def new_row(memo: Memo, key: int) -> int:
    """Take a row that is free; the spill row when the pool is full."""
    row: int = memo.used[0]
    spill: int = memo.score.shape[0] - 1
    if row >= spill:
        return spill
    memo.key[row] = key
    memo.after[row] = 0
    memo.used[0] = row + 1
    return row


@merged
def row_of(memo: Memo, key: int) -> tuple[int, bool]:
    """Row of a key, and whether that is new; the spill row when the pool is full."""
    slot = slot_of(memo, key)
    if memo.table[slot, 1] != 0:
        return memo.table[slot, 1] - 1, False
    row = new_row(memo, key)
    if row < memo.score.shape[0] - 1:
        memo.table[slot, 0] = key
        memo.table[slot, 1] = row + 1
        if 2 * memo.used[0] > memo.used[1]:
            widen(memo)
    return row, True


@part
def widen(memo: Memo) -> None:
    """Make the table twice as large, if there is room, and put every row where it belongs."""
    if memo.used[1] < memo.table.shape[0]:
        for slot in range(memo.used[1]):
            memo.table[slot, 1] = 0
        memo.used[1] = min(2 * memo.used[1], memo.table.shape[0])
        for row in range(memo.used[0]):
            slot = slot_of(memo, memo.key[row])
            if memo.table[slot, 1] == 0:  # the first row of its key
                memo.table[slot, 0] = memo.key[row]
                memo.table[slot, 1] = row + 1


@merged
def another_row(memo: Memo, row: int) -> tuple[int, bool]:
    """Return the next row for the same key, and whether that is new; as in `row_of`."""
    if memo.after[row] != 0:
        return memo.after[row], False
    other = new_row(memo, memo.key[row])
    if other < memo.score.shape[0] - 1:
        memo.after[row] = other
    return other, True


@part
def copy_row(memo: Memo, row: int, to: int) -> None:
    """Copy what is known of a row."""
    memo.score[to] = memo.score[row]
    for i in range(memo.relation.shape[1]):
        memo.relation[to, i] = memo.relation[row, i]


@part
def lower(memo: Memo, row: int, score: float, relation: NDArray[np.uint8]) -> None:
    """Make a row no worse than what is given."""
    if score < memo.score[row] - IMPROVES:
        memo.score[row] = score
        for i in range(relation.shape[0]):
            memo.relation[row, i] = relation[i]


@part
def keep(memo: Memo, key: int, score: float, relation: NDArray[np.uint8]) -> int:
    """Remember what is given, unless the key has something as good; its row."""
    row, new = row_of(memo, key)
    if new:
        memo.score[row] = np.inf
    lower(memo, row, score, relation)
    return row


@part
def clear_if_full(memo: Memo, needed: int) -> None:
    """Forget everything when fewer than ``needed`` rows, or half of all, are left."""
    capacity = memo.score.shape[0] - 1
    left = capacity - memo.used[0]
    if left < needed and left < capacity // 2:
        memo.used[0] = 0
        for slot in range(memo.used[1]):
            memo.table[slot, 1] = 0


def forget(memo: Memo) -> None:
    """Empty the table."""
    memo.table[: memo.used[1], 1] = 0
    memo.used[0] = 0
