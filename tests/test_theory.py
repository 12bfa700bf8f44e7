"""The propositions of docs/theory.md on random examples, under its section numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

from daglock.blocks import Blocks
from daglock.constraints import AHOC, SAHOC, Smoothed
from daglock.constraints.base import Composition
from daglock.constraints.core import Constant, HybridCore
from daglock.constraints.spectral import LogDeterminant, TraceExponential
from daglock.counts import Counts
from daglock.criteria import Mixed, Multinomial, default_gamma, edge_cost, graph_score
from daglock.engine import learn
from daglock.losses import Gaussian, LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1, MCP
from daglock.problem import Problem
from daglock.regret import regret
from daglock.search.parents import CANDIDATE, OUT, make_work, select
from daglock.search.regression import residual_variances
from daglock.search.spec import Spec, conditional_variances, make_spec
from daglock.simulate import erdos_renyi, linear_sem, population_covariance
from daglock.solution import Status
from daglock.solvers import SPG, solve
from daglock.solvers.prox_linear_path import prox_linear_path
from daglock.table import Table
from daglock.table.kinds import CONTINUOUS, ColumnKind, Kind
from daglock.typing import Array, BoolArray, Constraint, Penalty

SEEDS = range(8)


@dataclass(frozen=True)
class Hybrid(Composition):
    """An un-normalised hybrid constraint: the log-determinant, or the trace exponential."""

    alpha: float = 0.5
    s: float = 1.0
    exponential: bool = False

    def __post_init__(self) -> None:
        self.compose(
            entrywise=HybridCore(self.alpha),
            scaling=Constant(self.s),
            spectral=TraceExponential() if self.exponential else LogDeterminant(),
        )


LOG_DET, EXP = Hybrid(s=0.8), Hybrid(exponential=True)


def dag(seed: int, d: int = 8, n_edges: int = 14) -> Array:
    return np.asarray(erdos_renyi(d, n_edges, weights=(0.5, 1.5), rng=seed))


def variances(seed: int, d: int = 8) -> Array:
    return np.random.default_rng(seed).uniform(0.5, 2.0, size=d)


def total_effects(W: Array) -> Array:
    """T_ij: sum over the directed paths i ⇝ j of the products of their weights."""
    return np.asarray(np.linalg.inv(np.eye(len(W)) - W))


def reaches(W: Array) -> BoolArray:
    """[i, j]: a directed path of at least one edge leads from i to j."""
    A = (W != 0).astype(np.float64)
    return np.asarray(sum(np.linalg.matrix_power(A, k) for k in range(1, len(W) + 1)) > 0)


def gradient(S: Array, W: Array) -> Array:
    return np.asarray(S @ (W - np.eye(len(W))))


def lonely_edge(W: Array) -> tuple[int, int]:
    """An edge i → j where every parent of j is a root (lemma 4)."""
    is_root = ~(W != 0).any(axis=0)
    for j in np.flatnonzero(~is_root):
        parents = np.flatnonzero(W[:, j])
        if is_root[parents].all():
            return int(parents[0]), int(j)
    raise AssertionError("the graph has no edge")


def least_squares_fit(S: Array, support: BoolArray) -> Array:
    W = np.zeros_like(S)
    for j in range(len(S)):
        P = np.flatnonzero(support[:, j])
        W[P, j] = np.linalg.solve(S[np.ix_(P, P)], S[P, j])
    return W


def step(
    S: Array, W: Array, h: Constraint, penalty: Penalty, mu: float, eta: float, alpha: float = 0.5
) -> Array:
    """One prox-linear step (section 5)."""
    c = mu * h.value_and_core_grad(W)[1]
    new = penalty.prox(W - eta * gradient(S, W), eta, (1.0 - alpha) * c, alpha * c)
    np.fill_diagonal(new, 0.0)
    return new


# Section 2


@pytest.mark.parametrize("seed", SEEDS)
def test_force_is_total_effect_times_noise_variance(seed: int) -> None:
    W, v = dag(seed), variances(seed)
    T, S = total_effects(W), population_covariance(W, v)
    moments = Moments.from_covariance(S, n=100)
    _, grad = LeastSquares(moments).value_and_grad(W)
    np.testing.assert_allclose(grad, -(T * v[:, None]).T, atol=1e-10)
    _, profile = Gaussian(moments).value_and_grad(W)
    np.testing.assert_allclose(profile, -T.T, atol=1e-10)
    i, j = lonely_edge(W)
    assert abs(grad[j, i]) == pytest.approx(abs(W[i, j]) * v[i])


def test_paths_can_cancel_the_force() -> None:
    W = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.0]])
    assert gradient(population_covariance(W), W)[2, 0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("exact", [SAHOC(0.5), AHOC(0.3, 0.1)])
def test_smoothed_step_keeps_a_zero_exactly_up_to_lam(exact: Composition, centered: bool) -> None:
    rng = np.random.default_rng(0)
    for seed in SEEDS:
        W = dag(seed)
        i, j = lonely_edge(W)
        S = Moments.from_data(linear_sem(W, 200, rng=seed)).cov
        start = np.where(W != 0, rng.normal(size=W.shape), 0.0)
        _, grad_h = Smoothed(exact, 1e-7, centered).value_and_grad(start)
        force = gradient(S, start) + 1e6 * grad_h
        assert force[j, i] == pytest.approx(-S[j, i], abs=1e-12)  # column i is zero: i is a root
        for eta in (1e-6, 1e-2, 1.0):
            for lam in (0.999 * abs(S[i, j]), 1.001 * abs(S[i, j])):
                moved = L1(lam).prox(start - eta * force, eta)[j, i]
                assert (moved == 0.0) == (abs(S[i, j]) <= lam)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_smoothed_stationary_entry_has_the_size_of_delta(q: float) -> None:
    delta, lam, w, alpha = 1e-6, 0.1, 0.8, 0.5
    smoothed = Smoothed(SAHOC(alpha), delta, centered=True)
    S = population_covariance(np.array([[0.0, w], [0.0, 0.0]]))
    C = SAHOC(alpha).value_and_core_grad(np.array([[0.0, w], [0.0, 0.0]]))[1][1, 0]
    mu = (w - lam) / (q * (1.0 - alpha) * C)

    def slope(x: float) -> float:
        W = np.array([[0.0, w], [x, 0.0]])
        return float(gradient(S, W)[1, 0] + lam + mu * smoothed.value_and_grad(W)[1][1, 0])

    root = float(brentq(slope, 1e-3 * delta, 1e3 * delta, xtol=1e-14))
    assert root == pytest.approx(delta * q / math.sqrt(1.0 - q * q), rel=1e-3)


@pytest.mark.parametrize("exact", [SAHOC(alpha=0.5), AHOC(alpha=0.2, epsilon=0.5), LOG_DET])
@pytest.mark.parametrize("t", [1.0, -0.3, 0.01])
def test_bias_of_smoothing_does_not_shrink(exact: Composition, t: float) -> None:
    W = dag(3)
    C = np.where(reaches(W).T, exact.value_and_core_grad(W)[1], 0.0)
    at = np.unravel_index(int(C.argmax()), C.shape)
    kink = exact.kink * C[at]
    for delta in (1e-3, 1e-5, 1e-7):
        near, away = W.copy(), W.copy()
        near[at], away[at] = t * delta, 0.2
        bias = [
            exact.value_and_grad(V)[1][at] - Smoothed(exact, delta).value_and_grad(V)[1][at]
            for V in (near, away)
        ]
        limit = np.sign(t) * kink * (1.0 - abs(t) / math.hypot(1.0, t))
        assert bias[0] == pytest.approx(limit, rel=200 * delta)
        assert abs(bias[1]) < 100 * delta * kink


@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_price_of_a_first_edge_is_negative(epsilon: float) -> None:
    d, delta, alpha = 5, 1e-3, 0.5
    _, C = Smoothed(AHOC(alpha, epsilon), delta).value_and_core_grad(np.zeros((d, d)))
    D = (1.0 - alpha) * delta * d + epsilon
    x = 1.0 - epsilon / D
    expected = (math.expm1(x) - x * math.exp(x)) / (d * D)
    np.testing.assert_allclose(C[~np.eye(d, dtype=np.bool_)], expected, rtol=1e-6)
    assert expected < 0.0


# Section 3


@pytest.mark.parametrize("seed", range(40))
def test_every_graph_has_an_edge_from_a_root_that_is_the_only_path(seed: int) -> None:
    n_edges = 1 + seed % 14
    W = dag(seed, n_edges=n_edges)
    i, j = lonely_edge(W)
    assert W[i, j] != 0.0
    assert not W[:, i].any()
    assert total_effects(np.abs(W))[i, j] == pytest.approx(abs(W[i, j]))  # no second path


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [None, 1000])
def test_curvature_beta_min_and_dual_feasibility_contradict_each_other(
    seed: int, n: int | None
) -> None:
    W, v = dag(seed), variances(seed)
    S = population_covariance(W, v)
    if n is not None:
        S = Moments.from_data(linear_sem(W, n, noise_variances=v, rng=seed)).cov
    # the largest κ of restricted strong convexity: smallest eigenvalue over the parent sets
    sets = [np.flatnonzero(column) for column in W.T if column.any()]
    kappa = min(float(np.linalg.eigvalsh(S[np.ix_(P, P)])[0]) for P in sets)
    i, j = lonely_edge(W)
    assert kappa <= S[i, i] * (1 + 1e-12)
    lam = kappa * np.abs(W[W != 0]).min() / 4.0  # the largest λ₁ that beta-min allows
    assert abs(S[i, j]) > lam  # dual feasibility asks for <
    if n is None:
        assert S[i, i] == pytest.approx(v[i])
        assert abs(S[i, j]) >= 4.0 * lam * (1 - 1e-12)


# Section 4


@pytest.mark.parametrize("standardised", [False, True])
def test_zero_is_stationary_from_the_largest_covariance_on(standardised: bool) -> None:
    moments = Moments.from_data(linear_sem(dag(0), 500, rng=0))
    moments = moments.standardised() if standardised else moments
    largest = float(np.abs(moments.cov - np.diag(np.diag(moments.cov))).max())
    for lam, stays in ((largest, True), (0.99 * largest, False)):
        problem = Problem(LeastSquares(moments), Smoothed(SAHOC(0.5), 1e-7), L1(lam))
        solution = solve(problem, SPG(max_outer=1, max_inner=1))
        assert (solution.status is Status.STAYED_AT_START) == stays
        assert (solution.n_nonzero == 0) == stays
    assert not standardised or largest <= 1.0


# Section 5


@pytest.mark.parametrize("h", [LOG_DET, EXP, SAHOC(0.5)], ids=["log-det", "exp", "S-AHOC"])
@pytest.mark.parametrize("seed", SEEDS)
def test_price_at_a_dag_is_positive_exactly_where_a_cycle_would_close(
    h: Composition, seed: int
) -> None:
    W = dag(seed)
    _, C = h.value_and_core_grad(W)
    M = 0.5 * W * W + 0.5 * np.abs(W)
    if isinstance(h, SAHOC):
        D = np.linalg.norm(M) + 1.0
        weight = expm(M / D) / D
    else:
        weight = np.linalg.inv(0.8 * np.eye(len(W)) - M) if h is LOG_DET else expm(M)
    np.testing.assert_allclose(C, weight.T, rtol=1e-9, atol=1e-12)
    off_diagonal = ~np.eye(len(W), dtype=np.bool_)
    np.testing.assert_array_equal((C > 0.0)[off_diagonal], reaches(W).T[off_diagonal])
    assert (C >= 0.0).all()
    assert not C[W != 0].any()


def test_normalisation_makes_prices_negative_only_on_edges_of_cyclic_graphs() -> None:
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = W[2, 3] = 1.0
    _, C = SAHOC(0.5).value_and_core_grad(W)
    assert C[2, 3] < 0.0
    assert (C[W == 0] >= 0.0).all()
    assert (Hybrid(s=2.0).value_and_core_grad(W)[1] >= 0.0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_log_det_along_an_entry_that_closes_a_cycle(seed: int) -> None:
    W = dag(seed, d=5, n_edges=6)
    _, C = LOG_DET.value_and_core_grad(W)
    for j, i in np.argwhere(C * (1.0 - np.eye(5)) > 0.0):
        for x in (1e-3, -1e-3):
            V = W.copy()
            V[j, i] = x
            m = 0.5 * x * x + 0.5 * abs(x)
            assert LOG_DET.value(V) == pytest.approx(-math.log1p(-m * C[j, i]), rel=1e-8)


@pytest.mark.parametrize("penalty", [L1(0.1), MCP(0.1, 3.0)], ids=["L1", "MCP"])
@pytest.mark.parametrize("h", [LOG_DET, EXP, SAHOC(0.5)], ids=["log-det", "exp", "S-AHOC"])
def test_locking_threshold(h: Composition, penalty: Penalty) -> None:
    for seed in range(3):
        W, v = dag(seed), variances(seed)
        S = population_covariance(W, v)
        force = np.abs(gradient(S, W))
        _, C = h.value_and_core_grad(W)
        closing = np.argwhere(reaches(W).T & (force > 0.1))
        assert len(closing)
        for j, i in closing:
            mu = (force[j, i] - 0.1) / (0.5 * C[j, i])
            for eta in (1e-4, 1.0):
                assert step(S, W, h, penalty, 1.001 * mu, eta)[j, i] == 0.0
                assert step(S, W, h, penalty, 0.999 * mu, eta)[j, i] != 0.0


def test_the_solver_has_this_threshold() -> None:
    w, lam, s = 0.8, 0.1, 0.8
    W = np.array([[0.0, w], [0.0, 0.0]])
    S = population_covariance(W)
    mu = s * s * (w - lam) / (0.5 * (0.5 * w * w + 0.5 * w))
    for factor, zero in ((1.01, True), (0.99, False)):
        path = prox_linear_path(
            S, profile=False, lam=lam, gamma=3.0, s=s, mus=[factor * mu], start=W, max_sweeps=1
        )
        assert (path.W[1, 0] == 0.0) == zero


@pytest.mark.parametrize("seed", SEEDS)
def test_one_mu_locks_every_graph(seed: int) -> None:
    # α = 0, s ≤ 1; and α = ½, s = 0.8 with all weights at least (s − 1 + α)/α = 0.6
    v = variances(seed, 10)
    strong = np.asarray(erdos_renyi(10, 20, weights=(0.6, 2.0), rng=seed))
    for alpha, W in ((0.0, dag(seed, 10, 20)), (0.5, strong)):
        force = np.abs(gradient(population_covariance(W, v), W)) * reaches(W).T
        _, C = Hybrid(alpha, 0.8).value_and_core_grad(W)
        mu = 0.8 * v.max() / (1.0 - alpha)
        assert (force <= (1.0 - alpha) * mu * C + 1e-9).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [None, 2000])
def test_truth_attracts_the_repaired_step_and_repels_the_smoothed_one(
    seed: int, n: int | None
) -> None:
    truth = np.asarray(erdos_renyi(8, 12, weights=(0.6, 1.5), rng=seed))
    S = population_covariance(truth)
    if n is not None:
        S = Moments.from_data(linear_sem(truth, n, rng=seed)).cov
    support = truth != 0
    W_hat = least_squares_fit(S, support)
    penalty, mu = MCP(0.15, 3.0), 5.0
    eta = 1.0 / float(np.linalg.eigvalsh(S)[-1])
    np.testing.assert_allclose(step(S, W_hat, LOG_DET, penalty, mu, eta), W_hat, atol=1e-12)
    rng = np.random.default_rng(seed)
    W = W_hat + 1e-4 * eta * rng.normal(size=W_hat.shape)
    np.fill_diagonal(W, 0.0)
    gaps = []
    for _ in range(30):
        W = step(S, W, LOG_DET, penalty, mu, eta)
        np.testing.assert_array_equal(W != 0, support)  # from the first step on
        gaps.append(float(np.linalg.norm(W - W_hat)))
    assert gaps[-1] < gaps[0]
    i, j = lonely_edge(truth)
    _, grad_h = Smoothed(SAHOC(0.5), 1e-7).value_and_grad(W_hat)
    left = penalty.prox(W_hat - eta * (gradient(S, W_hat) + mu * grad_h), eta)
    assert left[j, i] != 0.0


@pytest.mark.parametrize("seed", SEEDS)
def test_truth_is_a_local_minimum_of_the_penalised_objective(seed: int) -> None:
    truth = np.asarray(erdos_renyi(6, 8, weights=(0.6, 1.0), rng=seed))
    S = population_covariance(truth)
    penalty, mu = MCP(0.15, 3.0), 5.0
    rng = np.random.default_rng(seed)

    def objective(W: Array) -> float:
        residual = np.eye(6) - W
        fit = 0.5 * float(np.trace(residual.T @ S @ residual))
        return fit + penalty.value(W) + mu * LOG_DET.value(W)

    lowest = objective(truth)
    for _ in range(200):
        change = rng.normal(size=truth.shape) * (rng.random(truth.shape) < rng.random())
        np.fill_diagonal(change, 0.0)
        assert objective(truth + 1e-3 * change) >= lowest - 1e-12


# Section 6


def subset_score(spec: Spec, u: int, P: tuple[int, ...]) -> float:
    """f_u(P), by a solve."""
    p = list(P)
    drop = spec.S[u, p] @ np.linalg.solve(spec.S[np.ix_(p, p)], spec.S[p, u]) if p else 0.0
    rss = float(spec.S[u, u] - drop)
    fit = math.log(rss) if spec.logarithmic else rss
    return float(spec.weight[u]) * fit + spec.cost * len(p)


def best_subset(spec: Spec, u: int, candidates: list[int]) -> float:
    sets = chain.from_iterable(combinations(candidates, k) for k in range(len(candidates) + 1))
    return min(subset_score(spec, u, P) for P in sets)


@pytest.mark.parametrize("seed", SEEDS)
def test_gain_and_rise(seed: int) -> None:
    X = linear_sem(dag(seed), 50, rng=seed)
    S = Moments.from_data(X).cov
    spec = make_spec(S, 0.0, max_parents=7, logarithmic=False)
    u, P, i = 7, (0, 2, 4), 5
    Q = S[np.ix_(P, P)]
    r = S[i, u] - S[i, list(P)] @ np.linalg.solve(Q, S[list(P), u])
    D = S[i, i] - S[i, list(P)] @ np.linalg.solve(Q, S[list(P), i])
    assert subset_score(spec, u, P) - subset_score(spec, u, (*P, i)) == pytest.approx(r * r / D)
    b = np.linalg.solve(Q, S[list(P), u])
    rise = b[1] ** 2 / np.linalg.inv(Q)[1, 1]
    assert subset_score(spec, u, (0, 4)) - subset_score(spec, u, P) == pytest.approx(rise)


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_more_candidates_never_hurt_the_best_subset_and_least_is_a_bound(
    seed: int, logarithmic: bool
) -> None:
    S = Moments.from_data(linear_sem(dag(seed), 60, rng=seed)).cov
    spec = make_spec(S, 0.1, max_parents=7, logarithmic=logarithmic)
    some, every = [1, 3, 5], [1, 2, 3, 4, 5, 6, 7]
    few, many = best_subset(spec, 0, some), best_subset(spec, 0, every)
    assert many <= few + 1e-12
    assert spec.least[0] <= many + 1e-12
    assert conditional_variances(S)[0] == pytest.approx(
        subset_score(spec._replace(logarithmic=False, cost=0.0), 0, tuple(every))
    )


def test_more_candidates_can_hurt_grow_and_shrink() -> None:
    # u = a + b + e, v = a + b + noise of variance τ: growing takes the proxy v first, and then
    # neither a nor b pays alone.
    tau = 0.1
    a, b, e, f = np.eye(4)
    v = a + b + math.sqrt(tau) * e
    u = a + b + f
    B = np.array([a, b, v, u])
    spec = make_spec(B @ B.T, 0.05, max_parents=3, logarithmic=False)
    work = make_work(4, 3)
    scores = []
    for candidates in ([0, 1], [0, 1, 2]):
        work.role[:] = OUT
        work.role[candidates] = CANDIDATE
        scores.append(float(select(spec, work, 3)[0]))
    assert scores[0] == pytest.approx(1.1)  # σ² + 2k
    assert scores[1] == pytest.approx(1.0 + 2 * tau / (2 + tau) + 0.05)
    assert scores[1] > scores[0]
    assert best_subset(spec, 3, [0, 1, 2]) == pytest.approx(scores[0])


def test_turns_majorise() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        rss, other = rng.uniform(0.1, 3.0, size=(2, 6))

        def upper(values: Array, sigma2: float) -> float:
            return float(values.sum() / sigma2 + 6 * math.log(sigma2) - 6)

        score, there = (graph_score(values, 0, 0.0, "equal") for values in (rss, other))
        assert upper(rss, rss.mean()) == pytest.approx(score)
        assert upper(other, rss.mean()) >= there - 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_conditional_variances_tell_who_is_next(seed: int) -> None:
    W = dag(seed)
    S = population_covariance(W, 1.7)
    placed: list[int] = []
    while len(placed) < len(W):
        left = [j for j in range(len(W)) if j not in placed]
        given = {
            j: S[j, j] - S[j, placed] @ np.linalg.solve(S[np.ix_(placed, placed)], S[placed, j])
            for j in left
        }
        ready = [j for j in left if not W[left, j].any()]
        for j in left:
            if j in ready:
                assert given[j] == pytest.approx(1.7)
            else:
                assert given[j] >= 1.7 * (1 + np.abs(W[W != 0]).min() ** 2) - 1e-9
        placed.append(ready[-1])


def test_equivalent_graphs_have_one_unequal_score_but_two_equal_ones() -> None:
    # 0 → 1 → 2 and 0 ← 1 → 2: the reversed edge is covered
    W = np.array([[0.0, 0.8, 0.0], [0.0, 0.0, 1.2], [0.0, 0.0, 0.0]])
    S = population_covariance(W)
    none, zero, one = (np.array(P, dtype=np.intp) for P in ([], [0], [1]))
    first, second = (residual_variances(S, P) for P in ([none, zero, one], [one, none, one]))
    assert graph_score(first, 2, 0.1, "unequal") == pytest.approx(
        graph_score(second, 2, 0.1, "unequal")
    )
    assert graph_score(first, 2, 0.1, "equal") < graph_score(second, 2, 0.1, "equal") - 0.1


def tables_of_categories(seed: int) -> tuple[Multinomial, Mixed]:
    """Counts of four dependent categories, and blocks of three of them and a number."""
    rng = np.random.default_rng(seed)
    X = linear_sem(dag(seed, 4, 5), 300, rng=rng)
    codes = np.column_stack([np.digitize(X[:, j], [-0.8, 0.1, 1.0][: 1 + j]) for j in range(3)])
    kinds = tuple(ColumnKind(Kind.CATEGORICAL, tuple("abcd"[: 2 + j])) for j in range(3))
    mixed = Table(np.column_stack([codes, X[:, 3]]), kinds=(*kinds, CONTINUOUS))
    counted = np.column_stack([codes, X[:, 3] > 0.0])
    return Multinomial(Counts.from_codes(counted)), Mixed(Blocks.from_table(mixed))


@pytest.mark.parametrize("seed", SEEDS)
def test_turning_a_covered_edge_keeps_the_score_of_sets(seed: int) -> None:
    for criterion in tables_of_categories(seed):
        rng = np.random.default_rng(seed)
        order = rng.permutation(4)
        for m in range(3):  # i → j have the same m parents beside the edge
            i, j, P = order[m], order[m + 1], order[:m]
            parents = [np.empty(0, dtype=np.intp)] * 4
            for k in range(4):
                parents[order[k]] = np.sort(order[:k])
            turned = list(parents)
            turned[i], turned[j] = np.sort(np.append(P, j)), np.sort(P)
            first, second = (np.log(criterion.residuals(G)).sum() for G in (parents, turned))
            assert first == pytest.approx(second, abs=1e-10)
            less = list(parents)
            less[j] = np.sort(P)
            assert np.log(criterion.residuals(less)).sum() != pytest.approx(first, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_which_level_has_no_column_does_not_matter(seed: int) -> None:
    """Another one of the levels comes first; one column alone is a residual variance."""
    rng = np.random.default_rng(seed)
    X = linear_sem(dag(seed, 4, 5), 300, rng=rng)
    codes = np.digitize(X[:, 0], [-0.8, 0.1, 1.0])
    kinds = (ColumnKind(Kind.CATEGORICAL, tuple("abcd")), *[CONTINUOUS] * 3)
    parents = [np.array(P, dtype=np.intp) for P in ([1, 2], [], [1, 3], [1])]
    fits = []
    for shift in range(4):
        table = np.column_stack([(codes + shift) % 4, X[:, 1:]])
        criterion = Mixed(Blocks.from_table(Table(table, kinds=kinds)))
        fits.append(criterion.fits(parents))
    np.testing.assert_allclose(fits, np.tile(fits[0], (4, 1)), atol=1e-9)
    assert (fits[0] <= 3e-8).all()  # three columns of a variance that is 1e-8 above one
    numbers = Mixed(Blocks.from_table(Table(X)))
    R = Moments.from_data(X).standardised().cov + 1e-8 * np.eye(4)
    np.testing.assert_allclose(
        numbers.residuals(parents), residual_variances(R, parents), rtol=1e-9
    )


@pytest.mark.parametrize(("own", "cells"), [(2, 2), (3, 4), (4, 9)])
def test_price_of_counts_is_that_of_the_bic_and_bounded(own: int, cells: int) -> None:
    def price(n: float, cells: float) -> float:
        return 2.0 * (regret(n, own * cells) - regret(n, cells) - regret(n, own))

    far, farther = (price(n, cells) for n in (1e6, 1e8))
    assert (farther - far) / np.log(100.0) == pytest.approx((own - 1) * (cells - 1), rel=0.01)
    for n in (50.0, 1000.0):
        assert all(price(n, 4.0**k) <= 2.0 * n * np.log(own) for k in range(1, 12))
    assert (own - 1) * (4.0**11 - 1) * np.log(1000.0) > 2.0 * 1000.0 * np.log(own)  # the BIC's


@pytest.mark.parametrize("seed", SEEDS)
def test_weight_between_numbers_is_the_partial_correlation(seed: int) -> None:
    X = linear_sem(dag(seed, 4, 5), 200, rng=seed)
    blocks = Blocks.from_table(Table(X))
    parents = [np.array(P, dtype=np.intp) for P in ([], [0], [0, 1], [0, 1, 2])]
    found = super(Mixed, Mixed(blocks)).edge_weights(parents)[3]
    K = np.linalg.inv(Moments.from_data(X).cov)
    partial = np.abs(K[:3, 3]) / np.sqrt(np.diagonal(K)[:3] * K[3, 3])
    np.testing.assert_allclose(found, partial, atol=1e-6)


# Section 7


def test_number_of_false_edges_under_the_null() -> None:
    n, d, expected = 500, 30, 3.0
    price = n * edge_cost(n, d, default_gamma(n, d, false_edges=expected))
    rng = np.random.default_rng(0)
    above = []
    for _ in range(200):
        correlation = Moments.from_data(rng.normal(size=(n, d))).standardised().cov
        R = correlation[np.triu_indices(d, 1)]
        above.append(np.count_nonzero(-n * np.log1p(-R * R) > price))
    assert np.mean(above) == pytest.approx(expected, abs=0.5)  # standard error 0.12


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_edges_that_the_engine_finds_under_the_null(noise: str) -> None:
    n, d, expected = 500, 30, 3.0
    gamma = default_gamma(n, d, false_edges=expected)
    found = [
        learn(
            Moments.from_data(np.random.default_rng(seed).normal(size=(n, d))),
            noise=noise,
            ebic_gamma=gamma,
            start="order",
            n_restarts=0,
            rng=0,
        ).dag.n_edges
        for seed in range(25)
    ]
    assert 0.5 * expected < np.mean(found) < 2.0 * expected


def test_number_of_false_edges_among_independent_categories() -> None:
    n, expected, rng = 300, 1.0, np.random.default_rng(0)
    sizes = [2, 2, 2, 2, 3, 4] * 4
    above = []
    for _ in range(150):
        counts = Counts.from_codes(np.column_stack([rng.integers(r, size=n) for r in sizes]))
        d, extras = counts.d, counts.extras
        gamma = default_gamma(n, d, expected, counts.freedoms, extras)
        assert gamma > 0.0
        gains = -np.log1p(-(counts.likeness[np.triu_indices(d, 1)] ** 2))
        above.append(np.count_nonzero(gains > edge_cost(n, d, gamma) + extras))
    assert np.mean(above) == pytest.approx(expected, abs=0.35)  # standard error 0.08
