"""The kernels of the order search: states that stay true, moves that keep their promise."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.knowledge import Masks, knowledge_masks, respect
from daglock.moments import canonical_order
from daglock.search import order as kernels
from daglock.search.memo import NOTHING, PARENT, PAYS, Memo, make_memo
from daglock.search.order import SMALL, State, make_state
from daglock.search.parents import Spec, make_spec, make_work
from daglock.search.run import Chain
from daglock.search.start import full_regression_gains
from daglock.typing import IntArray
from tests.search.exact import best_subset_scores
from tests.search.twin import Twin, largest_improvement, random_spec

EVERYTHING = 1 << 60
NOTHING_GAINED = np.empty((0, 0))
BOTH = pytest.mark.parametrize("equal", [False, True])


def begin(spec: Spec, order: IntArray | None = None, memo: Memo | None = None) -> Chain:
    """A chain whose nodes have their parents along the order, a random one by default."""
    d = spec.S.shape[0]
    rng = np.random.default_rng(0)
    if order is None:
        order = respect(rng.permutation(d), spec.before if spec.before.size else None)
    state = make_state(order, canonical_order(spec.S), True, rng)
    chain = Chain(spec, make_work(d, spec.max_parents), state, memo or make_memo(d))
    kernels.initialise(*chain, 0, d)
    return chain


def parents_of(state: State) -> list[set[int]]:
    return [set(np.flatnonzero(row == PARENT).tolist()) for row in state.relation]


def check(chain: Chain) -> None:
    """Everything that a state says is true."""
    spec, state = chain.spec, chain.state
    twin, d = Twin(spec), len(state.order)
    order = state.order.tolist()
    assert sorted(order) == list(range(d))
    assert state.position[state.order].tolist() == list(range(d))
    assert twin.may_follow(order)
    np.testing.assert_array_equal(state.relation_of, state.relation.T)
    prefix = 0
    for q, u in enumerate(order):
        assert state.prefix[q] == prefix
        prefix ^= int(state.variable_key[u])
        P = set(np.flatnonzero(state.relation[u] == PARENT).tolist())
        assert twin.required(u) <= P <= twin.allowed(u, order[:q]) | twin.required(u)
        assert len(P) <= spec.max_parents
        assert state.rss[u] == pytest.approx(twin.rss(u, P), rel=1e-7)
        score = twin.score(u, P)
        assert state.score[u] == pytest.approx(score, rel=1e-7, abs=1e-9)
        for i in set(range(d)) - P:
            pays = twin.allowed(u, [i]) and twin.score(u, P | {i}) < score
            assert state.relation[u, i] == (PAYS if pays else NOTHING)
    assert state.prefix[d] == prefix


def some_knowledge(seed: int, d: int) -> Masks:
    rng = np.random.default_rng(seed)
    labels = rng.permutation(d)
    pairs = [(i, j) for a, i in enumerate(labels) for j in labels[a + 1 :]]
    chosen = rng.permutation(len(pairs))[:6]
    return knowledge_masks(
        d,
        required=[pairs[c] for c in chosen[:2]],
        forbidden=[pairs[c] for c in chosen[2:]],
        tiers=[labels[:2], labels[2:5]],
    )


def knowing_spec(seed: int, d: int, n: int, equal: bool, thorough: bool = False) -> Spec:
    masks = some_knowledge(seed, d)
    return random_spec(
        seed,
        d,
        n,
        equal=equal,
        allowed=masks.allowed,
        required=masks.required,
        before=masks.before,
        thorough=thorough,
    )


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
    state = make_state(whole.state.order, whole.state.visit, True, np.random.default_rng(0))
    pieces = Chain(spec, make_work(12, 11), state, make_memo(12))
    for q in range(0, 12, 5):
        kernels.initialise(*pieces, q, min(q + 5, 12))
    np.testing.assert_array_equal(pieces.state.relation, whole.state.relation)
    np.testing.assert_array_equal(pieces.state.score, whole.state.score)


@BOTH
@pytest.mark.parametrize("seed", range(6))
def test_columns_have_no_precedence(seed: int, equal: bool) -> None:
    """Not even where more would like to be parents than may."""
    spec = random_spec(seed, 9, 60, equal=equal, max_parents=2, n_edges=30)
    p = np.random.default_rng(seed).permutation(9)
    chain = begin(spec, np.arange(9))
    S = spec.S[np.ix_(p, p)]
    permuted = begin(make_spec(S, spec.cost, spec.inv_sigma2, 2), np.argsort(p))
    np.testing.assert_array_equal(permuted.state.relation, chain.state.relation[np.ix_(p, p)])


@BOTH
@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_move_gives_what_its_walk_promised(
    seed: int, equal: bool, thorough: bool, knows: bool
) -> None:
    spec = random_spec(seed, 9, 40, equal=equal, thorough=thorough)
    if knows:
        spec = knowing_spec(seed, 9, 40, equal, thorough)
    chain = begin(spec)
    moved = 0
    for _ in range(4):
        for v in range(9):
            before = kernels.total(chain.state)
            change, q = kernels.best_position(*chain, v)
            assert kernels.total(chain.state) == before  # looking changes nothing
            assert change <= 0.0
            if change < 0.0:
                kernels.move(*chain, v, q)
                assert chain.state.order[q] == v
                after = kernels.total(chain.state)
                assert after <= before + change + 1e-9
                check(chain)
                moved += 1
    assert moved


@BOTH
@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_no_position_is_better_than_the_best(seed: int, equal: bool, thorough: bool) -> None:
    """Moving the node to each place by `move`, and back by `recall`, finds none better."""
    spec = random_spec(seed, 8, 60, equal=equal, thorough=thorough)
    chain = begin(spec)
    kernels.remember(chain.state)
    start = kernels.total(chain.state)
    for v in range(8):
        change, best_q = kernels.best_position(*chain, v)
        here = int(chain.state.position[v])
        changes = {}
        for q in set(range(8)) - {here}:
            kernels.move(*chain, v, q)
            changes[q] = kernels.total(chain.state) - start
            kernels.recall(chain.state)
            assert kernels.total(chain.state) == start
        if change < 0.0:
            assert changes[best_q] == pytest.approx(change, abs=1e-9)
        if thorough:  # else one that pays only in exchange for another may be overlooked
            assert min(changes.values()) >= change - 1e-8


@BOTH
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("d", "n"), [(30, 40), (12, 25)])
def test_improve_never_gets_worse_and_ends(seed: int, equal: bool, d: int, n: int) -> None:
    """One node at a time from many orders; once, two nodes could change places for ever."""
    spec = random_spec(seed, d, n, equal=equal, max_parents=n // 4)
    chain = begin(spec)
    rng = np.random.default_rng(seed)
    for _ in range(8):
        score, at = kernels.total(chain.state), 0
        for _turn in range(5000):
            at = kernels.improve(*chain, at, 1)
            assert kernels.total(chain.state) <= score + 1e-9
            score = kernels.total(chain.state)
            if at < 0:
                break
        assert at == -1
        assert not chain.state.look.any()
        kicks = np.column_stack([rng.integers(d, size=8), rng.integers(d, size=8)])
        kernels.perturb(*chain, kicks)
    check(chain)


@BOTH
@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_no_single_move_improves_in_the_end(seed: int, equal: bool, knows: bool) -> None:
    """Against a twin that lets everybody choose anew at every place."""
    spec = random_spec(seed, 8, 60, equal=equal, thorough=True)
    if knows:
        spec = knowing_spec(seed, 8, 60, equal, thorough=True)
    chain = begin(spec)
    while True:
        before = kernels.total(chain.state)
        chain.state.look[:] = True
        assert kernels.improve(*chain, 0, EVERYTHING) == -1
        better = kernels.reselect(*chain, NOTHING_GAINED)
        if not better and kernels.total(chain.state) >= before:
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
            change, q = kernels.best_position(*bold, v)
            expected, expected_q = kernels.best_position(*careful, v)
            assert change == pytest.approx(expected, abs=1e-12)
            assert q == expected_q


@BOTH
@pytest.mark.parametrize("seed", range(5))
def test_reselect_mends_parents_that_are_proxies(seed: int, equal: bool) -> None:
    spec = random_spec(seed, SMALL + 2, 100, equal=equal)
    chain = begin(spec)
    gain = full_regression_gains(spec.S, chain.state.order)
    assert gain is not None
    before = chain.state.score.copy()
    better = kernels.reselect(*chain, gain)
    assert better == np.sum(chain.state.score < before - 1e-12)
    assert (chain.state.score <= before + 1e-12).all()
    check(chain)


@BOTH
def test_reselect_finds_the_best_subset_of_few(equal: bool) -> None:
    for seed in range(8):
        spec = random_spec(seed, 7, 60, equal=equal)
        chain = begin(spec)
        kernels.reselect(*chain, NOTHING_GAINED)
        best = best_subset_scores(spec.S, spec.cost, spec.inv_sigma2)
        mask = 0
        for u in chain.state.order.tolist():
            assert chain.state.score[u] == pytest.approx(best[mask, u], abs=1e-9)
            mask |= 1 << u


@BOTH
def test_blanket_scores_are_those_of_all_candidates(equal: bool) -> None:
    for spec in (random_spec(2, 9, 60, equal=equal), knowing_spec(2, 9, 60, equal)):
        twin, out = Twin(spec), np.full(9, np.nan)
        kernels.blanket_scores(spec, make_work(9, 8), 0, 5, out)
        assert np.isnan(out[5:]).all()
        kernels.blanket_scores(spec, make_work(9, 8), 5, 9, out)
        for u in range(9):
            P = twin.select(u, [], twin.allowed(u, range(9)), twin.required(u))
            assert out[u] == pytest.approx(twin.score(u, P), rel=1e-8, abs=1e-10)


@BOTH
@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_remember_and_recall(seed: int, equal: bool, knows: bool) -> None:
    spec = knowing_spec(seed, 9, 60, equal) if knows else random_spec(seed, 9, 60, equal=equal)
    chain = begin(spec)
    rng = np.random.default_rng(seed)
    kernels.remember(chain.state)
    for turn in range(6):
        kept = [array.copy() for array in chain.state[:7]]
        kicks = np.column_stack([rng.integers(9, size=5), rng.integers(9, size=5)])
        kernels.perturb(*chain, kicks)
        check(chain)
        kernels.improve(*chain, 0, EVERYTHING)
        check(chain)
        if turn % 2:
            kernels.remember(chain.state)
            assert not chain.state.changed.any()
        else:
            kernels.recall(chain.state)
            for array, expected in zip(chain.state[:7], kept, strict=True):
                np.testing.assert_array_equal(array, expected)
            assert not chain.state.look.any()
        check(chain)


def test_perturb_goes_as_far_as_knowledge_allows() -> None:
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
        kernels.perturb(*chain, np.array([kick]))
        assert chain.state.order.tolist() == expected
        check(chain)


@BOTH
def test_a_memo_that_overflows_does_no_harm(equal: bool) -> None:
    """With three rows nearly everything is spilled and worked out again."""
    spec = random_spec(3, 10, 60, equal=equal, thorough=True)
    full = make_memo(10)
    memo = full._replace(score=full.score[:4], rss=full.rss[:4], relation=full.relation[:4])
    chain = begin(spec, memo=memo)
    at = 0
    for _ in range(2000):
        at = kernels.improve(*chain, at, 1)
        if at < 0:
            break
    assert at == -1
    check(chain)


def test_improve_stops_after_its_budget() -> None:
    chain = begin(random_spec(0, 10, 60))
    assert kernels.improve(*chain, 3, 0) == 3
    at = kernels.improve(*chain, 0, 1)
    assert at == 1
    assert kernels.improve(*chain, at, EVERYTHING) == -1
    assert kernels.improve(*chain, 4, 0) == -1  # nobody is left to look at
