"""The lowered price: gains against regressions, chance against simulation, and what it finds."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from daglock.criteria import (
    CRITERIA,
    Criterion,
    default_gamma,
    edge_cost,
    graph_score,
    lowered_gamma,
)
from daglock.criteria import criterion as owner
from daglock.engine import choosing, fitting, learn, pipeline
from daglock.engine.choosing import Choice
from daglock.engine.learned import Learned
from daglock.engine.request import Request
from daglock.estimator import DAGLock
from daglock.graph import topological_order
from daglock.knowledge import knowledge_masks
from daglock.metrics import compare, compare_classes
from daglock.moments import Moments
from daglock.search.gains import largest_gains
from daglock.search.regression import residual_variances
from daglock.search.spec import make_spec
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solution import Status
from daglock.typing import Array, IntArray

NOISES = pytest.mark.parametrize("noise", ["equal", "unequal"])


def few_rows(seed: int, d: int = 40, n: int = 60) -> tuple[Array, Array]:
    """A graph whose edges are not all to be seen at the first price."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, d, rng=rng)
    return W, linear_sem(W, n, rng=rng)


def weak_effects(seed: int, d: int = 40, n: int = 200) -> Array:
    """Rows in which most edges are weak, so that the price is always lowered."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, 2 * d, weights=(0.15, 0.4), rng=rng)
    return linear_sem(W, n, noise_variances=rng.uniform(0.5, 2.0, d), rng=rng)


def criterion(noise: str, n: int, d: int) -> Criterion:
    return CRITERIA[noise](Moments.from_covariance(np.eye(d), n))


def parents_of(W: Array) -> list[IntArray]:
    return [np.flatnonzero(column) for column in W.T]


@NOISES
def test_gains_are_those_of_regressions(noise: str) -> None:
    """Adding each predecessor in turn and fitting all over again."""
    W, X = few_rows(0, d=12, n=50)
    S = Moments.from_data(X).cov
    parents = parents_of(W)
    order = topological_order(W)
    allowed = np.random.default_rng(1).random((12, 12)) < 0.8
    rss = residual_variances(S, parents)
    sigma2 = float(rss.mean())
    spec = make_spec(
        S,
        0.1,
        weight=1.0 / sigma2 if noise == "equal" else 1.0,
        logarithmic=noise != "equal",
        max_parents=11,
        allowed=allowed,
        bounded=False,
    )
    position = np.argsort(order)
    expected = np.zeros(12)
    for j in range(12):
        for i in range(12):
            if position[i] < position[j] and W[i, j] == 0 and allowed[i, j]:
                more = residual_variances(
                    S, [*parents[:j], np.append(parents[j], i), *parents[j + 1 :]]
                )[j]
                gain = (rss[j] - more) / sigma2 if noise == "equal" else np.log(rss[j] / more)
                expected[j] = max(expected[j], gain)
    np.testing.assert_allclose(largest_gains(spec, order, parents), expected, atol=1e-12)


def test_a_node_with_all_the_parents_it_may_have_gains_nothing() -> None:
    _, X = few_rows(0, d=5)
    S = Moments.from_data(X).cov
    chain = [np.array(P, dtype=np.intp) for P in ([], [0], [1], [2], [3])]
    gains = [
        largest_gains(make_spec(S, 0.1, max_parents=most, bounded=False), np.arange(5), chain)
        for most in (1, 2)
    ]
    assert (gains[0] == 0.0).all()
    assert (gains[1][2:] > 0.0).all()


@NOISES
def test_chance_is_what_unrelated_columns_show(noise: str) -> None:
    """Also with so few rows that χ² would be wrong for a variance of one's own."""
    n, d = 25, 12
    price = np.array([6.0 / n, 10.0 / n])
    counts = []
    for seed in range(2000):
        S = Moments.from_data(np.random.default_rng(seed).normal(size=(n, d))).cov
        i, j = np.triu_indices(d, 1)
        share = S[i, j] ** 2 / (S[i, i] * S[j, j])
        gain = -np.log1p(-share) if noise == "unequal" else share * S[j, j] / np.mean(np.diag(S))
        counts.append(np.count_nonzero(gain[:, None] > price, axis=0))
    by_chance = criterion(noise, n, d).gains_by_chance(price, n_edges=0) * d * (d - 1) / 2
    np.testing.assert_allclose(np.mean(counts, axis=0), by_chance, rtol=0.2)


def test_gains_of_chance_leave_the_price_alone() -> None:
    """A gain for every node, but none that a pair in so many would not have by chance."""
    n, d = 1000, 30
    gamma = default_gamma(n, d)
    for noise in ("equal", "unequal"):
        model = criterion(noise, n, d)
        assert lowered_gamma(model, np.full(d, 3.0 / n), 30, gamma) == gamma
        assert lowered_gamma(model, np.zeros(d), 0, gamma) == gamma
        one = np.zeros(d)
        one[0] = edge_cost(n, d, gamma) * 0.99
        assert lowered_gamma(model, one, 30, gamma) == gamma  # one alone can be chance
    assert lowered_gamma(model, np.full(d, 1.0), 30, 0.0) == 0.0  # the plain BIC at the least


def test_the_price_goes_below_the_gains_that_chance_does_not_explain() -> None:
    n, d = 1000, 30
    gamma = default_gamma(n, d)
    gains = np.zeros(d)
    gains[:10] = 15.0 / n
    lower = lowered_gamma(criterion("equal", n, d), gains, 30, gamma)
    assert lower < gamma
    assert edge_cost(n, d, lower) < 15.0 / n
    assert n * edge_cost(n, d, lower) > 12.0  # but no lower than it has to


@NOISES
def test_unrelated_columns_keep_the_price(noise: str) -> None:
    n, d, edges, lowered = 100, 20, 0, 0
    for seed in range(150):
        X = np.random.default_rng(seed).normal(size=(n, d))
        learned = learn(Moments.from_data(X), noise=noise, n_restarts=0, rng=0)
        edges += learned.dag.n_edges
        lowered += learned.ebic_gamma < default_gamma(n, d)
    assert lowered <= 6
    assert edges <= 15


@pytest.mark.parametrize("table", [0, 1, 7, 10])
def test_the_price_depends_on_the_equivalence_class_alone(table: int) -> None:
    """Whatever the seed and the start: one graph has one price, and these tables have one graph."""
    rng = np.random.default_rng(table)
    W = erdos_renyi(30, 60, weights=(0.05, 0.5), rng=rng)
    moments = Moments.from_data(linear_sem(W, 300, rng=rng)).standardised()
    prices: dict[bytes, set[float]] = {}
    for start, seed in product(("continuous", "order"), range(3)):
        learned = learn(moments, noise="unequal", start=start, rng=seed, by_margin=False)
        assert learned.ebic_gamma < default_gamma(300, 30)
        graph = learned.dag.adjacency().toarray().tobytes()
        prices.setdefault(graph, set()).add(learned.ebic_gamma)
    assert [len(own) for own in prices.values()] == [1]


def test_strong_effects_keep_the_price() -> None:
    for seed in range(10):
        W, X = few_rows(seed, n=1000)
        learned = learn(Moments.from_data(X), rng=0)
        assert learned.ebic_gamma == default_gamma(1000, 40)
        assert compare(learned.to_sparse(), W).shd == 0


@NOISES
def test_few_rows_show_more_at_the_lower_price(noise: str) -> None:
    distances = []
    for seed in range(6):
        W, X = few_rows(seed)
        moments = Moments.from_data(X)
        first, lower = (
            learn(moments, noise=noise, ebic_gamma=gamma, n_restarts=4, rng=0)
            for gamma in (default_gamma(60, 40), None)
        )
        assert lower.ebic_gamma <= first.ebic_gamma
        assert lower.certificate.edge_cost == edge_cost(60, 40, lower.ebic_gamma)
        assert lower.certificate.verify(moments)
        # No worse at its own price than the graph it started from.
        rss = residual_variances(moments.cov, parents_of(first.to_sparse().toarray()))
        there = graph_score(rss, first.dag.n_edges, lower.certificate.edge_cost, noise)
        assert lower.certificate.score <= there + 1e-9
        distance = compare if noise == "equal" else compare_classes
        distances.append([distance(fit.to_sparse(), W).shd for fit in (first, lower)])
    first_price, lower_price = np.sum(distances, axis=0)
    assert lower_price < 0.9 * first_price


def test_a_price_that_is_given_is_kept() -> None:
    X = weak_effects(0)
    for gamma in (0.3, default_gamma(200, 40)):
        assert learn(Moments.from_data(X), ebic_gamma=gamma, rng=0).ebic_gamma == gamma


def test_what_is_known_holds_at_the_lower_price() -> None:
    X = weak_effects(0)
    moments = Moments.from_data(X)
    free = learn(moments, noise="equal", rng=0)
    assert free.ebic_gamma < default_gamma(200, 40)
    edges = list(zip(free.dag.source.tolist(), free.dag.target.tolist(), strict=True))
    masks = knowledge_masks(40, forbidden=edges[::2], required=edges[1:4:2])
    learned = learn(moments, noise="equal", masks=masks, rng=0)
    assert learned.ebic_gamma < default_gamma(200, 40)
    found = set(zip(learned.dag.source.tolist(), learned.dag.target.tolist(), strict=True))
    assert not found & set(edges[::2])
    assert found >= set(edges[1:4:2])


@pytest.mark.parametrize("at", ["gains", "start", "restarts"])
def test_interrupted_after_the_first_search(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph there is by then, and it says that it was cut short."""
    moments = Moments.from_data(weak_effects(1))
    first = learn(moments, noise="unequal", ebic_gamma=default_gamma(200, 40), rng=0, n_restarts=8)
    calls: list[int] = []

    def interrupt(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    def progress(model: str, done: int, score: float) -> None:
        if at == "start" and done == 8:
            monkeypatch.setattr(fitting, "_start", interrupt)
        if at == "restarts" and calls and done < calls[-1]:
            raise KeyboardInterrupt
        calls.append(done)

    if at == "gains":
        monkeypatch.setattr(owner, "largest_gains", interrupt)
    learned = learn(moments, noise="unequal", n_restarts=8, rng=0, progress=progress)
    assert learned.status is Status.INTERRUPTED
    assert learned.message.startswith("Interrupted")
    assert learned.certificate.verify(moments)
    rss = residual_variances(moments.cov, parents_of(first.to_sparse().toarray()))
    there = graph_score(rss, first.dag.n_edges, learned.certificate.edge_cost, "unequal")
    assert learned.certificate.score <= there + 1e-9
    if at == "gains":
        np.testing.assert_array_equal(learned.dag.source, first.dag.source)
        assert learned.certificate.locally_optimal


def test_out_of_time_after_the_first_search(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = Moments.from_data(weak_effects(1))

    def late(request: Request, choice: Choice) -> tuple[Request, Choice]:
        return lower(replace(request, deadline=0.0), choice)

    lower = choosing.at_the_right_price
    monkeypatch.setattr(pipeline, "at_the_right_price", late)
    learned = learn(moments, noise="unequal", n_restarts=8, rng=0)
    assert learned.status is Status.TIME_LIMIT
    # the first graph, which was finished, or one that is better at the lower price
    first = learn(moments, noise="unequal", ebic_gamma=default_gamma(200, 40), rng=0, n_restarts=8)
    rss = residual_variances(moments.cov, parents_of(first.to_sparse().toarray()))
    there = graph_score(rss, first.dag.n_edges, learned.certificate.edge_cost, "unequal")
    assert learned.certificate.score <= there + 1e-9
    assert learned.certificate.verify(moments)


@pytest.mark.parametrize("d", [12, 30])
def test_the_order_of_the_columns_and_the_threads_do_not_matter(d: int) -> None:
    X = weak_effects(3, d)
    columns = np.random.default_rng(0).permutation(d)
    first = learn(Moments.from_data(X), rng=0)
    assert first.ebic_gamma < default_gamma(200, d)
    assert first.certificate.optimal == (d == 12)
    mixed = learn(Moments.from_data(X[:, columns]), rng=0, n_jobs=2)
    assert mixed.ebic_gamma == first.ebic_gamma
    W = first.to_sparse().toarray()
    np.testing.assert_array_equal(
        mixed.to_sparse().toarray() != 0, W[np.ix_(columns, columns)] != 0
    )


def test_replicates_have_noise_model_and_price_of_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows drawn twice look like evidence, and columns drawn again are not standardised."""
    from daglock.estimator import again

    X = weak_effects(2, d=20)
    model = DAGLock(random_state=0).fit(X / X.std(axis=0))
    assert model.noise_model_ == "unequal"
    assert model.learned_.ebic_gamma < default_gamma(200, 20)
    used = []

    def spy(moments: Moments, **settings: Any) -> Learned:
        used.append((settings["noise"], settings["ebic_gamma"]))
        return learn(moments, **settings)

    monkeypatch.setattr(again, "learn", spy)
    model.bootstrap(3, rng=0, n_jobs=1, progress=False)
    assert used == [("unequal", model.learned_.ebic_gamma)] * 3
