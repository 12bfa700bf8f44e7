"""The central path: its log-det kernel, its domain, and what it recovers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock.constraints import Exp, LogDet
from daglock.errors import InvalidParameterError
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solution import Status
from daglock.solvers import CentralPath, solve
from daglock.solvers.central_path import log_det
from daglock.typing import Array


def example(d: int = 8) -> tuple[Array, Problem]:
    W = np.asarray(erdos_renyi(n_nodes=d, n_edges=d - 1, weights=(0.5, 1.0), rng=0))
    moments = Moments.from_data(linear_sem(W, n_samples=1000, rng=1))
    return W, Problem(LeastSquares(moments), LogDet(), L1(0.05))


@pytest.mark.parametrize("scale", [0.0, 0.05, 0.2, 0.3, 0.4, 0.6])
@pytest.mark.parametrize("s", [1.0, 0.6])
@pytest.mark.parametrize("seed", range(3))
def test_kernel_agrees_with_the_constraint(scale: float, s: float, seed: int) -> None:
    W = scale * np.random.default_rng(seed).normal(size=(9, 9))
    np.fill_diagonal(W, 0.0)
    value, grad = LogDet(s=s).value_and_grad(W)
    ours = log_det(W, s)
    if np.isinf(value):
        assert ours is None
    else:
        assert ours is not None
        assert ours[0] == pytest.approx(value, rel=1e-9, abs=1e-12)
        np.testing.assert_allclose(ours[1], grad, rtol=1e-9, atol=1e-12)


def test_recovers_the_graph_after_thresholding() -> None:
    W, problem = example()
    fast = CentralPath(learning_rate=1e-3, warm_iter=4000, last_iter=4000)
    solution = solve(problem, fast)
    np.testing.assert_array_equal(np.abs(solution.W) > 0.3, W != 0)
    assert solution.h < 1e-6
    assert not solution.is_dag
    assert solution.n_nonzero == 8 * 7
    assert sorted(set(solution.trace.outer.tolist())) == [0, 1, 2, 3, 4]


def dagma(S: Array, lam: float, rate: float, limits: list[int]) -> tuple[Array, list[str]]:
    """The loop of the package dagma 1.1.1, written out; and what it did at the edge."""
    d, events = len(S), []
    W_est, mu, s = np.zeros((d, d)), 1.0, [1.0, 0.9, 0.8, 0.7, 0.6]
    for k, limit in enumerate(limits):
        success, lr_stage = False, rate
        while not success:
            W, lr, success = W_est.copy(), lr_stage, True
            m, v, grad = np.zeros((3, d, d))
            for i in range(1, limit + 1):
                M = np.linalg.inv(s[k] * np.eye(d) - W * W) + 1e-16
                while (M < 0).any() and success:
                    if i == 1 or s[k] <= 0.9:
                        success = False
                    else:
                        W, lr = W + lr * grad, 0.5 * lr
                        W -= lr * grad
                        M = np.linalg.inv(s[k] * np.eye(d) - W * W) + 1e-16
                        events.append("step taken back")
                if not success:
                    break
                G = mu * (S @ (W - np.eye(d)) + lam * np.sign(W)) + 2 * W * M.T
                m, v = 0.99 * m + 0.01 * G, 0.999 * v + 0.001 * G * G
                grad = m / (1 - 0.99**i) / (np.sqrt(v / (1 - 0.999**i)) + 1e-8)
                np.fill_diagonal(grad, 0.0)
                W -= lr * grad
            if not success:
                events.append("begun anew")
                lr_stage, s[k] = 0.5 * lr_stage, s[k] + 0.1
        W_est, mu = W, 0.1 * mu
    return W_est, events


@pytest.mark.parametrize(
    ("scale", "rate", "events"), [(30.0, 0.03, {"step taken back"}), (5.0, 0.3, {"begun anew"})]
)
def test_the_domain_is_left_as_dagma_does(scale: float, rate: float, events: set[str]) -> None:
    rng = np.random.default_rng(1)
    W = np.asarray(erdos_renyi(6, 8, weights=(0.5, 1.0), rng=rng))
    X = linear_sem(W, 500, rng=rng) * scale * rng.uniform(0.2, 3.0, 6)
    moments = Moments.from_data(X)
    stages = [300, 300, 300]
    expected, happened = dagma(moments.cov, 0.05, rate, stages)
    assert events <= set(happened)
    path = CentralPath(s=(1.0, 0.9, 0.8), warm_iter=300, last_iter=300, learning_rate=rate)
    ours = solve(Problem(LeastSquares(moments), LogDet(), L1(0.05)), path)
    np.testing.assert_allclose(ours.W, expected, rtol=1e-6, atol=1e-8)


def test_leaving_the_domain_is_reported_or_steps_become_smaller() -> None:
    _, problem = example()
    wild: dict[str, Any] = {"last_iter": 20, "learning_rate": 2.0}
    solution = solve(problem, CentralPath(**wild, s=(0.9,), max_halvings=0))
    assert solution.status is Status.LEFT_DOMAIN
    assert np.isfinite(solution.W).all()
    for s in (0.9, 1.0):  # begun anew in a wider domain; or the step taken back
        tamed = solve(problem, CentralPath(**wild, s=(s,), max_halvings=20))
        assert tamed.status is Status.ITERATION_LIMIT
        assert tamed.trace.step_size[-1] < 2.0
    assert LogDet().value(tamed.W) < np.inf


def test_an_unfinished_path_says_so() -> None:
    _, problem = example()
    solution = solve(problem, CentralPath(s=(1.0,), learning_rate=3e-3, tolerance=1e-3))
    assert solution.status is Status.PENALTY_LIMIT
    assert solution.h > 1e-6


def test_what_it_cannot_handle_is_named() -> None:
    _, problem = example()
    with pytest.raises(InvalidParameterError, match="needs the constraint LogDet, not Exp"):
        solve(Problem(problem.loss, Exp(), L1(0.1)), CentralPath())
    with pytest.raises(InvalidParameterError, match="outside the domain"):
        solve(problem, CentralPath(), start=np.full((8, 8), 5.0))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"s": ()}, "s must hold one number for each stage"),
        ({"s": (1.0, -1.0)}, "each number of s must be a number > 0"),
        ({"s": 1.0}, "s must be a sequence"),
        ({"warm_iter": 1.5}, "warm_iter"),
        ({"max_halvings": -1}, "max_halvings"),
        ({"mu_factor": 1.0}, "mu_factor"),
        ({"mu_init": 0.0}, "mu_init"),
        ({"beta2": 1.0}, "beta2"),
    ],
)
def test_settings_out_of_range_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        CentralPath(**settings)
