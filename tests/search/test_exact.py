"""The engine against the exact optimum, on more than a thousand random problems."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from daglock.criteria import edge_cost, graph_score
from daglock.datasets import load_sachs
from daglock.engine import learn
from daglock.graph import dag_to_cpdag
from daglock.metrics import compare_cpdag
from daglock.moments import Moments
from daglock.search.all_sets import make_sets
from daglock.search.exact import solve
from daglock.search.run import search_order
from daglock.search.spec import make_spec
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array
from tests.search.exact import all_dags, best_subset_scores, exact_score, members, subset_rss

NOISES = ("equal", "unequal")


def problem(seed: int, smallest: int = 3, largest: int = 6) -> tuple[Moments, float]:
    """Random moments and a random γ: few and many rows, sparse and dense graphs."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(smallest, largest + 1))
    n = int(rng.choice([30, 100, 1000]))
    W = erdos_renyi(d, int(rng.integers(1, d * (d - 1) // 2 + 1)), weights=(0.2, 1.5), rng=rng)
    variances = rng.uniform(0.3, 3.0, d) if seed % 2 else 1.0
    X = linear_sem(W, n, noise_variances=variances, rng=rng)
    return Moments.from_data(X), float(rng.choice([0.0, 0.5]))


@pytest.mark.parametrize(("d", "count"), [(2, 3), (3, 25), (4, 543), (5, 29281)])
def test_the_reference_agrees_with_all_dags(d: int, count: int) -> None:
    graphs = all_dags(d)
    assert len(graphs) == count  # Robinson (1973)
    n_edges = members(d).sum(axis=1)[graphs].sum(axis=1)
    for seed in range(5):
        moments, gamma = problem(seed, d, d)
        cost = edge_cost(moments.n, d, gamma)
        rss = np.empty((1 << d, d))
        for mask, inside in enumerate(members(d)):
            P = np.flatnonzero(inside)
            b = np.linalg.solve(moments.cov[np.ix_(P, P)], moments.cov[P])
            rss[mask] = np.diag(moments.cov) - np.sum(b * moments.cov[P], axis=0)
        np.testing.assert_allclose(subset_rss(moments.cov)[~members(d)], rss[~members(d)])
        of_graphs = rss[graphs, np.arange(d)]
        for noise in NOISES:
            fit = d * np.log(of_graphs.mean(axis=1))
            if noise == "unequal":
                fit = np.log(of_graphs).sum(axis=1)
            least = int(np.argmin(fit + cost * n_edges))
            score = graph_score(of_graphs[least], int(n_edges[least]), cost, noise)
            assert exact_score(moments.cov, cost, noise) == pytest.approx(score, abs=1e-10)


def test_best_subsets_by_listing_them() -> None:
    moments, _ = problem(3, 5, 5)
    inside = members(5)
    for inv_sigma2 in (0.0, 1.3):
        best = best_subset_scores(moments.cov, 0.05, inv_sigma2)
        rss = subset_rss(moments.cov)
        fit = rss * inv_sigma2 if inv_sigma2 else np.log(rss)
        for mask in range(32):
            subsets = [s for s in range(32) if s & mask == s]
            expected = np.min([fit[s] + 0.05 * inside[s].sum() for s in subsets], axis=0)
            np.testing.assert_allclose(best[mask][~inside[mask]], expected[~inside[mask]])


def gaps(seeds: Iterable[int], smallest: int = 3, largest: int = 6) -> list[float]:
    """How far above the optimum the engine ends, which compares all graphs, for both models."""
    result = []
    for seed in seeds:
        moments, gamma = problem(seed, smallest, largest)
        cost = edge_cost(moments.n, moments.d, gamma)
        for noise in NOISES:
            learned = learn(moments, noise=noise, ebic_gamma=gamma, rng=0)
            assert learned.certificate.verify(moments)
            assert learned.certificate.optimal
            optimum = exact_score(moments.cov, cost, noise)
            result.append(learned.certificate.score - optimum)
    return result


def search_gaps(seeds: Iterable[int], smallest: int = 3, largest: int = 6) -> Array:
    """How far above the optimum the search over orders ends, from an order that says nothing."""
    result = []
    for seed in seeds:
        moments, gamma = problem(seed, smallest, largest)
        n, d = moments.n, moments.d
        cost, most = edge_cost(n, d, gamma), SETTINGS.most_parents(n, d)
        for noise in NOISES:
            S = moments.cov if noise == "equal" else moments.standardised().cov
            weight = 1.0 / float(np.diag(S).min())
            spec = make_spec(
                S, cost, max_parents=most, weight=weight, logarithmic=noise == "unequal"
            )
            found = search_order(
                spec,
                np.arange(d),
                n_restarts=100,
                rng=np.random.default_rng(0),
                full_regressions=SETTINGS.full_regressions_pay(n, d),
            )
            sets = make_sets(S, most)
            fit = weight * (sets.rss if noise == "equal" else np.log(sets.rss))
            best = solve(sets, fit, cost)
            chosen = [int((1 << P).sum()) for P in best.parents]
            n_edges = sum(map(len, best.parents))
            optimum = fit[chosen, np.arange(d)].sum() + cost * n_edges
            result.append(found.scores[-1] - optimum)
    return np.array(result)


@pytest.mark.parametrize("block", range(10))
def test_the_best_of_all_graphs_is_the_optimum(block: int) -> None:
    found = gaps(range(50 * block, 50 * (block + 1)))
    np.testing.assert_allclose(found, 0.0, atol=1e-8)
    np.testing.assert_allclose(gaps([1000 + block], 7, 8), 0.0, atol=1e-8)


@pytest.mark.parametrize("block", range(10))
def test_the_search_reaches_the_optimum(block: int) -> None:
    """Of 1000 problems in all ten miss, and none may beat it."""
    found = search_gaps(range(50 * block, 50 * (block + 1)))
    assert len(found) == 100
    assert found.min() > -1e-8  # nothing is better than the optimum
    assert np.sum(found > 1e-8) <= 3


def test_the_search_reaches_the_optimum_of_larger_problems() -> None:
    found = search_gaps(range(1000, 1030), 7, 8)
    assert len(found) == 60
    assert found.min() > -1e-8
    assert np.sum(found > 1e-8) <= 4


@pytest.mark.parametrize(("log", "distance"), [(False, 11), (True, 10)])
def test_sachs(log: bool, distance: int) -> None:
    """Sachs-853 with the plain BIC: the optimum, and its distance to the class of the 17 edges."""
    data = load_sachs("observational")
    moments = Moments.from_data(np.log(data.data) if log else data.data)
    learned = learn(moments, noise="unequal", ebic_gamma=0.0, rng=0)
    variance = np.diag(moments.cov)
    correlation = moments.cov / np.sqrt(np.outer(variance, variance))
    optimum = exact_score(correlation, np.log(853) / 853, "unequal") + np.log(variance).sum()
    assert learned.certificate.score == pytest.approx(optimum, abs=1e-8)
    found = dag_to_cpdag(learned.to_sparse().toarray())
    assert compare_cpdag(found, dag_to_cpdag(data.truth_17)).shd == distance
