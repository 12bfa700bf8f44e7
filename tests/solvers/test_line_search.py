"""The line search: its inequality, its stall, and how its step scales with δ."""

from __future__ import annotations

import math

import numpy as np
import pytest

from daglock.constraints import SAHOC, LogDet, Smoothed
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.solvers.augmented_lagrangian import AugmentedLagrangian
from daglock.solvers.line_search import BacktrackingSearch, Point, SmoothFunction, SmoothValue
from daglock.typing import Array, Constraint

MOMENTS = Moments.from_covariance([[1.0, 0.8], [0.8, 1.64]], n=1000)


def make(constraint: Constraint) -> Problem:
    return Problem(LeastSquares(MOMENTS), constraint, L1(0.1))


def at(problem: Problem, smooth: SmoothFunction, W: Array) -> Point:
    return Point(W, smooth(W), problem.penalty.value(W))


def test_accepted_step_satisfies_the_inequality_and_a_larger_one_does_not() -> None:
    problem = make(Smoothed(SAHOC(0.5), delta=1e-2))
    smooth = AugmentedLagrangian(problem, problem.constraint, 5.0, 10.0)
    point = at(problem, smooth, np.array([[0.0, 0.3], [0.2, 0.0]]))
    search = BacktrackingSearch()
    found = search.step(problem, smooth, point, 64.0)
    assert found is not None
    after, eta = found
    assert eta < 64.0

    def holds(candidate: Point, step_size: float) -> bool:
        moved = float(np.sum((candidate.W - point.W) ** 2))
        return candidate.total <= point.total - 0.5e-4 / step_size * moved

    assert holds(after, eta)
    Z = point.W - 2 * eta * point.smooth.grad
    rejected = np.where(problem.mask, problem.penalty.prox(Z, 2 * eta), 0.0)
    assert not holds(at(problem, smooth, rejected), 2 * eta)


def test_largest_stable_step_scales_like_delta() -> None:
    """Next to a kink of width δ the curvature is of order 1/δ, and the step of order δ."""
    deltas = np.array([1e-2, 1e-3, 1e-4, 1e-5, 1e-6])
    steps = []
    for delta in deltas:
        problem = make(Smoothed(SAHOC(0.5), delta=float(delta), centered=True))
        smooth = AugmentedLagrangian(problem, problem.constraint, 20.0, 0.0)
        point = at(problem, smooth, np.array([[0.0, 0.7], [delta, 0.0]]))
        found = BacktrackingSearch(shrink=0.97).step(problem, smooth, point, 10.0)
        assert found is not None
        steps.append(found[1])
    slope = np.polyfit(np.log(deltas), np.log(steps), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.1)


def test_step_out_of_the_domain_is_rejected() -> None:
    problem = make(LogDet(s=0.3))
    smooth = AugmentedLagrangian(problem, problem.constraint, 1.0, 1.0)
    point = at(problem, smooth, np.array([[0.0, 0.5], [0.1, 0.0]]))
    pushed = Point(
        point.W, SmoothValue(point.smooth.value, np.full((2, 2), -1.0), 0.0, 0.0), point.penalty
    )
    assert math.isinf(smooth(np.array([[0.0, 1.4], [1.0, 0.0]])).value)
    assert BacktrackingSearch()._candidate(problem, smooth, pushed, 1.0) is None
    found = BacktrackingSearch(sufficient_decrease=-1e9).step(problem, smooth, pushed, 1.0)
    assert found is not None
    assert found[1] < 1.0
    assert math.isfinite(found[0].total)


def test_stalls_when_nothing_decreases() -> None:
    problem = make(Smoothed(SAHOC(0.5)))

    def uphill(W: Array) -> SmoothValue:
        # A gradient with the wrong sign: every step goes up.
        return SmoothValue(float(W.sum()), np.full((2, 2), -1.0), 0.0, 0.0)

    point = at(problem, uphill, np.array([[0.0, 0.5], [0.5, 0.0]]))
    assert BacktrackingSearch().step(problem, uphill, point, 1.0) is None
