"""The memo against a dictionary, with keys that collide, a pool that fills, and a spill row."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.search.memo import (
    FEWEST,
    NOTHING,
    PARENT,
    Memo,
    another_row,
    clear_if_full,
    forget,
    keep,
    lower,
    make_memo,
    row_of,
)


def tiny(capacity: int = 8) -> Memo:
    """A memo with few rows and few slots, four at first, so that everything happens soon."""
    return Memo(
        np.zeros((2 * capacity, 2), dtype=np.int64),
        np.full(capacity + 1, 77, dtype=np.int64),
        np.full(capacity + 1, 77, dtype=np.int32),
        np.full(capacity + 1, np.nan),
        np.full((capacity + 1, 3), 9, dtype=np.uint8),
        np.array([0, 4], dtype=np.int64),
    )


def test_shapes() -> None:
    memo = make_memo(10)
    capacity = len(memo.score) - 1
    slots = len(memo.table)
    assert memo.used.tolist() == [0, FEWEST, 0]
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


def test_a_table_grows_and_finds_what_it_had() -> None:
    """Beyond the slots in use all are free, before and after it grew and was emptied."""
    rng = np.random.default_rng(0)
    memo, keys = make_memo(5), rng.integers(-(2**63), 2**63 - 1, size=3000)
    for turn in range(2):
        assert [row_of(memo, int(key)) for key in keys] == [(row, True) for row in range(3000)]
        assert [row_of(memo, int(key)) for key in keys] == [(row, False) for row in range(3000)]
        assert memo.used.tolist() == [3000, 8 * FEWEST, 0]
        forget(memo)
        assert not memo.table[:, 1].any(), turn


def test_a_key_may_have_several_rows() -> None:
    """One behind the other, found from the first; the others have no key, and no slot."""
    memo = tiny()
    first, _ = row_of(memo, 100)
    assert another_row(memo, first) == (1, True)
    assert another_row(memo, first) == (1, False)
    assert another_row(memo, 1) == (2, True)
    for key in range(1, 5):  # the table grows
        row_of(memo, key)
    assert row_of(memo, 100) == (first, False)
    assert another_row(memo, first) == (1, False)
    assert another_row(memo, 1) == (2, False)
    assert row_of(memo, 6) == (7, True)
    assert another_row(memo, 2) == (8, True)  # the spill
    assert another_row(memo, 2) == (8, True)


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
