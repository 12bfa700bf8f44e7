"""Comparing all graphs: sets, knowledge, ties, against listing them."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.criteria import edge_cost, graph_score
from daglock.engine import learn
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.search.all_sets import make_sets, residuals
from daglock.search.exact import best_equal, best_unequal
from daglock.search.regression import residual_variances
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array, BoolArray
from tests.search.exact import all_dags, members, subset_rss

NOISES = ("equal", "unequal")


def moments_of(seed: int, d: int, n: int = 60) -> Moments:
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, int(rng.integers(1, d * (d - 1) // 2 + 1)), weights=(0.2, 1.5), rng=rng)
    return Moments.from_data(linear_sem(W, n, rng=rng))


@pytest.mark.parametrize("seed", range(5))
def test_residuals_of_every_set(seed: int) -> None:
    S = moments_of(seed, 6).standardised().cov
    outside = ~members(6)
    np.testing.assert_allclose(residuals(S)[outside], subset_rss(S)[outside], rtol=1e-9)


def test_a_copy_says_nothing_new() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    S = Moments.from_data(np.column_stack([X, X[:, 0] + X[:, 1]])).standardised().cov
    found = residuals(S)
    both = found[0b0011]
    np.testing.assert_allclose(both[3], 1e-13, atol=1e-12)  # determined by the two
    np.testing.assert_allclose(found[0b1011], both, atol=1e-9)  # and adds nothing to them


def listed(
    S: Array, cost: float, noise: str, most: int, allowed: BoolArray, required: BoolArray
) -> float:
    """Return the least score over a list of all DAGs that obey."""
    d = len(S)
    inside = members(d)
    best = np.inf
    for graph in all_dags(d):
        adjacency = inside[graph].T  # [i, j]: i is a parent of j
        if adjacency.sum(axis=0).max() > most:
            continue
        if (adjacency & ~allowed).any() or (required & ~adjacency).any():
            continue
        parents = [np.flatnonzero(adjacency[:, j]) for j in range(d)]
        rss = residual_variances(S, parents)
        best = min(best, graph_score(rss, int(adjacency.sum()), cost, noise))
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("noise", NOISES)
def test_knowledge_and_few_parents_are_obeyed(seed: int, noise: str) -> None:
    d, rng = 4, np.random.default_rng(seed)
    moments = moments_of(seed, d, n=200)
    allowed = rng.random((d, d)) < 0.7
    np.fill_diagonal(allowed, False)
    required = np.zeros((d, d), dtype=np.bool_)
    if seed % 2:
        i, j = rng.permutation(d)[:2]
        required[i, j] = allowed[i, j] = True
    most, cost = 1 + seed % 3, edge_cost(200, d, 0.0)
    sets = make_sets(moments.cov, most, allowed, required)
    best = (best_equal if noise == "equal" else best_unequal)(sets, cost)
    rss = residual_variances(moments.cov, best.parents)
    score = graph_score(rss, sum(map(len, best.parents)), cost, noise)
    expected = listed(moments.cov, cost, noise, most, allowed, required)
    assert score == pytest.approx(expected, abs=1e-9)
    adjacency = np.zeros((d, d), dtype=np.bool_)
    for j, P in enumerate(best.parents):
        adjacency[P, j] = True
        assert len(P) <= most
        assert set(P) <= set(best.order[: list(best.order).index(j)])
    assert not (adjacency & ~allowed).any()
    assert not (required & ~adjacency).any()


@pytest.mark.parametrize("noise", NOISES)
def test_the_engine_hands_knowledge_over(noise: str) -> None:
    moments = moments_of(3, 5, n=500)
    free = learn(moments, noise=noise, rng=0)
    source, target = int(free.dag.source[0]), int(free.dag.target[0])
    allowed = ~np.eye(5, dtype=np.bool_)
    allowed[source, target] = False
    required = np.zeros((5, 5), dtype=np.bool_)
    required[target, source] = True
    bound = learn(moments, noise=noise, masks=Masks(allowed, required), rng=0)
    edges = list(zip(bound.dag.source.tolist(), bound.dag.target.tolist(), strict=True))
    assert (target, source) in edges
    assert (source, target) not in edges
    assert bound.certificate.optimal
    assert bound.certificate.score >= free.certificate.score - 1e-9


@pytest.mark.parametrize("noise", NOISES)
def test_neither_columns_nor_scale_nor_seed_matter(noise: str) -> None:
    moments = moments_of(5, 8, n=300)
    first = learn(moments, noise=noise, rng=0).to_sparse().toarray() != 0
    mixed = np.random.default_rng(1).permutation(8)
    again = learn(Moments(moments.cov[np.ix_(mixed, mixed)], 300, np.zeros(8)), noise=noise, rng=7)
    back = np.argsort(mixed)
    np.testing.assert_array_equal(again.to_sparse().toarray()[np.ix_(back, back)] != 0, first)
    scaled = learn(Moments(1e6 * moments.cov, 300, np.zeros(8)), noise=noise, rng=0)
    np.testing.assert_array_equal(scaled.to_sparse().toarray() != 0, first)
