"""The moves of the order search: they keep their promise."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.knowledge import Masks
from daglock.search import run
from daglock.search.memo import PARENT, make_memo
from daglock.search.order import NO_START, choose, choose_again, improve, move, walk
from daglock.search.run import NO_KICKS, Chain, total
from daglock.search.start import full_regression_gains
from daglock.search.state import State, copy_of, restore
from tests.search.chains import begin, check, knowing_spec, needed
from tests.search.twin import Twin, largest_improvement, random_spec

BOTH = pytest.mark.parametrize("equal", [False, True])


def parents_of(state: State) -> list[set[int]]:
    return [set(np.flatnonzero(row == PARENT).tolist()) for row in state.incoming]


def best_position(chain: Chain, v: int) -> tuple[float, int]:
    """The better of the two walks."""
    change, q = walk(*chain.given, v, -1, 0.0)
    further, right = walk(*chain.given, v, 1, change)
    return (further, right) if further < change else (change, q)


@BOTH
@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_move_gives_what_its_walk_promised(seed: int, equal: bool, knows: bool) -> None:
    spec = random_spec(seed, 9, 40, equal=equal)
    if knows:
        spec = knowing_spec(seed, 9, 40, equal=equal)
    chain = begin(spec)
    moved = 0
    for _ in range(4):
        for v in range(9):
            before = total(chain.state)
            change, q = best_position(chain, v)
            assert total(chain.state) == before  # looking changes nothing
            assert change <= 0.0
            if change < 0.0:
                move(*chain.given, v, q)
                assert chain.state.order[q] == v
                after = total(chain.state)
                assert after <= before + change + 1e-9
                check(chain)
                moved += 1
    assert moved


@BOTH
@pytest.mark.parametrize("seed", range(4))
def test_the_best_position_is_worth_what_it_says(seed: int, equal: bool) -> None:
    """Also when the node is moved to other places, and back by `restore`, in between."""
    chain = begin(random_spec(seed, 8, 60, equal=equal))
    start, kept = total(chain.state), copy_of(chain.state)
    for v in range(8):
        change, best_q = best_position(chain, v)
        here = int(chain.state.position[v])
        changes = {}
        for q in set(range(8)) - {here}:
            move(*chain.given, v, q)
            changes[q] = total(chain.state) - start
            restore(chain.state, kept)
            assert total(chain.state) == start
        if change < 0.0:
            assert changes[best_q] == pytest.approx(change, abs=1e-9)


@BOTH
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("d", "n"), [(30, 40), (12, 25)])
def test_improve_never_gets_worse_and_ends(seed: int, equal: bool, d: int, n: int) -> None:
    """One node at a time from many orders; once, two nodes could change places for ever."""
    spec = random_spec(seed, d, n, equal=equal, max_parents=n // 4)
    chain = begin(spec)
    rng = np.random.default_rng(seed)
    for _ in range(8):
        score, at = total(chain.state), 0
        for _turn in range(5000):
            at = improve(*chain.given, NO_KICKS, at, 1)
            assert total(chain.state) <= score + 1e-9
            score = total(chain.state)
            if at < 0:
                break
        assert at == -1
        assert not chain.state.look.any()
        kicks = np.column_stack([rng.integers(d, size=8), rng.integers(d, size=8)])
        improve(*chain.given, kicks, 0, 0)
    check(chain)


@BOTH
@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_no_single_move_improves_in_the_end(seed: int, equal: bool, knows: bool) -> None:
    """Against a twin that walks everywhere and solves everything afresh."""
    spec = random_spec(seed, 8, 60, equal=equal)
    if knows:
        spec = knowing_spec(seed, 8, 60, equal=equal)
    chain = begin(spec)
    while True:
        before = total(chain.state)
        chain.state.look[:] = True
        assert improve(*chain.given, NO_KICKS, 0, 1 << 60) == -1
        better = choose_again(*chain.given, np.zeros((8, 8)), needed(chain), 0, 8)
        if not better and total(chain.state) >= before:
            break
    check(chain)
    order = chain.state.order.tolist()
    assert largest_improvement(Twin(spec), order, parents_of(chain.state)) < 1e-8


@BOTH
def test_a_walk_ends_early_only_where_nothing_is_lost(equal: bool) -> None:
    """Without a lower bound no walk ends early, and the result is the same."""
    for seed in range(6):
        spec = random_spec(seed, 9, 60, equal=equal)
        bold = begin(spec)
        careful = begin(spec._replace(least=np.full(9, -1e9)))
        for v in range(9):
            change, q = best_position(bold, v)
            expected, expected_q = best_position(careful, v)
            assert change == pytest.approx(expected, abs=1e-12)
            assert q == expected_q


@BOTH
@pytest.mark.parametrize("seed", range(5))
def test_another_start_mends_parents_that_are_proxies(seed: int, equal: bool) -> None:
    spec = random_spec(seed, 14, 100, equal=equal)
    chain = begin(spec)
    gain = full_regression_gains(spec.S, chain.state.order)
    assert gain is not None
    before = chain.state.score.copy()
    better = choose_again(*chain.given, gain, needed(chain), 0, 14)
    assert better == np.sum(chain.state.score < before - 1e-12)
    assert (chain.state.score <= before + 1e-12).all()
    check(chain)


@BOTH
def test_what_a_node_can_hope_for_is_the_score_with_all_candidates(equal: bool) -> None:
    for spec in (random_spec(2, 9, 60, equal=equal), knowing_spec(2, 9, 60, equal=equal)):
        chain = run.begin(spec, begin(spec).state.order, np.random.default_rng(0), make_memo(9))
        twin, hopes = Twin(spec), np.full(9, np.nan)
        choose(*chain.given, NO_START, hopes, 0, 5)
        assert np.isnan(hopes[chain.state.order[5:]]).all()
        choose(*chain.given, NO_START, hopes, 5, 9)
        for u in range(9):
            P = twin.select(u, [], twin.allowed(u, range(9)), twin.required(u))
            assert hopes[u] == pytest.approx(twin.score(u, P), rel=1e-8, abs=1e-10)
        check(chain)


def test_a_kick_goes_as_far_as_knowledge_allows() -> None:
    d = 6
    before = np.zeros((d, d), dtype=bool)
    before[1, 3] = True
    masks = Masks(before=before)
    spec = random_spec(0, d, 60, allowed=masks.allowed, before=masks.before)
    for kick, expected in [
        ([3, 0], [0, 1, 3, 2, 4, 5]),  # 3 stops behind 1
        ([1, 5], [0, 2, 1, 3, 4, 5]),  # 1 stops before 3
        ([4, 0], [4, 0, 1, 2, 3, 5]),  # 4 is free
        ([0, 5], [1, 2, 3, 4, 5, 0]),
        ([2, 2], [0, 1, 2, 3, 4, 5]),
    ]:
        chain = begin(spec, np.arange(d))
        improve(*chain.given, np.array([kick]), 0, 0)
        assert chain.state.order.tolist() == expected
        check(chain)


@BOTH
def test_a_memo_that_overflows_does_no_harm(equal: bool) -> None:
    """With three rows nearly everything is spilled and worked out again."""
    spec = random_spec(3, 10, 60, equal=equal)
    full = make_memo(10)
    memo = full._replace(score=full.score[:4], relation=full.relation[:4])
    chain = begin(spec, memo=memo)
    at = 0
    for _ in range(2000):
        at = improve(*chain.given, NO_KICKS, at, 1)
        if at < 0:
            break
    assert at == -1
    check(chain)


def test_improve_stops_after_its_budget() -> None:
    chain = begin(random_spec(0, 10, 60))
    assert improve(*chain.given, NO_KICKS, 3, 0) == 3
    at = improve(*chain.given, NO_KICKS, 0, 1)
    assert at == 1
    assert improve(*chain.given, NO_KICKS, at, 1 << 60) == -1
    assert improve(*chain.given, NO_KICKS, 4, 0) == -1  # nobody is left to look at


@BOTH
def test_how_often_parents_are_chosen_is_counted(equal: bool) -> None:
    """Once for each set of candidates that is new; the memo knows all the others."""
    chain = begin(random_spec(0, 20, 100, equal=equal))
    run.descend(chain, np.inf)
    chosen = int(chain.memo.used[2])
    assert 20 < chosen <= chain.memo.used[0]
    chain.state.look[:] = True
    run.descend(chain, np.inf)
    assert chain.memo.used[2] == chosen
