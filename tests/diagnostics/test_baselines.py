"""Sortnregress against brute force over parent sets and against the engine; counts of agreement."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse, stats

from daglock.criteria import default_gamma, edge_cost
from daglock.diagnostics import explained_shares, sortnregress
from daglock.diagnostics.baselines import (
    compare_baselines,
    graph_of_order,
    sorting_order,
)
from daglock.engine import learn
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.graph import WeightedDAG, canonical_member, dag_to_cpdag, is_dag
from daglock.moments import Moments
from daglock.simulate import erdos_renyi, linear_sem, population_covariance
from daglock.typing import Array

NOISES = pytest.mark.parametrize("noise", ["equal", "unequal"])


def table(d: int = 6, seed: int = 0, n: int = 400) -> Moments:
    return Moments.from_data(linear_sem(erdos_renyi(d, 2 * d, rng=seed), n, rng=seed + 1))


def residual(S: Array, j: int, P: tuple[int, ...]) -> float:
    p = list(P)
    return float(S[j, j] - S[j, p] @ np.linalg.solve(S[np.ix_(p, p)], S[p, j]) if p else S[j, j])


@pytest.mark.parametrize("seed", range(8))
def test_best_subsets_along_the_order(seed: int) -> None:
    moments = table(seed=seed)
    S, k = moments.cov, edge_cost(moments.n, moments.d, default_gamma(moments.n, moments.d))
    for by, scores in (("variance", np.diag(S)), ("r2", explained_shares(S))):
        found = sortnregress(moments, by)
        np.testing.assert_array_equal(found.dag.order, np.argsort(scores))
        best = 0.0
        for q, j in enumerate(found.dag.order):
            subsets = (
                c for m in range(q + 1) for c in combinations(found.dag.order[:q].tolist(), m)
            )
            best += min(np.log(residual(S, j, P)) + k * len(P) for P in subsets)
        assert found.score == pytest.approx(best, abs=1e-9)


@NOISES
@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_the_engine_gives_its_graph(noise: str, seed: int) -> None:
    moments = table(15, seed)
    learned = learn(moments, noise=noise, rng=0)
    price = learned.certificate.edge_cost
    found = graph_of_order(moments, learned.dag.order, noise=noise, price=price)
    assert found.score == pytest.approx(learned.certificate.score, abs=1e-9)
    gap = found.dag.to_sparse() - learned.dag.to_sparse()
    assert abs(gap).max() < 1e-8


def test_a_proxy_does_not_hide_the_parents() -> None:
    """u = a + b + noise beside v = a + b + less noise: growing takes v, after which no one pays."""
    W = np.zeros((14, 14))
    W[0, 12] = W[1, 12] = W[0, 13] = W[1, 13] = 1.0
    variances = np.ones(14)
    variances[12] = 0.1
    moments = Moments.from_covariance(population_covariance(W, variances), n=1000)
    found = graph_of_order(moments, np.arange(14), noise="unequal", price=0.05)
    np.testing.assert_allclose(found.dag.to_sparse().toarray(), W, atol=1e-9)


def test_equal_variances_beat_the_first_turn() -> None:
    # noise of very unequal size: the price per edge differs between the criteria
    W = erdos_renyi(12, 30, rng=1)
    variances = np.linspace(0.05, 4.0, 12)
    moments = Moments.from_data(linear_sem(W, 200, noise_variances=variances, rng=2))
    equal, unequal = (sortnregress(moments, noise=noise) for noise in ("equal", "unequal"))
    n_unequal, k = unequal.dag.n_edges, edge_cost(200, 12, default_gamma(200, 12))
    as_equal = 12 * np.log(np.mean(unequal.noise_variances)) + k * n_unequal
    assert equal.score < as_equal - 0.01


@NOISES
def test_columns_have_no_precedence(noise: str) -> None:
    moments = table(20, 3)
    shuffle = np.random.default_rng(0).permutation(20)
    S = moments.cov[np.ix_(shuffle, shuffle)]
    permuted = Moments.from_covariance(S, moments.n)
    for by in ("variance", "r2"):
        first, second = (
            sortnregress(m, by, noise=noise).dag.to_sparse() for m in (moments, permuted)
        )
        dense = first.toarray()[np.ix_(shuffle, shuffle)]
        np.testing.assert_allclose(second.toarray(), dense, atol=1e-9)


def test_ties_go_by_correlation_and_not_by_column() -> None:
    S = np.array([[1.0, 0.1, 0.7, 0.0], [0.1, 1.0, 0.2, 0.0], [0.7, 0.2, 1.0, 0.0], [0, 0, 0, 2.0]])
    assert sorting_order(Moments.from_covariance(S, 100), "variance").tolist() == [2, 0, 1, 3]
    turned = Moments.from_covariance(S[::-1, ::-1].copy(), 100)
    assert sorting_order(turned, "variance").tolist() == [1, 3, 2, 0]


def test_a_larger_price_leaves_fewer_edges() -> None:
    moments = table(12, 5)
    plain, strict = (sortnregress(moments, ebic_gamma=g) for g in (0.0, 20.0))
    assert strict.dag.n_edges < plain.dag.n_edges
    dear = sortnregress(moments, price=100.0)
    assert dear.dag.n_edges == 0
    assert dear.score == pytest.approx(np.log(np.diag(moments.cov)).sum())


def test_what_is_refused() -> None:
    moments = table()
    with pytest.raises(InvalidParameterError, match="by must be variance or r2"):
        sortnregress(moments, "size")
    with pytest.raises(InvalidParameterError, match="noise must be equal or unequal"):
        sortnregress(moments, noise="auto")
    with pytest.raises(InvalidDataError, match="same variance: it gives no order"):
        sortnregress(moments.standardised())
    with pytest.raises(InvalidDataError, match="same R²"):
        sortnregress(table(20, 0, n=10), "r2")


@NOISES
def test_scores_and_likelihoods_beside_each_other(noise: str) -> None:
    X = linear_sem(erdos_renyi(8, 10, rng=2), 300, rng=3)
    moments = Moments.from_data(X)
    learned = learn(moments, noise=noise, rng=0)
    cost = learned.certificate.edge_cost
    first, empty, sorted_one = compare_baselines(
        moments,
        learned.dag,
        noise=noise,
        price=cost,
        criteria={"variance": np.log(np.diag(moments.cov))},
    )
    assert [b.name for b in (first, empty, sorted_one)] == ["learned", "empty", "variance"]
    assert first.score == pytest.approx(learned.certificate.score)
    assert (first.n_edges, first.adjacencies, first.directions) == (learned.dag.n_edges,) * 3
    assert (empty.n_edges, empty.adjacencies, empty.directions) == (0, 0, 0)
    found = sortnregress(moments, noise=noise, price=cost)
    assert sorted_one.score == found.score
    for baseline, W, rss in (
        (first, learned.to_sparse(), learned.noise_variances),
        (empty, sparse.csr_array((8, 8)), np.diag(moments.cov)),
        (sorted_one, found.dag.to_sparse(), found.noise_variances),
    ):
        variances = np.full(8, np.mean(rss)) if noise == "equal" else rss
        T = np.linalg.inv(np.eye(8) - W.toarray())
        normal = stats.multivariate_normal(X.mean(axis=0), T.T @ np.diag(variances) @ T)
        assert baseline.log_likelihood == pytest.approx(np.mean(normal.logpdf(X)), abs=1e-8)


@NOISES
@pytest.mark.parametrize("seed", range(5))
def test_agreement_is_counted_cell_by_cell(noise: str, seed: int) -> None:
    moments = table(10, seed)
    truth = WeightedDAG.from_matrix(erdos_renyi(10, 15, rng=100 + seed))
    if noise == "unequal":
        truth = replace(truth, oriented=canonical_member(truth.source, truth.target, 10)[2])
    price = edge_cost(moments.n, 10, 1.0)
    criteria = {"r2": explained_shares(moments.cov)}
    *_, last = compare_baselines(moments, truth, noise=noise, price=price, criteria=criteria)
    graph = sortnregress(moments, "r2", noise=noise, price=price).dag.to_sparse()
    assert is_dag(graph)
    A, B = truth.marks().toarray(), graph.toarray() != 0
    B = B.astype(np.int8) if noise == "equal" else dag_to_cpdag(B)
    adjacent = np.triu((A + A.T > 0) & (B + B.T > 0))
    assert last.adjacencies == adjacent.sum()
    assert last.directions == (adjacent & (A == B) & (A.T == B.T)).sum()
