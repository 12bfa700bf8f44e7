"""Chains of a search problem for the tests: made along an order, and looked over."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.knowledge import Masks, knowledge_masks, respect
from daglock.search.memo import NOTHING, PARENT, PAYS, Memo, make_memo, worth_of
from daglock.search.node import needed_to_start
from daglock.search.order import NO_HOPES, NO_START, choose
from daglock.search.parents import rss_of
from daglock.search.run import Chain, chain_of
from daglock.search.spec import REQUIRED, Spec
from daglock.search.state import make_state
from daglock.typing import Array, IntArray
from tests.search.twin import Twin, before, random_spec


def begin(spec: Spec, order: IntArray | None = None, memo: Memo | None = None) -> Chain:
    """A chain whose nodes have their parents along the order, a random one by default."""
    d = spec.S.shape[0]
    rng = np.random.default_rng(0)
    if order is None:
        order = respect(rng.permutation(d), before(spec))
    state = make_state(order, rng)
    state.incoming.T[spec.knowledge & REQUIRED > 0] = PARENT
    state.relation[:] = state.incoming.T
    chain = chain_of(spec, state, memo or make_memo(d))
    choose(*chain.given, NO_START, NO_HOPES, 0, d)
    return chain


def needed(chain: Chain) -> Array:
    """What a predecessor must gain each node to be in another start for its parents."""
    sizes = (chain.state.incoming == PARENT).sum(axis=1)
    return np.asarray(needed_to_start(chain.spec, chain.state.score, sizes))


def check(chain: Chain) -> None:
    """Everything that a state says is true."""
    spec, state = chain.spec, chain.state
    assert isinstance(spec, Spec)
    twin, d = Twin(spec), len(state.order)
    order = state.order.tolist()
    assert sorted(order) == list(range(d))
    assert state.position[state.order].tolist() == list(range(d))
    assert twin.may_follow(order)
    np.testing.assert_array_equal(state.incoming, state.relation.T)
    prefix = 0
    for q, u in enumerate(order):
        assert state.prefix[q] == prefix
        prefix ^= int(state.word[0, u])
        P = set(np.flatnonzero(state.incoming[u] == PARENT).tolist())
        assert twin.required(u) <= P <= twin.allowed(u, order[:q]) | twin.required(u)
        assert len(P) <= spec.max_parents
        assert rss_of(spec, u, state.score[u], len(P)) == pytest.approx(twin.rss(u, P), rel=1e-7)
        score = twin.score(u, P)
        assert state.score[u] == pytest.approx(score, rel=1e-7, abs=1e-9)
        for i in set(range(d)) - P:
            gain, relation = twin.worth(u, P, i), int(state.relation[i, u])
            if not 0.0 < gain < 1e-8:  # less is rounding, in the place of another that is as good
                assert relation >= PAYS if gain > 0.0 else relation == NOTHING
            if gain > 1e-8:  # how much it pays is rounded up, to a step
                assert gain - 1e-7 <= worth_of(relation, spec.cost)
                assert worth_of(relation, spec.cost) < 1.125 * gain + 0.125 * spec.cost + 1e-7
    assert state.prefix[d] == prefix


def masked_spec(seed: int, d: int, n: int, masks: Masks, *, equal: bool) -> Spec:
    """Return a search problem of simulated data and hard knowledge."""
    return random_spec(
        seed,
        d,
        n,
        equal=equal,
        allowed=masks.allowed,
        required=masks.required,
        before=masks.before,
    )


def knowing_spec(seed: int, d: int, n: int, *, equal: bool) -> Spec:
    """Return a search problem with some random knowledge."""
    return masked_spec(seed, d, n, some_knowledge(seed, d), equal=equal)


def some_knowledge(seed: int, d: int) -> Masks:
    """Draw required and forbidden edges and two tiers that one order agrees with."""
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
