"""All graphs on more variables than can be listed: other ways, and the clock."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from daglock._pace import OutOfTimeError
from daglock.counts import Counts
from daglock.criteria import edge_cost, graph_score
from daglock.engine import learn
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.search.all_costs import all_set_costs
from daglock.search.all_sets import Sets, make_sets
from daglock.search.exact import best_equal, best_unequal, costs_to_turn, solve
from daglock.search.regression import residual_variances
from daglock.search.set_costs import make_joint_spec
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solution import Status
from daglock.typing import Array
from tests.search.exact import exact_score, members, subset_rss


def moments_of(seed: int, d: int, n: int = 200) -> Moments:
    rng = np.random.default_rng(seed)
    return Moments.from_data(linear_sem(erdos_renyi(d, 2 * d, rng=rng), n, rng=rng))


def slow_least(S: Array, cost: float, most: int, masks: Masks, forced: tuple[int, int]) -> float:
    """Return the least Σ log RSS + k|E|, with ``forced[0]`` before ``forced[1]``, set by set."""
    d = len(S)
    inside = members(d)
    size = inside.sum(axis=1)
    best = np.log(subset_rss(S)) + cost * size[:, None]
    best[size > most] = np.inf
    if masks.allowed is not None:
        best[inside @ ~masks.allowed] = np.inf
    if masks.required is not None:
        best[~inside @ masks.required] = np.inf
    for i in range(d):
        with_i = np.flatnonzero(inside[:, i])
        best[with_i] = np.minimum(best[with_i], best[with_i ^ (1 << i)])
    before = np.zeros((d, d), dtype=np.bool_) if masks.before is None else masks.before.copy()
    if forced[0] != forced[1]:
        before[forced] = True
    value = np.full(1 << d, np.inf)
    value[0] = 0.0
    for U in range(1, 1 << d):
        for j in np.flatnonzero(inside[U]).tolist():
            rest = U ^ (1 << j)
            if not (before[j] & inside[rest]).any():
                value[U] = min(value[U], value[rest] + best[rest, j])
    return float(value[-1])


def knowledge(seed: int, d: int) -> Masks:
    """Return some edges that are out, one that has to be, and an order of three."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(d)
    allowed = rng.random((d, d)) < 0.8
    required, before = np.zeros((2, d, d), dtype=np.bool_)
    required[order[0], order[1]] = allowed[order[0], order[1]] = True
    for a, b in pairwise(order[[2, 4, 6]]):
        before[a, b] = True
        allowed[b, a] = False
    before[order[2], order[6]] = True
    allowed[order[6], order[2]] = False
    np.fill_diagonal(allowed, False)
    return Masks(allowed, required, before)


def sets_with(S: Array, most: int, masks: Masks) -> Sets:
    return make_sets(S, most, masks.allowed, masks.required, masks.before)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_another_recursion_finds_the_same_and_what_it_costs_to_turn(seed: int, known: bool) -> None:
    d, most = 9, 3 + seed
    S = moments_of(seed, d).standardised().cov
    masks, cost = knowledge(seed, d) if known else Masks(), edge_cost(200, d, 0.2)
    sets = sets_with(S, most, masks)
    best = best_unequal(sets, cost)
    score = graph_score(
        residual_variances(S, best.parents), sum(map(len, best.parents)), cost, "unequal"
    )
    least = slow_least(S, cost, most, masks, (0, 0))
    assert score == pytest.approx(least, abs=1e-9)
    target = np.repeat(np.arange(d), [len(P) for P in best.parents])
    source = np.concatenate(best.parents)
    found = costs_to_turn(sets, np.log(sets.rss), cost, source, target)
    expected = [
        slow_least(S, cost, most, masks, (int(j), int(i))) - least
        for i, j in list(zip(source, target, strict=True))[:4]
    ]
    np.testing.assert_allclose(found[:4], expected, atol=1e-9)


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_eleven_variables(noise: str) -> None:
    d, moments = 11, moments_of(5, 11, 100)
    S, cost = moments.cov, edge_cost(100, d, 0.0)
    best = (best_equal if noise == "equal" else best_unequal)(make_sets(S, d - 1), cost)
    score = graph_score(
        residual_variances(S, best.parents), sum(map(len, best.parents)), cost, noise
    )
    assert score == pytest.approx(exact_score(S, cost, noise), abs=1e-9)


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_eighteen_variables_are_confirmed_by_other_arithmetic(noise: str) -> None:
    moments = moments_of(0, SETTINGS.max_exact, 1000)
    learned = learn(moments, noise=noise, rng=0)
    assert learned.certificate.optimal
    assert learned.certificate.verify(moments)
    searched = learn(moments, noise=noise, rng=0, settings=replace(SETTINGS, max_exact=0))
    assert learned.certificate.score <= searched.certificate.score + 1e-9
    worse = replace(learned.certificate, score=learned.certificate.score + 1e-3)
    assert not worse.verify(moments)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_ties_are_told_in_the_unit_of_the_columns(unit: float) -> None:
    moments = moments_of(1, 8, 500)
    scaled = Moments(unit**2 * moments.cov, 500, np.zeros(8))
    found, again = (learn(m, noise="equal", rng=0).dag for m in (moments, scaled))
    assert found.n_edges
    np.testing.assert_array_equal(again.adjacency().toarray(), found.adjacency().toarray())


def test_the_clock_is_heard() -> None:
    moments = moments_of(2, 10)
    sets = make_sets(moments.cov, 9)
    counts = Counts.from_codes(np.random.default_rng(0).integers(0, 2, size=(50, 8)))
    spec = make_joint_spec(
        0.1, n=50, max_parents=7, counts=(counts.dense, counts.weight, counts.sizes)
    )
    edge = np.array([0]), np.array([1])
    with pytest.raises(OutOfTimeError):
        make_sets(moments.cov, 9, deadline=0.0)
    with pytest.raises(OutOfTimeError):
        solve(sets, sets.rss, 0.1, deadline=0.0)
    with pytest.raises(OutOfTimeError):
        best_equal(sets, 0.1, 0.0)
    with pytest.raises(OutOfTimeError):
        costs_to_turn(sets, sets.rss, 0.1, *edge, deadline=0.0)
    with pytest.raises(OutOfTimeError):
        all_set_costs(spec, 0.0)


def test_a_fit_that_is_out_of_time_has_a_graph() -> None:
    moments = moments_of(3, 18, 500)
    fast = replace(SETTINGS, max_exact=18)
    learned = learn(moments, noise="unequal", time_limit=0.02, rng=0, settings=fast)
    assert learned.status is Status.TIME_LIMIT
    assert not learned.certificate.optimal
    assert learned.dag.n_edges
    assert learned.certificate.verify(moments)


def test_counts_beyond_a_size_are_searched() -> None:
    def table(d: int) -> Counts:
        return Counts.from_codes(np.random.default_rng(0).integers(0, 2, size=(100, d)))

    slow = SETTINGS.max_exact_slow
    assert learn(table(slow), rng=0).certificate.optimal
    assert not learn(table(slow + 1), n_restarts=0, rng=0).certificate.optimal
