"""A table of parent sets that were worked out before.

The best parents of a node depend on its predecessors only as a set. A search asks for the same
few sets again and again: after a small change of the order nearly every move that it tries again
was tried before. Sets are hashed by XOR of one random word per variable, so the key of
"predecessors plus v" or "minus v" costs one instruction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import part
from daglock.typing import Array

# A score must be lower by more than rounding can make it.
IMPROVES = 1e-9

# The relation of a variable i to a node u. From PAYS on it would pay as one more parent, and the
# number says how much: see `worth` and `worth_of`.
NOTHING, PARENT, PAYS = 0, 1, 2
UNTOLD = 255
# So many numbers for each doubling of what is gained.
_STEPS = 8.0


class Memo(NamedTuple):
    """Open addressing from keys to rows of a pool; the last row is a spill."""

    keys: NDArray[np.int64]  # (2 · capacity rounded up to a power of two,)
    rows: NDArray[np.int32]  # same shape: the pool's row + 1, 0 when free
    score: Array  # (capacity + 1,) f_u
    relation: NDArray[np.uint8]  # (capacity + 1, d): NOTHING, PARENT, or PAYS and how much
    used: NDArray[np.int64]  # (1,) rows in use


def make_memo(d: int, megabytes: int = 48) -> Memo:
    """Allocate a table whose pool stays below the given size."""
    capacity = int(min(1 << 16, max(64, megabytes * 1_000_000 // d)))
    slots = 1 << int(np.ceil(np.log2(2 * capacity)))
    return Memo(
        np.zeros(slots, dtype=np.int64),
        np.zeros(slots, dtype=np.int32),
        np.empty(capacity + 1),
        np.empty((capacity + 1, d), dtype=np.uint8),
        np.zeros(1, dtype=np.int64),
    )


@part
def worth(gain: float, cost: float) -> int:
    """Return the relation of a variable that lowers f_u by ``gain``, k being ``cost``."""
    if not gain < 1e9 * cost:
        return UNTOLD
    return min(PAYS + int(_STEPS * np.log2(1.0 + max(gain, 0.0) / cost)), UNTOLD - 1)


@part
def worth_of(relation: int, cost: float) -> float:
    """Return at least what `worth` was told, and at most a tenth of it and of k more."""
    if relation == UNTOLD:
        return np.inf
    return float(cost * (np.exp2((relation - PAYS + 1) / _STEPS) - 1.0))


@part
def row_of(memo: Memo, key: int) -> tuple[int, bool]:
    """Row of a key, and whether that is new; the spill row when the pool is full."""
    keys, rows, spill = memo.keys, memo.rows, memo.score.shape[0] - 1
    mask = keys.shape[0] - 1
    slot = key & mask
    while rows[slot] != 0:
        if keys[slot] == key:
            return rows[slot] - 1, False
        slot = (slot + 1) & mask
    row = memo.used[0]
    if row >= spill:
        return spill, True
    keys[slot] = key
    rows[slot] = row + 1
    memo.used[0] = row + 1
    return row, True


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
        for slot in range(memo.rows.shape[0]):
            memo.rows[slot] = 0


def forget(memo: Memo) -> None:
    """Empty the table."""
    memo.rows.fill(0)
    memo.used.fill(0)
