"""The solver: where it ends, what it says, what it refuses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from daglock.constraints import AHOC, SAHOC, Exp, LogDet, Smoothed
from daglock.errors import InvalidParameterError
from daglock.graph import order_of_cyclic
from daglock.losses import Gaussian, LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1, MCP
from daglock.problem import Problem
from daglock.simulate import linear_sem
from daglock.solution import Status
from daglock.solvers.prox_linear import ProxLinear, _OuterDescent
from daglock.solvers.prox_linear_path import prox_linear_path
from daglock.typing import Array, BoolArray, Constraint
from tests.solvers.prox_linear_cases import backward, equal_variances, hybrid_log_det, standardised


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
    n_sweeps = int(path.trace.n_sweeps.sum())
    assert solution.trace.n_nonzero[n_sweeps] == path.trace.n_nonzero[-1]
    assert solution.trace.objective[n_sweeps] == pytest.approx(path.trace.objective[-1])
    assert solution.multiplier == path.trace.mu[-1]


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
