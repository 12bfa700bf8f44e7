"""The study of rules for the price: its networks are what they say, and its rules are rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from daglock.criteria import UnequalVariances, default_gamma, edge_cost
from daglock.engine import learn
from daglock.engine.choosing import Choice
from daglock.engine.request import Request
from daglock.graph import is_dag
from daglock.moments import Moments
from daglock_evaluation.harness.shapes import layered, random_pairs, regulators
from daglock_evaluation.studies import pricing
from daglock_evaluation.studies.networks import Network
from daglock_evaluation.studies.pricing import (
    AGAIN,
    ALL,
    BALANCED,
    CHOSEN_ON,
    DEFAULT,
    FIRST,
    JUDGED,
    JUDGED_STRONG,
    RULES,
    distances,
    judged,
    learn_by,
)

NETWORKS = [*CHOSEN_ON, *(network for network, _ in (*JUDGED, *JUDGED_STRONG))]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.label)
def test_networks_are_acyclic_and_as_dense_and_strong_as_they_say(network: Network) -> None:
    counts = []
    for seed in range(5):
        draw = network.draw(40, 50, seed)
        W = np.asarray(draw.truth)
        assert is_dag(W)
        counts.append(np.count_nonzero(W))
        sizes = np.abs(W[W != 0])
        assert sizes.min() >= network.weights[0]
        if network.law != "normal":
            assert sizes.max() <= network.weights[1]
        np.testing.assert_allclose(draw.X.std(axis=0), 1.0)
    assert np.mean(counts) == pytest.approx(20 * network.degree, rel=0.15)


def test_shapes_are_what_they_say() -> None:
    rng = np.random.default_rng(0)
    edges = regulators(60, 3, rng)
    assert not edges[10:].any()
    assert edges[:10].sum(axis=1).max() > 20
    edges = layered(50, 4, rng)
    source, target = np.nonzero(edges)
    np.testing.assert_array_equal(target // 10, source // 10 + 1)


def test_graphs_do_not_depend_on_the_rows() -> None:
    network = JUDGED[0][0]
    one, other = (network.draw(20, n, 3) for n in (30, 70))
    np.testing.assert_array_equal(one.truth, other.truth)


def test_rules_are_what_they_say() -> None:
    """On weak effects all but the first price lower it, each to where it says."""
    n, d = 300, 20
    moments = Moments.from_data(Network(random_pairs, 4, (0.1, 0.5)).draw(d, n, 0).X)
    first = default_gamma(n, d)
    gammas = {rule: learn_by(rule, moments).ebic_gamma for rule in (DEFAULT, AGAIN, *RULES)}
    assert gammas[AGAIN] <= gammas[DEFAULT] < first
    assert all(gamma <= first for gamma in gammas.values())
    assert gammas["share of false"] < first
    pairs = d * (d - 1) / 2
    model = UnequalVariances(moments)
    steps = gammas["half by chance"] + np.array([0.0, -0.05])
    prices = np.array([edge_cost(n, d, gamma) for gamma in steps])
    false = pairs * model.gains_by_chance(prices, n_edges=40)
    assert false[0] < 0.51 < false[1]
    assert learn(moments, noise="unequal", rng=0).ebic_gamma == gammas[DEFAULT]  # nothing is left


def test_without_edges_the_balanced_price_is_the_first() -> None:
    """Also where there are edges at lower prices."""
    n, d = 100, 16
    for seed in (6, 18):
        moments = Moments.from_data(Network(random_pairs, 2, (0.25, 0.3)).draw(d, n, seed).X)
        assert learn_by("excess", moments).dag.n_edges > 3
        assert learn_by(BALANCED, moments).dag.n_edges == 0


def test_again_is_until_it_settles(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def lower(request: Request, choice: Choice) -> tuple[Request, Choice]:
        asked.append(request.gamma)
        return replace(request, gamma=max(request.gamma - 0.3, 0.2)), choice

    monkeypatch.setattr(pricing, "at_the_right_price", lower)
    first = default_gamma(100, 16)
    learn_by(AGAIN, Moments.from_data(CHOSEN_ON[0].draw(16, 100, 0).X))
    assert asked == pytest.approx([first, first - 0.3, first - 0.6, 0.2])


def test_a_distance_for_each_rule_and_a_row_for_each_cell() -> None:
    far = distances(CHOSEN_ON[1], 16, 100, 0, ALL)
    assert len(far) == len(ALL)
    assert min(far) >= 0
    assert far[ALL.index("γ=0")] != far[ALL.index(FIRST)]
    table = judged(2, "weak", [(JUDGED[0][0], 16)], [50, 100])
    assert len({len(row) for row in table.rows}) == 1
    assert len(table.rows) == 1 + 2 + 2 + 1  # head, cells, each number of rows, all


def test_graphs_are_counted_with_the_prices_of_all_fits() -> None:
    moments = Moments.from_data(pricing.SETTLED[-1].draw(12, 100, 0).X)
    found = pricing.prices_by_graph(moments)
    assert sum(map(len, found.values())) == pricing.SEEDS * len(pricing.STARTS)
    assert [len(set(prices)) for prices in found.values()] == [1] * len(found)
