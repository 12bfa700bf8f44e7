"""The augmented Lagrangian solvers: gradients, statuses, and what the paper's method returns."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from daglock.constraints import AHOC, SAHOC, Exp, Smoothed
from daglock.errors import InvalidParameterError
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solution import Status
from daglock.solvers import SPG, AdamALM, ProximalLS, solve
from daglock.solvers.adam import Adam
from daglock.solvers.augmented_lagrangian import AugmentedLagrangian
from daglock.typing import Array, Constraint


def truth(d: int = 8) -> Array:
    return np.asarray(erdos_renyi(n_nodes=d, n_edges=d - 1, weights=(0.5, 1.0), rng=0))


def make(constraint: Constraint, lam: float = 0.1, d: int = 8) -> Problem:
    X = linear_sem(truth(d), n_samples=1000, rng=1)
    return Problem(LeastSquares(Moments.from_data(X)), constraint, L1(lam))


def test_gradient_against_finite_differences() -> None:
    problem = make(Exp(), d=4)
    smooth = AugmentedLagrangian(problem, problem.constraint, 0.7, 3.0)
    W = np.random.default_rng(0).normal(size=(4, 4)) * 0.3
    for i, j in np.ndindex(4, 4):
        step = np.zeros((4, 4))
        step[i, j] = 1e-6
        numeric = (smooth(W + step).value - smooth(W - step).value) / 2e-6
        assert smooth(W).grad[i, j] == pytest.approx(numeric, rel=1e-6, abs=1e-7)


def test_spg_below_the_stability_condition_stalls_on_a_cyclic_support() -> None:
    """The smoothed constraint exerts no force at zero: reverse edges of size δ stay alive."""
    solution = solve(make(Smoothed(SAHOC(0.5), delta=1e-7)), SPG(max_inner=100))
    assert solution.status in (Status.LINE_SEARCH_STALLED, Status.PENALTY_LIMIT)
    assert not solution.is_dag
    assert solution.n_nonzero > 8
    assert solution.trace.step_size[-1] < 1e-6


def test_proximal_ls_stalls_on_a_core_with_a_kink() -> None:
    solution = solve(make(AHOC(0.5)), ProximalLS(max_inner=100))
    assert solution.status is Status.LINE_SEARCH_STALLED
    assert not solution.is_dag


def test_notears_objective_ends_within_tolerance_but_cyclic() -> None:
    for solver in (ProximalLS(max_inner=100, h_tol=1e-6), AdamALM(h_tol=1e-6)):
        solution = solve(make(Exp()), solver)
        assert solution.status is Status.CONVERGED_CYCLIC
        assert solution.h <= 1e-6
        assert not solution.is_dag
        np.testing.assert_array_equal(np.abs(solution.W) > 0.3, truth() != 0)
        assert solution.multiplier > 0


def test_adam_output_is_dense() -> None:
    solution = solve(make(Exp()), AdamALM(max_outer=2, max_inner=50))
    assert solution.n_nonzero == 8 * 7


def test_penalty_limit() -> None:
    solution = solve(make(Exp()), ProximalLS(rho_max=10.0, max_inner=20))
    assert solution.status is Status.PENALTY_LIMIT
    assert solution.h > 1e-8


def test_delta_path_ends_with_the_delta_of_the_problem() -> None:
    constraint = Smoothed(SAHOC(0.5), delta=1e-3)
    problem = make(constraint)
    path = SPG(delta_path=np.geomspace(0.3, 1e-5, 6).tolist(), max_inner=5)._constraints(problem)
    deltas = [c.delta for c in path if isinstance(c, Smoothed)]
    assert deltas[0] == pytest.approx(0.3)
    assert deltas[-1] == 1e-3
    assert all(a > b for a, b in pairwise(deltas))
    solution = solve(problem, SPG(delta_path=(0.3, 0.1), max_inner=5, max_outer=4))
    assert solution.trace.outer[-1] == 3


def test_spg_needs_a_smoothed_constraint() -> None:
    with pytest.raises(InvalidParameterError, match="SPG needs a smooth constraint"):
        solve(make(SAHOC(0.5)), SPG())


@pytest.mark.parametrize(
    ("build", "settings", "message"),
    [
        (SPG, {"delta_path": [0.1, 0.2]}, "delta_path must fall"),
        (SPG, {"delta_path": [0.1, 0.0]}, "each number of delta_path must be a number > 0"),
        (SPG, {"delta_path": 0.1}, "delta_path must be a sequence"),
        (SPG, {"max_outer": 0}, "max_outer"),
        (SPG, {"max_inner": 2.5}, "max_inner must be a whole number >= 1"),
        (SPG, {"rho_init": float("inf")}, "rho_init"),
        (ProximalLS, {"tolerance": -1.0}, "tolerance"),
        (ProximalLS, {"rho_factor": 1.0}, "rho_factor"),
        (ProximalLS, {"growth": 0.5}, "growth"),
        (ProximalLS, {"h_tol": float("nan")}, "h_tol"),
        (AdamALM, {"learning_rate": 0.0}, "learning_rate"),
        (AdamALM, {"beta1": 1.0}, "beta1"),
        (AdamALM, {"decay": 1.5}, "decay"),
    ],
)
def test_settings_out_of_range_are_named(
    build: Any, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        build(**settings)


def test_adam_against_its_definition() -> None:
    rng = np.random.default_rng(0)
    adam = Adam(0.1, 0.8, 0.95)
    gradients = rng.normal(size=(6, 3))
    for t in range(1, 7):
        step = adam.step(gradients[t - 1])
        m = sum(0.2 * 0.8 ** (t - k) * gradients[k - 1] for k in range(1, t + 1))
        v = sum(0.05 * 0.95 ** (t - k) * gradients[k - 1] ** 2 for k in range(1, t + 1))
        expected = -0.1 * (m / (1 - 0.8**t)) / (np.sqrt(v / (1 - 0.95**t)) + 1e-8)
        np.testing.assert_allclose(step, expected, rtol=1e-12)
