"""The engine: what must not matter does not, what is known is kept, and nothing is ever NaN."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from daglock.engine import learn
from daglock.engine.learned import Learned
from daglock.errors import InvalidParameterError
from daglock.graph import WeightedDAG, dag_to_cpdag, is_dag, topological_order
from daglock.knowledge import Masks, knowledge_masks
from daglock.metrics import compare_classes
from daglock.moments import Moments
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem, near_cyclic
from daglock.solution import Status
from daglock.typing import Array, BoolArray

NOISES = pytest.mark.parametrize("noise", ["equal", "unequal"])

# Search over orders, however few the variables.
SEARCH = replace(SETTINGS, max_exact=0)


def table(seed: int, n: int, d: int, n_edges: int | None = None, spread: float = 2.0) -> Array:
    """Simulated rows; noise variances differ when ``spread`` is not one."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, min(2 * d, d * (d - 1) // 2) if n_edges is None else n_edges, rng=rng)
    variances = rng.uniform(1.0 / spread, spread, d) if spread != 1.0 else 1.0
    return linear_sem(W, n, noise_variances=variances, rng=rng)


def run(X: Array, **settings: Any) -> Learned:
    return learn(Moments.from_data(X), **({"rng": 0, "n_restarts": 4} | settings))


def support(learned: Learned) -> BoolArray:
    d = learned.dag.d
    edges = np.zeros((d, d), dtype=bool)
    edges[learned.dag.source, learned.dag.target] = True
    return edges


def check(learned: Learned, moments: Moments, masks: Masks | None = None) -> None:
    """A DAG without NaN, verified, that agrees with what is known."""
    edges, order = support(learned), learned.dag.order
    assert edges.sum() == learned.dag.n_edges
    assert is_dag(edges)
    assert learned.certificate.is_dag
    for values in (learned.dag.weight, learned.noise_variances, list(learned.scores.values())):
        assert np.isfinite(values).all()
    assert (learned.noise_variances > 0.0).all()
    assert learned.certificate.verify(moments)
    if masks is not None:
        if masks.allowed is not None:
            assert not (edges & ~masks.allowed).any()
        if masks.required is not None:
            assert edges[masks.required].all()
        if masks.before is not None:
            position = np.argsort(order)
            i, j = np.nonzero(masks.before)
            assert (position[i] < position[j]).all()


# What must not matter.


@NOISES
@pytest.mark.parametrize(
    ("n", "d"), [(1000, 5), (100, 12), (12, 8), (6, 15), (1000, 25), (40, 30), (15, 40)]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_permuted_columns_give_the_permuted_graph(noise: str, n: int, d: int, seed: int) -> None:
    X = table(seed, n, d)
    p = np.random.default_rng(seed).permutation(d)
    plain, permuted = run(X, noise=noise), run(X[:, p], noise=noise)
    np.testing.assert_array_equal(support(permuted), support(plain)[np.ix_(p, p)])
    assert permuted.certificate.score == pytest.approx(plain.certificate.score, abs=1e-9)
    np.testing.assert_array_equal(p[permuted.dag.order], plain.dag.order)


@pytest.mark.parametrize("start", ["order", "continuous", "matrix"])
@NOISES
def test_permuted_columns_from_every_start(noise: str, start: str) -> None:
    X = table(3, 60, 24)
    p = np.random.default_rng(3).permutation(24)
    W = np.random.default_rng(4).normal(size=(24, 24))
    begin: dict[str, Any] = {"start": W} if start == "matrix" else {"start": start}
    moved: dict[str, Any] = {"start": W[np.ix_(p, p)]} if start == "matrix" else begin
    plain = support(run(X, noise=noise, **begin))
    np.testing.assert_array_equal(support(run(X[:, p], noise=noise, **moved)), plain[np.ix_(p, p)])


@NOISES
@pytest.mark.parametrize(("n", "d"), [(300, 10), (20, 30)])
def test_permuted_rows_give_the_same_graph(noise: str, n: int, d: int) -> None:
    X = table(1, n, d)
    rows = np.random.default_rng(0).permutation(n)
    plain, permuted = run(X, noise=noise), run(X[rows], noise=noise)
    np.testing.assert_array_equal(support(plain), support(permuted))
    np.testing.assert_allclose(plain.dag.weight, permuted.dag.weight, rtol=1e-8)


@pytest.mark.parametrize(("n", "d"), [(1000, 8), (100, 25), (15, 25)])
@pytest.mark.parametrize("start", [None, "order"])
def test_scale_does_not_matter_under_unequal_variances(n: int, d: int, start: str | None) -> None:
    X = table(2, n, d)
    plain = run(X, noise="unequal", start=start)
    for seed in range(3):
        scale = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, d)
        scaled = run(X * scale, noise="unequal", start=start)
        np.testing.assert_array_equal(dag_to_cpdag(support(scaled)), dag_to_cpdag(support(plain)))
        check(scaled, Moments.from_data(X * scale))


@NOISES
def test_a_common_scale_and_a_shift_never_matter(noise: str) -> None:
    X = table(2, 200, 12)
    plain = run(X, noise=noise)
    other = run(1e5 * X + 3e5, noise=noise)
    np.testing.assert_array_equal(support(plain), support(other))
    np.testing.assert_allclose(plain.dag.weight, other.dag.weight, rtol=1e-6)


@pytest.mark.parametrize("noise", ["equal", "unequal", "auto"])
def test_the_same_seed_gives_the_same_bytes_with_one_and_two_threads(noise: str) -> None:
    X = table(5, 60, 25)
    settings: dict[str, Any] = {"noise": noise, "n_restarts": 10}
    results = [run(X, n_jobs=jobs, rng=7, **settings) for jobs in (1, 2, 1)]
    for field in fields(WeightedDAG):
        assert len({getattr(result.dag, field.name).tobytes() for result in results}) == 1
    assert len({result.noise_variances.tobytes() for result in results}) == 1
    assert len({result.certificate.score for result in results}) == 1
    generator = run(X, rng=np.random.default_rng(7), **settings)
    assert generator.dag.weight.tobytes() == results[0].dag.weight.tobytes()
    check(run(X, rng=8, **settings), Moments.from_data(X))


def test_inputs_are_left_alone() -> None:
    X = table(0, 100, 10)
    moments = Moments.from_data(X)
    cov = moments.cov.copy()
    W = near_cyclic(10, rng=0)
    order = np.random.default_rng(0).permutation(10)
    masks = knowledge_masks(10, required=[(0, 1)], forbidden=[(2, 3)], tiers=[[4], [5]])
    inputs = [W, order, masks.allowed, masks.required, masks.before]
    copies = [None if array is None else np.array(array) for array in inputs]
    for start in (W, order):
        learn(moments, masks=masks, start=start, rng=0, n_restarts=2)
    for array, copy in zip(inputs, copies, strict=True):
        np.testing.assert_array_equal(array, copy)
    np.testing.assert_array_equal(moments.cov, cov)


# What is known.


def knowledge(seed: int, d: int) -> Masks:
    """Random required and forbidden edges and tiers that do not contradict each other."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(d).tolist()
    pairs = [(labels[a], labels[b]) for a in range(d) for b in range(a + 1, d)]
    chosen = [pairs[c] for c in rng.permutation(len(pairs))[: 3 * d // 2]]
    third = d // 3
    return knowledge_masks(
        d,
        required=chosen[: d // 2],
        forbidden=[(j, i) if rng.random() < 0.5 else (i, j) for i, j in chosen[d // 2 :]],
        tiers=[labels[:third], labels[third : 2 * third]],
    )


@NOISES
@pytest.mark.parametrize("start", [None, "order", "continuous", "backward", "matrix"])
@pytest.mark.parametrize("time_limit", [None, 0.0])
@pytest.mark.parametrize(("n", "d"), [(200, 9), (12, 24)])
def test_what_is_known_is_kept(
    noise: str, start: str | None, time_limit: float | None, n: int, d: int
) -> None:
    X = table(d, n, d)
    for seed in range(3):
        masks = knowledge(seed, d)
        assert masks.before is not None
        begin: Any = start
        if start == "backward":  # everybody after those whom they must precede
            begin = np.argsort(-masks.before.sum(axis=1))[::-1]
        elif start == "matrix":  # all that is forbidden, and the reverse of all that is required
            begin = masks.before.T.astype(float)
        learned = run(X, noise=noise, masks=masks, start=begin, time_limit=time_limit)
        check(learned, Moments.from_data(X), masks)
        assert learned.status is (Status.CONVERGED if time_limit is None else Status.TIME_LIMIT)


@NOISES
def test_required_edges_that_do_not_pay_and_forbidden_ones_that_do(noise: str) -> None:
    X = table(0, 1000, 6, n_edges=8, spread=1.0)
    free = support(run(X, noise=noise))
    masks = knowledge_masks(6, forbidden=[(int(i), int(j)) for i, j in np.argwhere(free)][:3])
    check(run(X, noise=noise, masks=masks), Moments.from_data(X), masks)
    i, j = np.argwhere(~(free | free.T) & ~np.eye(6, dtype=bool))[0]
    masks = knowledge_masks(6, required=[(int(i), int(j))])
    check(run(X, noise=noise, masks=masks), Moments.from_data(X), masks)


@NOISES
def test_knowledge_that_says_everything(noise: str) -> None:
    """All edges required, none allowed, and a total order."""
    X = table(1, 300, 6)
    moments = Moments.from_data(X)
    forward = np.triu(np.ones((6, 6), dtype=bool), 1)
    everything = Masks(required=forward)
    learned = run(X, noise=noise, masks=everything)
    np.testing.assert_array_equal(support(learned), forward)
    assert learned.dag.order.tolist() == list(range(6))
    check(learned, moments, everything)
    nothing = Masks(allowed=np.zeros((6, 6), dtype=bool))
    assert not len(run(X, noise=noise, masks=nothing).dag.source)
    tiers = knowledge_masks(6, tiers=[[5], [4], [3], [2], [1], [0]])
    learned = run(X, noise=noise, masks=tiers)
    assert learned.dag.order.tolist() == [5, 4, 3, 2, 1, 0]
    check(learned, moments, tiers)


@NOISES
@pytest.mark.parametrize("n", [100, 3])
def test_required_edges_between_columns_that_determine_each_other(noise: str, n: int) -> None:
    x = table(0, n, 4)
    for X, required in (
        (np.column_stack([x, x[:, 0]]), [(0, 3), (4, 3)]),  # a column and its copy
        (np.column_stack([x, x[:, 0]]), [(0, 4), (1, 4)]),  # a cause that leaves nothing
        (np.column_stack([x, x[:, 0] + x[:, 1]]), [(0, 3), (1, 3), (4, 3)]),
        (np.column_stack([x, -2.0 * x[:, 3]]), [(0, 1), (3, 2), (4, 2), (0, 2)]),
    ):
        masks = knowledge_masks(5, required=required)
        check(run(X, noise=noise, masks=masks), Moments.from_data(X), masks)


def test_more_required_parents_than_rows_would_allow() -> None:
    X = table(0, 8, 12)
    masks = knowledge_masks(12, required=[(i, 11) for i in range(11)])
    for noise in ("equal", "unequal"):
        check(run(X, noise=noise, masks=masks), Moments.from_data(X), masks)


# Singular covariances, strange scales.


def singular_tables() -> dict[str, Array]:
    x = table(0, 60, 5)
    noise = np.random.default_rng(1).normal(size=60)
    return {
        "copy": np.column_stack([x, x[:, 0]]),
        "copies of all": np.column_stack([x, x, -3.0 * x]),
        "sum": np.column_stack([x, x[:, 0] + x[:, 1]]),
        "sums of sums": np.column_stack([x, x[:, :3] @ [1, 2, 3], x[:, 1:4] @ [1, 1, -1]]),
        "nearly a copy": np.column_stack([x, x[:, 0] + 1e-6 * noise]),
        "more nearly": np.column_stack([x, x[:, 0] + 2e-7 * noise, x[:, 0] - 1e-7 * noise]),
        "nearly constant": np.column_stack([x, 5.0 + 1e-12 * noise]),
        "all the same": np.column_stack([noise, noise, noise]),
        "two values": (x > 0).astype(float),
        "two rows": table(2, 2, 9),
        "three rows": table(2, 3, 9),
        "rows = columns": table(2, 9, 9),
        "few rows": table(2, 12, 40),
        "few rows and copies": np.column_stack([table(2, 8, 20)] * 2),
    }


@pytest.mark.parametrize("noise", ["equal", "unequal", "auto"])
@pytest.mark.parametrize("case", singular_tables())
def test_singular_covariance(noise: str, case: str) -> None:
    X = singular_tables()[case]
    moments = Moments.from_data(X)
    for start in ("order", "continuous"):
        learned = run(X, noise=noise, start=start)
        check(learned, moments)
        assert learned.status is Status.CONVERGED
    if case not in ("nearly constant", "two values"):
        assert "determine" in learned.message or "rows for" in learned.message


@pytest.mark.parametrize("noise", ["equal", "unequal", "auto"])
@pytest.mark.parametrize("case", ["plain", "copy", "few rows"])
def test_huge_and_tiny_scales(noise: str, case: str) -> None:
    X = {"plain": table(1, 200, 8), "copy": singular_tables()["copy"], "few rows": table(1, 6, 12)}
    for seed in range(3):
        scale = 10.0 ** np.random.default_rng(seed).uniform(-8, 8, X[case].shape[1])
        Y = X[case] * scale
        for start in ("order", "continuous"):
            check(run(Y, noise=noise, start=start), Moments.from_data(Y))


def test_the_message_names_the_columns() -> None:
    x = table(0, 60, 4)
    moments = Moments.from_data(np.column_stack([x, x[:, 1]]), names=["a", "b", "c", "d", "e"])
    message = learn(moments, noise="equal", settings=SEARCH).message
    assert message.startswith("Finished: no move of a single node")
    assert "e is a copy of b" in message


def test_independent_columns_give_the_empty_graph() -> None:
    X = np.random.default_rng(0).normal(size=(500, 20))
    for noise in ("equal", "unequal", "auto"):
        assert not len(run(X, noise=noise).dag.source)


# Starts.


@NOISES
def test_near_cyclic_start_of_experiment_4(noise: str) -> None:
    """A ring whose spectral radius is just below one; the AHOC family fails from there."""
    for d in (3, 10):
        X = table(7, 1000, d, n_edges=d, spread=1.0)
        moments = Moments.from_data(X)
        best = learn(moments, noise=noise, rng=0).certificate.score
        for seed in range(3):
            W = near_cyclic(d, rng=seed)
            assert not is_dag(W)
            learned = learn(moments, noise=noise, start=W, rng=0)
            assert learned.status is Status.CONVERGED
            assert learned.certificate.score == pytest.approx(best, abs=1e-8)
            check(learned, moments)


@NOISES
def test_any_start_gives_a_graph(noise: str) -> None:
    X = table(1, 500, 10, spread=1.0)
    moments = Moments.from_data(X)
    scores = []
    for start in ("order", "continuous", np.arange(10), np.arange(10)[::-1], np.eye(10)):
        learned = run(X, noise=noise, start=start, n_restarts=40, settings=SEARCH)
        check(learned, moments)
        scores.append(learned.certificate.score)
        assert bool(len(learned.trace.mu)) == (isinstance(start, str) and start == "continuous")
    assert np.ptp(scores) < 1e-8


# Limits and interruptions.


@pytest.mark.parametrize("noise", ["equal", "unequal", "auto"])
@pytest.mark.parametrize("limit", [0, 1e-9, 1e-3, 0.01])
def test_time_limit(noise: str, limit: float) -> None:
    X = table(0, 100, 25)
    learned = run(X, noise=noise, time_limit=limit, n_restarts=10**6)
    assert learned.status is Status.TIME_LIMIT
    assert learned.message.startswith("The time limit was reached; this is the best DAG so far.")
    check(learned, Moments.from_data(X))


def test_a_long_time_limit_changes_nothing() -> None:
    X = table(0, 100, 10)
    free, limited = run(X), run(X, time_limit=1e6)
    assert limited.status is Status.CONVERGED
    assert free.dag.weight.tobytes() == limited.dag.weight.tobytes()


@pytest.mark.parametrize("d", [10, 25])
@pytest.mark.parametrize("noise", ["equal", "unequal", "auto"])
def test_interrupted(noise: str, d: int) -> None:
    """The first interruption ends it all: no other σ² and no other noise model is begun."""
    X = table(0, 100, d)
    calls = []

    def progress(model: str, done: int, score: float) -> None:
        calls.append((model, done))
        if done >= 8:
            raise KeyboardInterrupt

    learned = run(X, noise=noise, n_restarts=1000, progress=progress, settings=SEARCH)
    assert learned.status is Status.INTERRUPTED
    assert learned.message.startswith("Interrupted; this is the best DAG so far.")
    assert calls[-1][1] == 8
    assert len(calls) == 2
    assert set(learned.scores) == {calls[0][0]}
    check(learned, Moments.from_data(X))


def test_interrupted_in_the_second_noise_model() -> None:
    X = table(0, 100, 25, spread=1.4)  # not so equal that the other model is out of the question

    def progress(model: str, done: int, score: float) -> None:
        if model == "unequal":
            raise KeyboardInterrupt

    learned = run(X, noise="auto", progress=progress)
    assert learned.noise == "equal"  # the better one, and it was finished
    assert set(learned.scores) == {"equal", "unequal"}
    assert learned.status is Status.INTERRUPTED
    check(learned, Moments.from_data(X))


# The rest of what is said about a result.


def test_scores_of_both_models_compare() -> None:
    """The likelihoods with the price of the variances: d for unequal, one for equal."""
    X = table(3, 200, 8, spread=1.4)
    moments = Moments.from_data(X)
    auto = run(X, noise="auto", n_restarts=None)
    for model, count in (("equal", 1), ("unequal", 8)):
        alone = run(X, noise=model, n_restarts=None)
        expected = alone.certificate.score + count * np.log(200) / 200
        assert auto.scores[model] == pytest.approx(expected, abs=1e-9)
        assert set(alone.scores) == {model}
    assert auto.noise == min(auto.scores, key=auto.scores.__getitem__)
    check(auto, moments)


def test_residuals_that_agree_settle_the_noise_model() -> None:
    """In a dense graph a sparser one of the other model has the better BIC, and is wrong."""
    rng = np.random.default_rng(0)
    W = erdos_renyi(20, 160, rng=rng)
    X = linear_sem(W, 1000, rng=rng)
    tried = set()
    auto = learn(Moments.from_data(X), rng=0, progress=lambda model, *_: tried.add(model))
    unequal = learn(Moments.from_data(X), noise="unequal", rng=0)
    assert unequal.scores["unequal"] < auto.scores["equal"]
    assert tried <= {"equal"}
    assert auto.noise == "equal"
    np.testing.assert_array_equal(support(auto), W != 0)
    assert set(auto.scores) == {"equal"}


def test_residuals_that_do_not_agree_have_both_models_compared() -> None:
    X = table(0, 1000, 20, spread=2.0)
    auto = learn(Moments.from_data(X), rng=0)
    unequal = learn(Moments.from_data(X), noise="unequal", rng=0)
    assert auto.noise == "unequal"
    assert auto.scores["unequal"] == unequal.scores["unequal"]
    assert auto.scores["equal"] > auto.scores["unequal"]


def test_standardised_columns_have_no_common_noise_variance() -> None:
    """With weak effects the BIC would take one variance for all, as it is cheaper."""
    distances = {"auto": 0, "equal": 0}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        W = erdos_renyi(30, 30, weights=(0.1, 0.5), rng=rng)
        X = linear_sem(W, 500, noise_variances=rng.uniform(0.5, 2.0, 30), rng=rng)
        moments = Moments.from_data(X / X.std(axis=0))
        fits = {noise: learn(moments, noise=noise, rng=0) for noise in distances}
        assert fits["auto"].noise == "unequal"
        assert set(fits["auto"].scores) == {"unequal"}
        assert fits["equal"].scores["equal"] < fits["auto"].scores["unequal"]
        for noise, fit in fits.items():
            distances[noise] += compare_classes(support(fit), W).shd
    assert distances["auto"] < distances["equal"]


@NOISES
def test_weights_are_unbiased_least_squares(noise: str) -> None:
    X = table(3, 300, 8)
    learned = run(X, noise=noise)
    W = learned.to_sparse().toarray()
    assert learned.to_sparse().nnz == learned.dag.n_edges
    Y = X - X.mean(axis=0)
    for j in range(8):
        P = np.flatnonzero(W[:, j])
        np.testing.assert_allclose(W[P, j], np.linalg.lstsq(Y[:, P], Y[:, j])[0], rtol=1e-8)
    variances = np.mean((Y - Y @ W) ** 2, axis=0)
    expected = np.full(8, variances.mean()) if noise == "equal" else variances
    np.testing.assert_allclose(learned.noise_variances, expected, rtol=1e-8)


@NOISES
def test_a_dearer_edge_gives_fewer(noise: str) -> None:
    X = table(3, 100, 12)
    counts = [len(run(X, noise=noise, ebic_gamma=gamma).dag.source) for gamma in (0, 0.5, 2, 50)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]
    assert run(X, noise=noise, ebic_gamma=0.5).ebic_gamma == 0.5


def test_restarts_by_default() -> None:
    counts = [SETTINGS.default_restarts(100, d) for d in (2, 10, 20, 21, 100, 10**5)]
    assert counts[0] == counts[1] == counts[-1] == 0
    assert min(counts[2:5]) >= 10
    assert SETTINGS.default_restarts(60, 20) > SETTINGS.default_restarts(100, 20)  # few rows
    moments = Moments.from_data(table(0, 100, 20))
    assert learn(moments, noise="unequal", rng=0).decisions.n_restarts == counts[2]
    assert learn(moments, noise="equal", rng=0).trace.n_restarts == 0


def test_with_few_variables_all_graphs_are_compared() -> None:
    moments = Moments.from_data(table(0, 100, 6))
    best = learn(moments, noise="unequal", rng=0)
    assert best.certificate.optimal
    assert best.certificate.locally_optimal
    assert (best.trace.n_restarts, best.message) == (
        0,
        "Finished: no other DAG has a better score.",
    )
    assert learn(moments, noise="unequal", n_restarts=5, rng=0).certificate.optimal
    searched = learn(moments, noise="unequal", n_restarts=5, rng=0, settings=SEARCH)
    assert not searched.certificate.optimal
    assert searched.trace.n_restarts == 5
    assert best.certificate.score <= searched.certificate.score + 1e-9
    late = learn(moments, noise="unequal", time_limit=0.0, rng=0)
    assert not late.certificate.optimal
    assert late.status is Status.TIME_LIMIT
    many = learn(Moments.from_data(table(0, 100, SETTINGS.max_exact + 1)), rng=0)
    assert not many.certificate.optimal


def test_progress_reports_both_models() -> None:
    calls: list[tuple[str, int, float]] = []
    run(table(0, 100, 8), noise="auto", progress=lambda *news: calls.append(news))
    assert {model for model, _, _ in calls} == {"equal", "unequal"}
    assert all(np.isfinite(score) for _, _, score in calls)


def test_masks_must_fit() -> None:
    moments = Moments.from_data(table(0, 50, 5))
    with pytest.raises(InvalidParameterError, match=r"shape \(5, 5\)"):
        learn(moments, masks=knowledge_masks(4, forbidden=[(0, 1)]))
    with pytest.raises(InvalidParameterError, match="n_jobs"):
        learn(moments, n_jobs=0)


def test_the_certificate_is_that_of_the_graph() -> None:
    learned = run(table(0, 100, 8), noise="equal")
    certificate = learned.certificate
    assert certificate.dag is learned.dag
    assert certificate.order is learned.dag.order
    assert certificate.noise == learned.noise == "equal"
    assert certificate.is_dag


# Which edges are called oriented.


def prepared(preparation: str, seed: int, weights: tuple[float, float]) -> tuple[Array, BoolArray]:
    """A table of equal noise variances on a scale of its own or another one, and its graph."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(20, 20, weights=weights, rng=rng)
    X = linear_sem(W, 250, rng=rng)
    if preparation == "min-max":
        X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    elif preparation != "raw":
        X = X / X.std(axis=0)
        X = X[:200] if preparation == "split" else X.round(1)
    return X, W != 0.0


@pytest.mark.parametrize("preparation", ["split", "rounded", "min-max"])
def test_a_scale_that_was_made_orients_nothing(preparation: str) -> None:
    """Equal variances are cheaper, and would orient every edge, four of ten the wrong way."""
    oriented = backwards = total = 0
    for seed in range(6):
        X, truth = prepared(preparation, seed, (0.1, 0.5))
        learned = learn(Moments.from_data(X), rng=0)
        total += learned.dag.n_edges
        oriented += int(learned.dag.oriented.sum())
        backwards += int(
            (truth[learned.dag.target, learned.dag.source] & learned.dag.oriented).sum()
        )
    assert total > 60
    assert oriented < 0.2 * total
    assert backwards <= 1


def test_the_scale_of_strong_effects_orients_all_of_them() -> None:
    for seed in range(6):
        X, truth = prepared("raw", seed, (0.7, 1.0))
        learned = learn(Moments.from_data(X), rng=0)
        assert learned.noise == "equal"
        assert learned.dag.oriented.mean() > 0.9
        assert not truth[learned.dag.target, learned.dag.source].any()


def test_columns_and_rows_in_another_order_and_a_common_scale_orient_the_same_edges() -> None:
    rng = np.random.default_rng(5)
    for preparation in ("raw", "split"):
        X, _ = prepared(preparation, 3, (0.3, 0.8))
        columns, rows = rng.permutation(20), rng.permutation(len(X))
        plain = learn(Moments.from_data(X), rng=0)
        other = learn(Moments.from_data(7.0 * X[rows][:, columns]), rng=0)
        expected = set(
            zip(
                plain.dag.source[plain.dag.oriented],
                plain.dag.target[plain.dag.oriented],
                strict=True,
            )
        )
        source, target = columns[other.dag.source], columns[other.dag.target]
        oriented = set(zip(source[other.dag.oriented], target[other.dag.oriented], strict=True))
        assert oriented == expected


def test_without_a_margin_the_model_speaks_alone() -> None:
    X, _ = prepared("raw", 1, (0.1, 0.5))
    moments = Moments.from_data(X)
    assert learn(moments, noise="equal", rng=0, by_margin=False).dag.oriented.all()
    assert not learn(moments, noise="equal", rng=0).dag.oriented.all()


def test_what_is_known_needs_no_margin() -> None:
    X, truth = prepared("raw", 1, (0.1, 0.5))
    tiers = [[v] for v in topological_order(truth)]
    learned = learn(
        Moments.from_data(X), noise="equal", masks=knowledge_masks(20, tiers=tiers), rng=0
    )
    assert learned.dag.n_edges
    assert learned.dag.oriented.all()


@pytest.mark.parametrize("how", ["split", "rounded", "scaled to a range"])
def test_a_scale_that_was_made_is_not_taken_for_equal_variances(how: str) -> None:
    """With weak effects residuals are nearly alike, and one variance for all has the better BIC."""
    taken, preferred = 0, 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        W = erdos_renyi(20, 20, weights=(0.1, 0.5), rng=rng)
        X = linear_sem(W, 250, noise_variances=rng.uniform(0.5, 2.0, 20), rng=rng)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        if how == "split":
            X = X[rng.permutation(250)[:200]]
        elif how == "rounded":
            X = X.round(1)
        else:
            X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
        learned = learn(Moments.from_data(X), rng=0)
        taken += learned.noise == "equal"
        preferred += learned.scores.get("equal", np.inf) < learned.scores.get("unequal", np.inf)
    assert preferred > 0
    assert taken <= 1
