"""The kernels against their NumPy twins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daglock.graph import is_dag
from daglock.losses import Gaussian, LeastSquares
from daglock.penalties import MCP
from daglock.solvers import prox_linear_kernels as kernels
from daglock.solvers.prox_linear_kernels import Columns, Rule, Work
from daglock.solvers.prox_linear_path import Descent, begin
from daglock.typing import Array, IntArray
from tests.examples import examples
from tests.solvers.prox_linear_cases import hybrid_log_det, standardised

NO_PRICES = kernels.NOT_GIVEN, kernels.NOT_GIVEN


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
    columns, work = begin(A.T @ A / len(A), the_rule, W, None)
    return columns, the_rule, work, W


@examples(300)
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
    columns, work = begin(np.eye(4), rule(alpha=0.0), W, None)
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
    columns, work = begin(moments.cov, the_rule, None, None)
    for mu in (0.5, 2.0, 2.0, 20.0, 20.0, 200.0):
        start = columns.weights.T.copy()
        expected = plain_sweep(moments.cov, start, the_rule, mu, columns.visit)
        change = kernels.sweep(columns, the_rule, work, mu, 0.0, 0, len(columns.visit), *NO_PRICES)
        np.testing.assert_allclose(columns.weights.T, expected, atol=1e-12)
        assert change == pytest.approx(np.abs(expected - start).max())
        assert not np.signbit(columns.weights[columns.weights == 0]).any()


@pytest.mark.parametrize("profile", [False, True])
def test_what_is_remembered_follows_the_weights(profile: bool) -> None:
    _, moments = standardised(20, 50, seed=0)
    S, the_rule = moments.cov, rule(profile=profile, lam=0.1)
    descent = Descent(S, the_rule)
    columns = descent.columns
    for _, n_sweeps, _ in descent.follow((0.3, 3.0, 30.0), 5, 0.0):
        assert n_sweeps == 5
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
        assert descent.is_acyclic() == is_dag(W)
        assert descent.n_nonzero == np.count_nonzero(W)
        loss = Gaussian(moments) if profile else LeastSquares(moments)
        expected_objective = loss.value(W) + MCP(0.1, 3.0).value(W)
        assert descent.objective() == pytest.approx(expected_objective)


def test_locked_sweeps_keep_a_dag_even_where_path_weights_underflow() -> None:
    d = 5
    W = np.diag(np.full(d - 1, 1e-200), 1)
    S = np.full((d, d), 0.5) + 0.5 * np.eye(d)
    the_rule = rule(lam=0.0)
    columns, work = begin(S, the_rule, W, None)
    # Column 0 is visited with the chain 0 → 1 → ... as it is: no edge may enter it.
    n = kernels.mark_descendants(columns, work, 0)
    assert n == d
    work.price[:] = 0.0
    for _ in range(20):
        kernels.sweep(columns, the_rule, work, math.inf, 0.0, 0, d, *NO_PRICES)
        assert is_dag(columns.weights)
