"""A table of parent sets that were worked out before.

The best parents of a node depend on its predecessors only as a set. A search asks for the same
few sets again and again: after a small change of the order nearly every move that it tries again
was tried before. Sets are hashed by XOR of one random word per variable, so the key of
"predecessors plus v" or "minus v" costs one instruction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from daglock.typing import Array

# A score must be lower by more than rounding can make it.
IMPROVES = 1e-9

# The relation of a variable i to a node u.
NOTHING, PAYS, PARENT = 0, 1, 2


class Memo(NamedTuple):
    """Open addressing from keys to rows of a pool; the last row is a spill."""

    keys: NDArray[np.int64]  # (2 · capacity rounded up to a power of two,)
    rows: NDArray[np.int32]  # same shape: the pool's row + 1, 0 when free
    score: Array  # (capacity + 1,) f_u
    rss: Array  # (capacity + 1,)
    relation: NDArray[np.uint8]  # (capacity + 1, d): NOTHING, PAYS or PARENT for each variable
    used: NDArray[np.int64]  # (1,) rows in use


def make_memo(d: int, megabytes: int = 48) -> Memo:
    """Allocate a table whose pool stays below the given size."""
    capacity = int(min(1 << 16, max(64, megabytes * 1_000_000 // d)))
    slots = 1 << int(np.ceil(np.log2(2 * capacity)))
    return Memo(
        np.zeros(slots, dtype=np.int64),
        np.zeros(slots, dtype=np.int32),
        np.empty(capacity + 1),
        np.empty(capacity + 1),
        np.empty((capacity + 1, d), dtype=np.uint8),
        np.zeros(1, dtype=np.int64),
    )


@njit(cache=True, nogil=True)
def find(memo: Memo, key: int) -> int:
    """Row that holds the key, or -1."""
    mask = memo.keys.shape[0] - 1
    slot = key & mask
    while memo.rows[slot] != 0:
        if memo.keys[slot] == key:
            return int(memo.rows[slot] - 1)
        slot = (slot + 1) & mask
    return -1


@njit(cache=True, nogil=True)
def claim(memo: Memo, key: int) -> int:
    """Row for a new key; the spill row when the pool is full."""
    capacity = memo.score.shape[0] - 1
    row = memo.used[0]
    if row >= capacity:
        return int(capacity)
    mask = memo.keys.shape[0] - 1
    slot = key & mask
    while memo.rows[slot] != 0:
        slot = (slot + 1) & mask
    memo.keys[slot] = key
    memo.rows[slot] = row + 1
    memo.used[0] = row + 1
    return int(row)


@njit(cache=True, nogil=True)
def keep(
    memo: Memo, key: int, row: int, score: float, rss: float, relation: NDArray[np.uint8]
) -> int:
    """Return the key's row, -1 where it has none yet, made no worse than the one given."""
    if row < 0:
        row = claim(memo, key)
    elif memo.score[row] <= score + IMPROVES:
        return row
    memo.score[row] = score
    memo.rss[row] = rss
    memo.relation[row] = relation
    return row


def forget(memo: Memo) -> None:
    """Empty the table."""
    memo.rows.fill(0)
    memo.used.fill(0)


@njit(cache=True, nogil=True)
def clear_if_full(memo: Memo, needed: int) -> None:
    """Forget everything when fewer than ``needed`` rows, or half of all, are left."""
    capacity = memo.score.shape[0] - 1
    if memo.used[0] + min(needed, capacity // 2) > capacity:
        memo.rows[:] = 0
        memo.used[0] = 0
