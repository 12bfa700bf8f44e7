"""What turning an edge costs: against all orders, and when there is no time for it."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from daglock.criteria import edge_cost
from daglock.engine import learn
from daglock.moments import Moments
from daglock.search.all_sets import make_sets
from daglock.search.exact import costs_to_turn
from daglock.search.run import search_order
from daglock.search.spec import ALLOWED, Spec, make_spec
from daglock.search.turning import _chain, _turn, turning_costs
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import IntArray
from tests.search.exact import best_subset_scores


def problem(noise: str, seed: int, d: int = 5) -> tuple[Spec, Moments]:
    rng = np.random.default_rng(seed)
    X = linear_sem(erdos_renyi(d, d, weights=(0.3, 0.8), rng=rng), 300, rng=rng)
    moments = Moments.from_data(X)
    S = moments.cov if noise == "equal" else moments.standardised().cov
    cost = edge_cost(300, d, 0.5)
    most = SETTINGS.most_parents(300, d)
    spec = make_spec(S, cost, max_parents=most, logarithmic=noise != "equal")
    return spec, moments


def best_scores(spec: Spec) -> dict[tuple[int, ...], float]:
    """Score of the best parents along every order."""
    best = best_subset_scores(spec.S, spec.cost, 0.0 if spec.logarithmic else 1.0)

    def score(order: tuple[int, ...]) -> float:
        before = np.cumsum([0, *(1 << u for u in order[:-1])])
        return float(best[before, order].sum())

    return {order: score(order) for order in permutations(range(len(spec.S)))}


@pytest.mark.parametrize("way", [0, 1])
def test_only_edges_on_the_way_go_back(way: int) -> None:
    """Turned, i -> j takes with it what comes into j, or goes out of i, and no other edge."""
    W = erdos_renyi(12, 24, rng=3)
    moments = Moments.from_data(linear_sem(W, 500, rng=4))
    spec = make_spec(moments.cov, edge_cost(500, 12, 0.5), max_parents=11, logarithmic=False)
    found = learn(moments, noise="equal").dag
    parents = [found.source[found.target == j] for j in range(12)]
    back = 0
    for i, j in zip(found.source.tolist(), found.target.tolist(), strict=True):
        chain = _chain(spec, found.order, np.inf, SETTINGS.reach)
        assert chain.state.order.tolist() == found.order.tolist()
        _turn(chain, parents, i, j, way)
        position = chain.state.position
        assert position[j] < position[i]
        turned = position[found.source] > position[found.target]
        back += int(turned.sum())
        assert ((found.target if way == 0 else found.source)[turned] == (j, i)[way]).all()
    assert back > len(found.source)  # some edges do have others on their way


@pytest.mark.parametrize("noise", ["equal", "unequal"])
@pytest.mark.parametrize("seed", range(6))
def test_what_it_costs_to_turn_an_edge(noise: str, seed: int) -> None:
    """All graphs: exactly what all orders say. The search: never less, and often the same."""
    spec, _ = problem(noise, seed)
    scores = best_scores(spec)
    best = min(scores.values())
    order = next(order for order, score in scores.items() if score < best + 1e-9)
    found = search_order(spec, np.array(order), n_restarts=0, rng=np.random.default_rng(0))
    target = np.repeat(np.arange(5), [len(P) for P in found.parents])
    source = np.concatenate(found.parents)
    expected = [
        min(s for o, s in scores.items() if o.index(j) < o.index(i)) - best
        for i, j in zip(source, target, strict=True)
    ]
    sets = make_sets(spec.S, spec.max_parents)
    fit = sets.rss * spec.weight if noise == "equal" else np.log(sets.rss)
    exact = costs_to_turn(sets, fit, spec.cost, source, target)
    np.testing.assert_allclose(exact, expected, atol=1e-6)
    both_ways = replace(SETTINGS, plenty=np.inf)
    asked = np.ones(len(source), dtype=bool)
    costs, in_time = turning_costs(
        spec, found.order, source, target, asked, enough=0.0, settings=both_ways
    )
    assert in_time
    assert (costs > np.array(expected) - 1e-6).all()


def edges(moments: Moments) -> tuple[IntArray, IntArray, IntArray]:
    learned = learn(moments, noise="equal", rng=0)
    return learned.dag.order, learned.dag.source, learned.dag.target


def test_what_there_is_no_time_for_costs_nothing() -> None:
    spec, moments = problem("equal", 0, 8)
    order, source, target = edges(moments)
    asked = np.arange(len(source)) % 2 == 0
    costs, in_time = turning_costs(
        spec, order, source, target, asked, enough=0.01, deadline=-np.inf
    )
    assert not in_time
    assert (costs[asked] == 0.0).all()
    assert (costs[~asked] == np.inf).all()


def test_arguments_are_left_alone() -> None:
    spec, moments = problem("equal", 0, 8)
    order, source, target = edges(moments)
    copies = order.copy(), source.copy(), target.copy()
    turning_costs(spec, order, source, target, np.ones(len(source), dtype=bool), enough=0.01)
    for array, copy in zip((order, source, target), copies, strict=True):
        np.testing.assert_array_equal(array, copy)
    assert (spec.knowledge == ALLOWED).all()
