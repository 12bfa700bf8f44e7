"""The memo against a dictionary, with keys that collide, a pool that fills, and a spill row."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.search.memo import (
    NOTHING,
    PARENT,
    Memo,
    clear_if_full,
    keep,
    lower,
    make_memo,
    row_of,
)


def tiny(capacity: int = 8) -> Memo:
    """A memo with few rows and few slots, so that everything happens soon."""
    slots = 2 * capacity
    return Memo(
        np.zeros(slots, dtype=np.int64),
        np.zeros(slots, dtype=np.int32),
        np.full(capacity + 1, np.nan),
        np.full((capacity + 1, 3), 9, dtype=np.uint8),
        np.zeros(1, dtype=np.int64),
    )


def test_shapes() -> None:
    memo = make_memo(10)
    capacity = len(memo.score) - 1
    slots = len(memo.keys)
    assert slots >= 2 * capacity  # never full, so that a probe ends
    assert slots & (slots - 1) == 0
    assert memo.relation.shape == (capacity + 1, 10)
    assert make_memo(10**6, megabytes=1).relation.shape[0] == 65
    assert make_memo(1000, megabytes=1).relation.nbytes <= 1_001_000


@pytest.mark.parametrize("seed", range(10))
def test_like_a_dictionary(seed: int) -> None:
    """Keys from a few residues only: long probe chains that wrap around the end."""
    rng = np.random.default_rng(seed)
    memo, rows = tiny(), dict[int, int]()
    for _ in range(200):
        key = int(rng.choice([-1, 14, 15, 0])) + 16 * int(rng.integers(-(2**40), 2**40, 1)[0] % 5)
        if key in rows:
            assert row_of(memo, key) == (rows[key], False)
        elif len(rows) < 8:
            rows[key], new = row_of(memo, key)
            assert new
            assert sorted(rows.values()) == list(range(len(rows)))
        if rng.random() < 0.05:
            clear_if_full(memo, 8)
            if len(rows) > 4:  # half of all rows are enough
                rows.clear()
            assert memo.used[0] == len(rows)


def test_a_full_pool_spills_into_the_last_row() -> None:
    memo = tiny()
    assert [row_of(memo, key) for key in range(8)] == [(row, True) for row in range(8)]
    assert row_of(memo, 100) == (8, True)
    assert row_of(memo, 101) == (8, True)
    assert row_of(memo, 100) == (8, True)  # a spilled row is not found again
    assert [row_of(memo, key) for key in range(8)] == [(row, False) for row in range(8)]


def test_clear_if_full() -> None:
    memo = tiny()
    for key in range(5):
        row_of(memo, key)
    clear_if_full(memo, 3)
    assert memo.used[0] == 5
    clear_if_full(memo, 4)
    assert memo.used[0] == 0
    assert [row_of(memo, key) for key in range(7, 3, -1)] == [(row, True) for row in range(4)]
    clear_if_full(memo, 100)  # asks for more than there ever is: half is enough
    assert memo.used[0] == 4
    assert row_of(memo, 4) == (3, False)


def test_keep_makes_a_row_no_worse() -> None:
    memo = tiny()
    relation = np.array([NOTHING, PARENT, NOTHING], dtype=np.uint8)
    row = keep(memo, 5, 2.0, relation)
    assert row_of(memo, 5) == (row, False)
    assert memo.score[row] == 2.0
    assert memo.relation[row].tolist() == [NOTHING, PARENT, NOTHING]
    other = np.array([PARENT, NOTHING, NOTHING], dtype=np.uint8)
    assert keep(memo, 5, 3.0, other) == row
    lower(memo, row, 2.0, other)
    assert memo.score[row] == 2.0
    assert memo.relation[row].tolist() == [NOTHING, PARENT, NOTHING]
    assert keep(memo, 5, 1.0, other) == row
    assert memo.score[row] == 1.0
    assert memo.relation[row].tolist() == [PARENT, NOTHING, NOTHING]
    lower(memo, row, 0.5, relation)
    assert memo.score[row] == 0.5
    assert memo.relation[row].tolist() == [NOTHING, PARENT, NOTHING]
    assert memo.used[0] == 1
