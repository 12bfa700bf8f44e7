"""Better parts of one graph in another: the sum of the better ones, without a cycle."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from daglock.search.crossing import components, paid_before, take_better_parts
from daglock.search.memo import PARENT, PAYS
from daglock.search.order import NO_HOPES, NO_START, choose
from daglock.search.run import Chain, total
from daglock.search.spec import make_spec
from daglock.search.state import copy_of
from daglock.typing import BoolArray, IntArray
from tests.search.chains import begin, check, knowing_spec
from tests.search.twin import before, random_spec


def test_the_better_half_of_two_graphs() -> None:
    """Two tables that have nothing to do with each other, each with a good order in one graph."""
    half = random_spec(3, 7, 300).S
    spec = make_spec(np.kron(np.eye(2), half).astype(np.float64), 0.02, max_parents=13)
    rng = np.random.default_rng(0)
    orders = [rng.permutation(7) for _ in range(40)]
    scores = [total(begin(make_spec(half, 0.02, max_parents=6), order).state) for order in orders]
    good, bad = orders[int(np.argmin(scores))], orders[int(np.argmax(scores))]
    assert min(scores) < max(scores) - 0.05
    best = copy_of(begin(spec, np.append(good, 7 + bad)).state)
    chain = begin(spec, np.append(bad, 7 + good))
    assert total(best) == pytest.approx(min(scores) + max(scores))
    assert take_better_parts(chain, best)
    check(chain)
    assert total(chain.state) == pytest.approx(2 * min(scores))


@pytest.mark.parametrize("knows", [False, True])
def test_what_is_taken_is_a_graph_and_better(knows: bool) -> None:
    taken = 0
    for seed in range(40):
        spec = (
            knowing_spec(seed, 9, 60, equal=False)
            if knows
            else random_spec(seed, 12, 60, n_edges=9)
        )
        chain, rng = begin(spec), np.random.default_rng(seed)
        best = copy_of(chain.state)
        other = begin(spec, None if knows else rng.permutation(12))
        if knows:  # a few steps away, as far as knowledge allows
            other = begin(spec, _neighbour(best.order, before(spec), rng))
        kept = copy_of(other.state)
        if take_better_parts(other, best):
            check(other)
            assert total(other.state) < total(best) - 1e-9
            taken += 1
        else:
            np.testing.assert_array_equal(other.state.incoming, kept.incoming)
            np.testing.assert_array_equal(other.state.order, kept.order)
    assert taken > 5


def _neighbour(order: IntArray, first: BoolArray, rng: np.random.Generator) -> IntArray:
    """Swap neighbours that may be swapped, again and again."""
    order = order.copy()
    for q in rng.integers(len(order) - 1, size=60):
        if not first[order[q], order[q + 1]]:
            order[[q, q + 1]] = order[[q + 1, q]]
    return order


def test_nothing_is_taken_of_the_same_graph() -> None:
    chain = begin(random_spec(0, 8, 60))
    assert not take_better_parts(chain, copy_of(chain.state))


def test_who_would_gain_a_predecessor() -> None:
    chain = begin(random_spec(1, 10, 200))
    assert paid_before(chain.state) == []  # parents were just chosen
    chain.state.order[:] = chain.state.order[::-1].copy()
    chain.state.position[chain.state.order] = np.arange(10)
    expected = [
        q
        for q, u in enumerate(chain.state.order)
        if (chain.state.incoming[u, chain.state.order[:q]] >= PAYS).any()
    ]
    assert paid_before(chain.state) == expected != []
    choose(*chain.given, NO_START, NO_HOPES, expected[0], expected[0] + 1)
    assert expected[0] not in paid_before(chain.state)


def test_what_would_close_a_cycle_is_left() -> None:
    """0 → 1 → 2 → 3; in the other graph 0 has 3 for a parent, which is better, and 2 has none."""
    spec = make_spec(np.eye(6), 0.1, max_parents=5)

    def chain_of(order: list[int], edges: list[tuple[int, int]], score: list[float]) -> Chain:
        chain = begin(spec, np.array(order))
        for i, j in edges:
            chain.state.incoming[j, i] = chain.state.relation[i, j] = PARENT
        chain.state.score[:] = score
        return chain

    best = chain_of([0, 1, 2, 3, 4, 5], [(0, 1), (1, 2), (2, 3)], [0.0] * 6).state
    around, order = [(2, 3), (3, 0), (0, 1)], [2, 3, 0, 1, 4, 5]
    assert not take_better_parts(chain_of(order, around, [-1.0, 0.0, 2.0, 0.0, 0.0, 0.0]), best)
    # nor when another place is better as well, which alone is taken
    other = chain_of(order, [*around, (4, 5)], [-1.0, 0.0, 2.0, 0.0, 0.0, -0.5])
    assert take_better_parts(other, best)
    edges = np.argwhere(other.state.relation == PARENT).tolist()
    assert edges == [[0, 1], [1, 2], [2, 3], [4, 5]]
    assert total(other.state) == pytest.approx(-0.5)


@pytest.mark.parametrize("seed", range(20))
def test_components_are_those_of_scipy(seed: int) -> None:
    """Numbered by their first member; chains of any length, and no nodes at all."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(0, 30))
    link = rng.random((d, d)) < rng.choice([0.0, 1.0, 3.0]) / max(d, 1)
    if seed % 2:  # one long chain in a random order
        order = rng.permutation(d)
        link[order[:-1], order[1:]] = True
    _, expected = connected_components(csr_array(link), directed=False)
    first = [int(np.argmax(expected == k)) for k in expected]
    assert components(link).tolist() == first
