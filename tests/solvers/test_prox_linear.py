from __future__ import annotations

import math
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daglock.constraints import AHOC, SAHOC, Exp, LogDet, Smoothed
from daglock.errors import InvalidParameterError
from daglock.graph import is_dag, order_of_cyclic
from daglock.losses import Gaussian, LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1, MCP
from daglock.problem import Problem
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solution import Status
from daglock.solvers import prox_linear_kernels as kernels
from daglock.solvers.prox_linear import MUS, ProxLinear, _begin, _OuterDescent, prox_linear_path
from daglock.solvers.prox_linear_kernels import Columns, Rule, Work
from daglock.typing import Array, BoolArray, Constraint, IntArray


def hybrid_log_det(alpha: float = 0.5, s: float = 1.0) -> LogDet:
    return LogDet(s, alpha)


def rule(**changes: Any) -> Rule:
    standard: dict[str, Any] = {
        "profile": False,
        "lam": 0.1,
        "gamma": 3.0,
        "alpha": 0.5,
        "s": 1.0,
        "max_path": 8,
        "max_passes": 10,
        "tolerance": 1e-3,
        "noise": 0.0,
        "floor": 1e-6,
    }
    return Rule(**{**standard, **changes})


def equal_variances(d: int, n_edges: int, seed: int, n: int = 1000) -> tuple[Array, Moments]:
    W = erdos_renyi(n_nodes=d, n_edges=n_edges, weights=(0.5, 1.0), rng=seed)
    return W, Moments.from_data(linear_sem(W, n_samples=n, rng=seed + 1))


def standardised(d: int, n_edges: int, seed: int, n: int = 1000) -> tuple[Array, Moments]:
    """Unequal variances, all columns scaled to variance one."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(n_nodes=d, n_edges=n_edges, weights=(0.5, 1.0), rng=rng)
    Z = rng.normal(size=(n, d)) * np.sqrt(rng.uniform(0.5, 2.0, size=d))
    X = Z @ np.linalg.inv(np.eye(d) - W)
    return W, Moments.from_data(X / X.std(axis=0))


def random_columns(
    seed: int, d: int = 7, density: float = 0.4, acyclic: bool = False, **changes: Any
) -> tuple[Columns, Rule, Work, Array]:
    rng = np.random.default_rng(seed)
    W = rng.uniform(-0.6, 0.6, size=(d, d)) * (rng.random((d, d)) < density)
    np.fill_diagonal(W, 0.0)
    if acyclic:
        p = rng.permutation(d)
        W = np.triu(W)[np.ix_(p, p)]
    A = rng.normal(size=(3 * d, d))
    the_rule = rule(**changes)
    columns, work = _begin(A.T @ A / len(A), the_rule, W, None)
    return columns, the_rule, work, W


def backward(W: Array, order: IntArray) -> int:
    """Edges of W that point against the order."""
    position = np.argsort(order)
    sources, targets = np.nonzero(W)
    return int((position[sources] > position[targets]).sum())


# ---- kernels against their NumPy twins ----


@settings(max_examples=300, deadline=None)
@given(
    rho=st.floats(-5, 5),
    curvature=st.floats(0.01, 4),
    extra=st.floats(0, 2),
    weight=st.floats(0.01, 3),
    lam=st.floats(0, 1),
    gamma=st.floats(0.1, 10),
)
def test_best_weight_is_the_prox_of_mcp(
    rho: float, curvature: float, extra: float, weight: float, lam: float, gamma: float
) -> None:
    """Divide ½ q w² − ρ w + e|w| + v p(w) by q: a prox at z = ρ/q with step v/q."""
    ours = kernels.best_weight(rho, curvature, extra, weight, lam, gamma)
    z, step = np.array([rho / curvature]), weight / curvature
    theirs = MCP(lam, gamma).prox(z, step, extra_l1=extra / weight)

    def objective(w: float) -> float:
        penalty = weight * MCP(lam, gamma).value(np.array([w]))
        return 0.5 * curvature * w * w - rho * w + extra * abs(w) + penalty

    assert objective(ours) == pytest.approx(objective(float(theirs[0])), abs=1e-9)


@given(rho=st.floats(-5, 5), extra=st.floats(0, 2), lam=st.floats(0, 2))
def test_best_weight_with_infinite_gamma_is_a_soft_threshold(
    rho: float, extra: float, lam: float
) -> None:
    expected = np.sign(rho) * max(abs(rho) - extra - lam, 0.0) / 2.0
    assert kernels.best_weight(rho, 2.0, extra, 1.0, lam, math.inf) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("s", [1.0, 2.5])
def test_prices_are_the_truncated_series(seed: int, s: float) -> None:
    columns, the_rule, work, W = random_columns(seed, s=s)
    A = (0.5 * W * W + 0.5 * np.abs(W)) / s
    powers = [np.linalg.matrix_power(A, k) for k in range(1, 6)]
    C = np.sum(powers, axis=0).T / s
    h = sum(float(np.trace(power)) / k for k, power in enumerate(powers, 1))
    shares = 0.0
    for j in range(len(W)):
        n, cycles = kernels.price_paths(columns, work, j, s, 5, 0.0)
        np.testing.assert_allclose(work.price, C[:, j], rtol=1e-12)
        assert set(work.touched[:n]) == set(np.flatnonzero(C[:, j]))
        work.price[:] = 0.0
        assert not work.mass.any()
        assert not work.seen.any()
        shares += cycles
    assert shares == pytest.approx(h)
    assert kernels.series_value(columns, the_rule._replace(max_path=4), work) == pytest.approx(h)


@pytest.mark.parametrize("seed", range(5))
def test_prices_at_a_dag_are_those_of_the_log_determinant(seed: int) -> None:
    columns, the_rule, work, W = random_columns(seed, acyclic=True)
    _, C = hybrid_log_det().value_and_core_grad(W)
    for j in range(len(W)):
        kernels.price_paths(columns, work, j, the_rule.s, the_rule.max_path, 0.0)
        expected = C[:, j].copy()
        expected[j] = 0.0
        np.testing.assert_allclose(work.price, expected, rtol=1e-12, atol=1e-15)
        work.price[:] = 0.0
        n = kernels.mark_descendants(columns, work, j)
        assert set(np.flatnonzero(work.price)) == set(np.flatnonzero(expected)) | {j}
        work.price[work.touched[:n]] = 0.0


def test_a_cutoff_drops_weak_paths_only() -> None:
    W = np.zeros((4, 4))
    W[0, 1], W[1, 2], W[0, 3] = 0.01, 0.5, 0.9
    columns, work = _begin(np.eye(4), rule(alpha=0.0), W, None)
    kernels.price_paths(columns, work, 0, 1.0, 8, 0.02)
    assert work.price.tolist() == [0.0, 0.01, 0.0, 0.9]


def plain_sweep(S: Array, W: Array, the_rule: Rule, mu: float, visit: IntArray) -> Array:
    """One sweep, column by column, with dense matrices and nothing remembered."""
    W, alpha = W.copy(), the_rule.alpha
    penalty = MCP(the_rule.lam, the_rule.gamma)

    def residual(j: int) -> Array:
        return np.asarray(np.eye(len(S))[j] - W[:, j])

    def unit(j: int) -> float:
        return float(residual(j) @ S @ residual(j)) if the_rule.profile else 1.0

    for j in visit.tolist():
        A = (alpha * W * W + (1 - alpha) * np.abs(W)) / the_rule.s
        powers = [np.linalg.matrix_power(A, k)[j] for k in range(1, the_rule.max_path + 1)]
        c = mu * np.sum(powers, axis=0) / the_rule.s
        thresholds = unit(j) * (the_rule.lam + (1 - alpha) * c)
        active = (W[:, j] != 0) | (np.abs(S @ residual(j)) > thresholds)
        active[j] = False
        for _ in range(the_rule.max_passes):
            before, v = W[:, j].copy(), unit(j)
            for i in visit[active[visit]].tolist():
                z = W[i, j] + S[i] @ residual(j) / S[i, i]
                step = v / S[i, i]
                l1, l2 = (1 - alpha) * c[i], alpha * c[i]
                W[i, j] = penalty.prox(np.array([z]), step, extra_l1=l1, extra_l2=l2)[0]
            if np.abs(W[:, j] - before).max() < the_rule.tolerance:
                break
    return W


@pytest.mark.parametrize("profile", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("s", [1.0, 0.7])
def test_sweep_agrees_with_its_plain_twin(profile: bool, alpha: float, s: float) -> None:
    the_rule = rule(profile=profile, alpha=alpha, s=s, max_passes=4, lam=0.05)
    _, moments = standardised(8, 14, seed=3)
    columns, work = _begin(moments.cov, the_rule, None, None)
    for mu in (0.5, 2.0, 2.0, 20.0, 20.0, 200.0):
        start = columns.weights.T.copy()
        expected = plain_sweep(moments.cov, start, the_rule, mu, columns.visit)
        change = kernels.sweep(columns, the_rule, work, mu, 0.0)
        np.testing.assert_allclose(columns.weights.T, expected, atol=1e-12)
        assert change == pytest.approx(np.abs(expected - start).max())
        assert not np.signbit(columns.weights[columns.weights == 0]).any()


@pytest.mark.parametrize("profile", [False, True])
def test_what_is_remembered_follows_the_weights(profile: bool) -> None:
    _, moments = standardised(20, 50, seed=0)
    S, the_rule = moments.cov, rule(profile=profile, lam=0.1)
    columns, work = _begin(S, the_rule, None, None)
    for mu in (0.3, 3.0, 30.0):
        kernels.descend(columns, the_rule, work, mu, 0.0, 5, 0.0)
        W = columns.weights.T
        residual = S - S @ W
        np.testing.assert_allclose(columns.residual.T, residual, atol=1e-12)
        rss = np.diagonal((np.eye(20) - W).T @ residual)
        np.testing.assert_allclose(columns.variance, rss, atol=1e-12)
        for i in range(20):
            children = columns.child[i, : columns.n_child[i]]
            assert set(children) == set(np.flatnonzero(W[i]))
            w = W[i, children]
            expected = 0.5 * w * w + 0.5 * np.abs(w)
            np.testing.assert_array_equal(columns.strength[i, : len(w)], expected)
        assert kernels.is_acyclic(columns, work) == is_dag(W)
        loss = Gaussian(moments) if profile else LeastSquares(moments)
        expected_objective = loss.value(W) + MCP(0.1, 3.0).value(W)
        assert kernels.objective(columns, the_rule) == pytest.approx(expected_objective)


@pytest.mark.parametrize("seed", range(10))
def test_is_acyclic(seed: int) -> None:
    columns, _, work, W = random_columns(seed, density=0.12)
    assert kernels.is_acyclic(columns, work) == is_dag(W)


def test_locked_sweeps_keep_a_dag_even_where_path_weights_underflow() -> None:
    d = 5
    W = np.diag(np.full(d - 1, 1e-200), 1)
    S = np.full((d, d), 0.5) + 0.5 * np.eye(d)
    the_rule = rule(lam=0.0)
    columns, work = _begin(S, the_rule, W, None)
    # Column 0 is visited with the chain 0 → 1 → ... as it is: no edge may enter it.
    n = kernels.mark_descendants(columns, work, 0)
    assert n == d
    work.price[:] = 0.0
    for _ in range(20):
        kernels.sweep(columns, the_rule, work, math.inf, 0.0)
        assert kernels.is_acyclic(columns, work)


# ---- the path on plain arrays ----


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_equal_variances_order_and_edges(seed: int) -> None:
    W, moments = equal_variances(30, 30, seed)
    path = prox_linear_path(moments.cov, profile=False, lam=0.2)
    assert path.is_dag
    assert is_dag(path.W)
    assert backward(W, order_of_cyclic(path.W)) <= 1
    found = (path.W != 0) & (W != 0)
    assert found.sum() >= 29
    assert np.count_nonzero(path.W) <= 34


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_standardised_data_order(seed: int) -> None:
    W, moments = standardised(30, 60, seed)
    path = prox_linear_path(moments.cov, n=moments.n)
    # A random order turns half of the edges; some may be turned without any loss of fit.
    assert backward(W, order_of_cyclic(path.W)) <= 12


def test_the_path_ends_at_a_dag_that_no_larger_mu_changes() -> None:
    _, moments = standardised(20, 30, seed=1)
    path = prox_linear_path(moments.cov, tolerance=1e-9, max_sweeps=500)
    assert path.is_dag
    assert path.mu[-1] < MUS[-1]
    for mu in (path.mu[-1], 1e3, 1e6):
        further = prox_linear_path(moments.cov, start=path.W, mus=[mu], tolerance=1e-9)
        np.testing.assert_allclose(further.W, path.W, atol=1e-7)


def test_trace_of_the_path() -> None:
    _, moments = standardised(20, 40, seed=2)
    path = prox_linear_path(moments.cov)
    n_stages = len(path.mu)
    assert all(len(column) == n_stages for column in path[2:])
    assert path.mu.tolist() == list(MUS[:n_stages])
    assert path.n_nonzero[-1] == np.count_nonzero(path.W)
    assert ((path.n_sweeps >= 1) & (path.n_sweeps <= 10)).all()
    problem = Problem(Gaussian(moments), LogDet(), MCP(0.25, 3.0))
    assert path.objective[-1] == pytest.approx(problem.objective(path.W))


@pytest.mark.parametrize("profile", [False, True])
def test_the_order_of_the_columns_does_not_matter(profile: bool) -> None:
    _, moments = standardised(25, 60, seed=4)
    S = moments.cov
    p = np.random.default_rng(0).permutation(25)
    W = prox_linear_path(S, profile=profile, n=1000).W
    permuted = prox_linear_path(S[np.ix_(p, p)], profile=profile, n=1000).W
    np.testing.assert_array_equal(permuted, W[np.ix_(p, p)])


@pytest.mark.parametrize("profile", [False, True])
def test_edges_that_are_not_allowed_stay_away(profile: bool) -> None:
    _, moments = standardised(15, 40, seed=5)
    allowed = np.random.default_rng(0).random((15, 15)) < 0.5
    path = prox_linear_path(moments.cov, profile=profile, lam=0.05, allowed=allowed)
    assert np.count_nonzero(path.W) > 0
    assert not path.W[~allowed].any()
    assert not path.W.diagonal().any()


def test_nothing_of_the_caller_is_changed() -> None:
    _, moments = standardised(10, 20, seed=6)
    S, start = moments.cov.copy(), np.full((10, 10), 0.01)
    np.fill_diagonal(start, 0.0)
    allowed = np.ones((10, 10), dtype=np.bool_)
    prox_linear_path(S, start=start, allowed=allowed)
    np.testing.assert_array_equal(S, moments.cov)
    assert (start[~np.eye(10, dtype=np.bool_)] == 0.01).all()
    assert allowed.all()


@pytest.mark.parametrize("profile", [False, True])
@pytest.mark.parametrize("n", [None, 20])
def test_fewer_rows_than_columns(profile: bool, n: int | None) -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(20, 40))
    S = np.asarray(np.corrcoef(X, rowvar=False))
    path = prox_linear_path(S, profile=profile, n=n)
    assert np.isfinite(path.W).all()
    assert np.isfinite(path.objective).all()
    if profile and n is not None:
        assert np.count_nonzero(path.W) < 400


def test_duplicated_and_constant_columns() -> None:
    _, moments = standardised(10, 15, seed=8)
    index = [*range(10), 0, 3]
    S = moments.cov[np.ix_(index, index)].copy()
    S[11] = S[:, 11] = 0.0  # a column without variance
    for profile in (False, True):
        path = prox_linear_path(S, profile=profile)
        assert np.isfinite(path.W).all()
        assert not path.W[11].any()
        assert not path.W[:, 11].any()


def test_deadline() -> None:
    _, moments = standardised(10, 20, seed=9)
    assert len(prox_linear_path(moments.cov, deadline=perf_counter()).mu) == 1


# ---- the solver ----


@pytest.mark.parametrize("penalty", [L1(0.1), MCP(0.1, 3.0)])
@pytest.mark.parametrize("profile", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("seed", [0, 1])
def test_ends_at_a_stationary_dag(
    penalty: L1 | MCP, profile: bool, alpha: float, seed: int
) -> None:
    """Where it locks, the kinks hold every absent edge: the KKT conditions of L + p + μh hold."""
    _, moments = standardised(9, 12, seed)
    loss = Gaussian(moments) if profile else LeastSquares(moments)
    problem = Problem(loss, hybrid_log_det(alpha), penalty)
    solution = ProxLinear().solve(problem)
    assert solution.status is Status.CONVERGED
    assert solution.is_dag
    assert solution.h == 0
    assert problem.kkt_residual(solution.W, multiplier=solution.multiplier) < 1e-7
    # Without the constraint the same point is not stationary: the reversed edges would enter.
    assert problem.kkt_residual(solution.W) > 1e-2
    trace = solution.trace
    assert trace.h[0] == 0
    assert trace.h.max() > 0
    assert trace.h[-1] == 0
    identified = trace.identification_iteration
    assert identified is not None
    assert 0 < identified < solution.n_iter


def test_log_det_of_any_scale_has_its_domain_left_without_harm() -> None:
    """The first iterates are cyclic, and far outside the domain of a small s."""
    _, moments = equal_variances(12, 24, seed=1)
    problem = Problem(LeastSquares(moments), hybrid_log_det(0.5, s=0.2), L1(0.05))
    solution = ProxLinear().solve(problem)
    assert solution.is_dag
    assert solution.status is Status.CONVERGED


def test_path_and_solver_follow_the_same_way() -> None:
    _, moments = standardised(15, 30, seed=3)
    problem = Problem(Gaussian(moments), hybrid_log_det(), MCP(0.25, 3.0))
    path = prox_linear_path(moments.cov)
    solution = ProxLinear().solve(problem)
    assert path.is_dag
    n_sweeps = int(path.n_sweeps.sum())
    assert solution.trace.n_nonzero[n_sweeps] == path.n_nonzero[-1]
    assert solution.trace.objective[n_sweeps] == pytest.approx(path.objective[-1])
    assert solution.multiplier == path.mu[-1]


@pytest.mark.parametrize("constraint", [SAHOC(0.5), AHOC(0.5)])
def test_other_constraints_with_a_kink_lock_too(constraint: Constraint) -> None:
    W, moments = equal_variances(8, 8, seed=0)
    problem = Problem(LeastSquares(moments), constraint, L1(0.1))
    solution = ProxLinear(mus=tuple(np.geomspace(0.1, 1e4, 20))).solve(problem)
    assert solution.status is Status.CONVERGED
    assert solution.is_dag
    assert backward(W, order_of_cyclic(solution.W)) <= 1
    assert ((solution.W != 0) & (W != 0)).sum() >= 7


def test_negative_parts_of_c_pull_the_gradient() -> None:
    """With a normalised core, weight outside a cycle lowers h: C is negative there."""
    W = np.zeros((4, 4))
    W[0, 1], W[1, 0], W[2, 3] = 0.5, 0.5, 1.0
    _, C = SAHOC(0.5).value_and_core_grad(W)
    assert C[2, 3] < 0
    S = np.eye(4)
    S[2, 3] = S[3, 2] = 0.5
    problem = Problem(LeastSquares(Moments.from_covariance(S, n=100)), SAHOC(0.5), L1(0.0))
    descent = _OuterDescent(problem, W, max_path=8, max_passes=1)
    descent.sweep(2.0)
    slope = 2.0 * C[2, 3] * (2.0 * 0.5 * W[2, 3] + 0.5)  # μ C M'(w)
    assert descent.columns.weights[3, 2] == pytest.approx(0.5 - slope)
    assert not descent.work.price.any()


@pytest.mark.parametrize("constraint", [Exp(), LogDet()])
def test_a_core_without_a_kink_does_not_lock(constraint: Constraint) -> None:
    _, moments = standardised(10, 20, seed=0)
    solution = ProxLinear().solve(Problem(Gaussian(moments), constraint, L1(0.05)))
    assert solution.status is Status.PENALTY_LIMIT
    assert not solution.is_dag


@pytest.mark.parametrize("constraint", [hybrid_log_det(), SAHOC(0.5), AHOC(0.5)])
@pytest.mark.parametrize("true_weight", [0.8, 0.3])
def test_near_cyclic_start(constraint: Constraint, true_weight: float) -> None:
    """Three nodes, a cycle of spectral radius 0.999996: where the AHOC family is said to fail."""
    truth = np.diag([true_weight, true_weight], 1)
    moments = Moments.from_data(linear_sem(truth, n_samples=2000, rng=0))
    w = math.sqrt(0.999996)
    start = np.array([[0.0, w, 0.0], [0.0, 0.0, w], [w, 0.0, 0.0]])
    problem = Problem(LeastSquares(moments), constraint, L1(0.05))
    solution = ProxLinear().solve(problem, start=start)
    assert solution.status is Status.CONVERGED
    assert solution.is_dag
    np.testing.assert_array_equal(solution.W != 0, truth != 0)


def test_a_cycle_that_is_left_is_reported() -> None:
    _, moments = standardised(10, 20, seed=0)
    problem = Problem(Gaussian(moments), hybrid_log_det(), L1(0.05))
    solution = ProxLinear(mus=[0.01]).solve(problem)
    assert solution.status is Status.PENALTY_LIMIT
    assert not solution.is_dag
    assert solution.h > 0


def test_iteration_limit_of_the_lock() -> None:
    _, moments = standardised(10, 20, seed=0)
    problem = Problem(Gaussian(moments), hybrid_log_det(), MCP(0.2))
    solution = ProxLinear(max_lock_sweeps=1).solve(problem)
    assert solution.status is Status.ITERATION_LIMIT
    assert solution.is_dag


class OtherLoss:
    """A loss that is not made from moments."""

    def value(self, W: Array) -> float:
        return float((W * W).sum())

    def value_and_grad(self, W: Array) -> tuple[float, Array]:
        return self.value(W), 2.0 * W


class OtherPenalty:
    """A penalty without a closed form for one entry."""

    def value(self, W: Array) -> float:
        return 0.0

    def prox(
        self,
        Z: Array,
        step_size: float | Array,
        extra_l1: float | Array = 0.0,
        extra_l2: float | Array = 0.0,
    ) -> Array:
        return Z

    def subdifferential_distance(
        self, W: Array, grad: Array, extra_l1: float | Array = 0.0
    ) -> Array:
        return np.abs(grad)


def test_what_it_cannot_handle_is_named() -> None:
    _, moments = standardised(4, 4, seed=0)
    loss, penalty = LeastSquares(moments), L1(0.1)
    allowed: BoolArray = np.ones((4, 4), dtype=np.bool_)
    with pytest.raises(InvalidParameterError, match="LeastSquares or Gaussian, not OtherLoss"):
        ProxLinear().solve(Problem(OtherLoss(), Exp(), penalty, allowed))
    with pytest.raises(InvalidParameterError, match="L1 or MCP, not OtherPenalty"):
        ProxLinear().solve(Problem(loss, Exp(), OtherPenalty()))
    with pytest.raises(InvalidParameterError, match="without Smoothed"):
        ProxLinear().solve(Problem(loss, Smoothed(SAHOC(0.5), delta=1e-3), penalty))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("mus", ()),
        ("mus", (1.0, 1.0)),
        ("mus", (-1.0, 1.0)),
        ("max_sweeps", 0),
        ("max_path", 0),
        ("max_lock_sweeps", 1.5),
        ("tolerance", 0.0),
        ("lock_tolerance", -1.0),
    ],
)
def test_bad_settings_are_named(setting: str, value: Any) -> None:
    with pytest.raises(InvalidParameterError, match=setting):
        ProxLinear(**{setting: value})
