"""States that stay true: parents along an order, and what a restart falls back to."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.search.memo import make_memo
from daglock.search.order import NO_HOPES, NO_START, choose, improve
from daglock.search.run import NO_KICKS, chain_of
from daglock.search.state import copy_of, make_state, restore
from tests.search.chains import begin, check, knowing_spec
from tests.search.twin import Twin, random_spec

BOTH = pytest.mark.parametrize("equal", [False, True])


@BOTH
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("d", [8, 14])
def test_parents_along_an_order(seed: int, equal: bool, d: int) -> None:
    spec = random_spec(seed, d, 80, equal=equal)
    chain = begin(spec)
    check(chain)
    twin, order = Twin(spec), chain.state.order.tolist()
    for q, u in enumerate(order):
        score = twin.score(u, twin.select(u, [], order[:q]))
        assert chain.state.score[u] == pytest.approx(score, rel=1e-7, abs=1e-9)


def test_in_pieces_it_is_the_same() -> None:
    spec = random_spec(1, 12, 80)
    whole = begin(spec)
    state = make_state(whole.state.order, np.random.default_rng(0))
    pieces = chain_of(spec, state, make_memo(12))
    for q in range(0, 12, 5):
        choose(*pieces.given, NO_START, NO_HOPES, q, min(q + 5, 12))
    np.testing.assert_array_equal(pieces.state.relation, whole.state.relation)
    np.testing.assert_array_equal(pieces.state.score, whole.state.score)


@BOTH
@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_state_can_be_restored(seed: int, equal: bool, knows: bool) -> None:
    spec = (
        knowing_spec(seed, 9, 60, equal=equal) if knows else random_spec(seed, 9, 60, equal=equal)
    )
    chain = begin(spec)
    rng = np.random.default_rng(seed)
    kept = copy_of(chain.state)
    for turn in range(6):
        kicks = np.column_stack([rng.integers(9, size=5), rng.integers(9, size=5)])
        improve(*chain.given, kicks, 0, 0)
        check(chain)
        improve(*chain.given, NO_KICKS, 0, 1 << 60)
        check(chain)
        if turn % 2:
            kept = copy_of(chain.state)
        else:
            restore(chain.state, kept)
            for array, expected in zip(chain.state, kept, strict=True):
                np.testing.assert_array_equal(array, expected)
                assert not np.shares_memory(array, expected)
        check(chain)
