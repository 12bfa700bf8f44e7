"""A lower bound for all graphs: never above the best one, and it where nothing is left open."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

from daglock import DAGLock, load
from daglock._pace import OutOfTimeError
from daglock.criteria import edge_cost
from daglock.engine import learn
from daglock.errors import InvalidParameterError
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.search.all_sets import make_sets
from daglock.search.bound import lower_bound
from daglock.search.exact import best_unequal
from daglock.search.parent_sets import ParentSets, parent_sets
from daglock.search.regression import residual_variances
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array
from tests.search.exact import members, subset_rss
from tests.search.test_twenty import knowledge


def moments_of(seed: int, d: int, n: int = 500) -> Moments:
    rng = np.random.default_rng(seed)
    return Moments.from_data(linear_sem(erdos_renyi(d, d, rng=rng), n, rng=rng))


def problem(seed: int) -> tuple[Array, float, int, Masks, float]:
    """Return a correlation, a price, a limit, what is known, and the least cost of a graph."""
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(7, 10)), int(rng.choice([100, 1000]))
    R = moments_of(seed, d, n).standardised().cov
    masks, most = knowledge(seed, d) if seed % 2 else Masks(), int(rng.integers(2, d))
    cost = edge_cost(n, d, 0.5)
    known = masks.allowed, masks.required, masks.before
    best = best_unequal(make_sets(R, most, *known), cost)
    fit = np.log(residual_variances(R, best.parents)).sum()
    return R, cost, most, masks, float(fit + cost * sum(map(len, best.parents)))


@pytest.mark.parametrize("seed", range(6))
def test_sets_that_no_subset_beats_by_listing_all(seed: int) -> None:
    R, cost, most, masks, _ = problem(seed)
    found, d = parent_sets(R, cost, most, masks), len(R)
    assert found is not None
    inside = members(d)
    f = np.log(subset_rss(R)) + cost * inside.sum(axis=1)[:, None]
    f[inside.sum(axis=1) > most] = np.inf
    if masks.allowed is not None and masks.required is not None:
        f[inside @ ~masks.allowed] = np.inf
        f[~inside @ masks.required] = np.inf
    for j in range(d):
        subsets = [[V for V in range(U) if V & U == V] for U in range(1 << d)]
        expected = [
            U
            for U in range(1 << d)
            if f[U, j] < np.inf and all(f[U, j] < f[V, j] - 1e-12 for V in subsets[U])
        ]
        own = found.node == j
        np.testing.assert_array_equal(np.sort(found.members[own]), expected)
        np.testing.assert_allclose(found.cost[own], f[found.members[own], j], atol=1e-10)


@pytest.mark.parametrize("seed", range(16))
def test_the_bound_is_the_optimum_and_never_above(seed: int) -> None:
    R, cost, most, masks, least = problem(seed)
    sets = parent_sets(R, cost, most, masks)
    assert sets is not None
    so_far: list[float] = []
    bounded = lower_bound(sets, least, masks.before, progress=so_far.append)
    assert bounded.lower == pytest.approx(least, abs=1e-6)
    assert bounded.lower <= least + 1e-9
    assert bounded.parents is None
    assert max(so_far) <= least + 1e-9
    assert so_far == sorted(so_far)  # it only improves
    early = lower_bound(sets, least, masks.before, deadline=perf_counter() + 0.01)
    assert early.lower <= least + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_a_better_graph_is_found_on_the_way(seed: int) -> None:
    R, cost, most, masks, least = problem(seed)
    sets = parent_sets(R, cost, most, masks)
    assert sets is not None
    bounded = lower_bound(sets, least + 0.3, masks.before)
    assert bounded.parents is not None
    fit = np.log(residual_variances(R, bounded.parents)).sum()
    assert fit + cost * sum(map(len, bounded.parents)) == pytest.approx(least, abs=1e-6)
    assert bounded.lower == pytest.approx(least, abs=1e-6)


def test_an_order_forbids_paths() -> None:
    """0 -> 1 -> 2 is the best; 2 must come before 0, and no edge but 0 -> 2 is forbidden."""
    X = linear_sem(np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]), 500, rng=0)
    R = Moments.from_data(X).standardised().cov
    allowed, before = ~np.eye(3, dtype=np.bool_), np.zeros((3, 3), dtype=np.bool_)
    before[2, 0], allowed[0, 2] = True, False
    required = np.zeros((3, 3), dtype=np.bool_)
    required[0, 1] = True
    masks = Masks(allowed, required, before)
    best = best_unequal(make_sets(R, 2, allowed, required, before), 0.05)
    least = np.log(residual_variances(R, best.parents)).sum() + 0.05 * sum(map(len, best.parents))
    sets = parent_sets(R, 0.05, 2, masks)
    assert sets is not None
    assert lower_bound(sets, least, before).lower == pytest.approx(least, abs=1e-6)
    assert lower_bound(sets, least).lower < least - 0.01


def test_the_clock_is_heard() -> None:
    R = moments_of(0, 12).standardised().cov
    with pytest.raises(OutOfTimeError):
        parent_sets(R, 0.02, 11, Masks(), deadline=0.0)
    sets = parent_sets(R, 0.02, 11, Masks())
    assert isinstance(sets, ParentSets)
    assert lower_bound(sets, 0.0, deadline=0.0).lower == -np.inf


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_up_to_twenty_variables_all_are_compared(noise: str) -> None:
    moments = moments_of(1, 19)
    learned = learn(moments, noise=noise, prove=60.0, rng=0)
    proof = learned.certificate
    assert (proof.optimal, proof.gap, proof.shown_by) == (True, 0.0, "all were compared")
    assert proof.lower_bound == proof.score
    assert not learn(moments, noise=noise, rng=0).certificate.optimal
    assert learn(moments, noise=noise, rng=0).certificate.gap is None
    late = learn(moments, noise=noise, prove=1e-6, rng=0)
    assert late.certificate.gap is None
    assert "The time for a proof was over" in late.message


def test_beyond_twenty_variables_all_are_bounded(tmp_path: str) -> None:
    rng = np.random.default_rng(2)
    X = linear_sem(erdos_renyi(24, 12, rng=rng), 500, rng=rng)
    model = DAGLock("unequal", prove=60.0, random_state=0).fit(X)
    proof = model.certificate_
    assert proof.optimal
    assert proof.gap == pytest.approx(0.0, abs=1e-6)
    assert "no other DAG has a better score" in model.message_
    assert proof.shown_by == "by a lower bound for all"
    assert proof.verify(model.moments_)
    for name in ("model.json", "model.npz"):
        model.save(f"{tmp_path}/{name}")
        again = load(f"{tmp_path}/{name}")
        assert again.certificate_.lower_bound == proof.lower_bound
        assert again.prove == 60.0


def test_where_there_is_no_proof_it_says_so() -> None:
    moments = moments_of(3, 22)
    assert "no proof for a model that has the same noise variance" in (
        learn(moments, noise="equal", prove=1.0, rng=0).message
    )
    few = Moments.from_data(np.random.default_rng(0).standard_normal((15, 22)))
    assert "nearly determine each other" in learn(few, noise="unequal", prove=1.0, rng=0).message
    cut = learn(moments, noise="unequal", prove=0.3, rng=0).certificate
    assert cut.gap is None or cut.optimal or "lower by more than" in cut.statement
    with pytest.raises(InvalidParameterError, match="prove must be a number > 0"):
        learn(moments, prove=0.0)
