"""States that stay true: parents along an order, and what a restart falls back to."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.search.memo import make_memo
from daglock.search.order import improve, perturb
from daglock.search.parents import make_work
from daglock.search.run import Chain
from daglock.search.state import SMALL, initialise, make_state, recall, remember
from tests.search.chains import begin, check, knowing_spec
from tests.search.twin import Twin, random_spec

BOTH = pytest.mark.parametrize("equal", [False, True])


@BOTH
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("d", [8, SMALL + 2])
def test_initialise(seed: int, equal: bool, d: int) -> None:
    spec = random_spec(seed, d, 80, equal=equal)
    chain = begin(spec)
    check(chain)
    twin, order = Twin(spec), chain.state.order.tolist()
    for q, u in enumerate(order):
        starts = [[], order[:q]] if d <= SMALL else [[]]
        scores = [twin.score(u, twin.select(u, start, order[:q])) for start in starts]
        assert chain.state.score[u] == pytest.approx(min(scores), rel=1e-7, abs=1e-9)


def test_initialise_in_pieces_is_the_same() -> None:
    spec = random_spec(1, 12, 80)
    whole = begin(spec)
    state = make_state(whole.state.order, True, np.random.default_rng(0))
    pieces = Chain(spec, make_work(12, 11), state, make_memo(12))
    for q in range(0, 12, 5):
        initialise(*pieces, q, min(q + 5, 12))
    np.testing.assert_array_equal(pieces.state.relation, whole.state.relation)
    np.testing.assert_array_equal(pieces.state.score, whole.state.score)


@BOTH
@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_remember_and_recall(seed: int, equal: bool, knows: bool) -> None:
    spec = (
        knowing_spec(seed, 9, 60, equal=equal) if knows else random_spec(seed, 9, 60, equal=equal)
    )
    chain = begin(spec)
    rng = np.random.default_rng(seed)
    remember(chain.state)
    for turn in range(6):
        kept = [array.copy() for array in chain.state[:7]]
        kicks = np.column_stack([rng.integers(9, size=5), rng.integers(9, size=5)])
        perturb(*chain, kicks)
        check(chain)
        improve(*chain, 0, 1 << 60)
        check(chain)
        if turn % 2:
            remember(chain.state)
            assert not chain.state.changed.any()
        else:
            recall(chain.state)
            for array, expected in zip(chain.state[:7], kept, strict=True):
                np.testing.assert_array_equal(array, expected)
            assert not chain.state.look.any()
        check(chain)
