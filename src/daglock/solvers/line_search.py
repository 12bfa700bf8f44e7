"""One proximal gradient step with a backtracking line search."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from daglock.problem import Problem
from daglock.typing import Array


@dataclass(frozen=True, eq=False)
class SmoothValue:
    """The smooth part f at a point: its value and gradient, and the loss and h that made it."""

    value: float
    grad: Array
    loss: float
    h: float


@dataclass(frozen=True, eq=False)
class Point:
    """A point with everything that a step needs to know about it."""

    W: Array
    smooth: SmoothValue
    penalty: float

    @property
    def total(self) -> float:
        """F(W) = f(W) + penalty(W)."""
        return self.smooth.value + self.penalty

    @property
    def objective(self) -> float:
        """Loss plus penalty."""
        return self.smooth.loss + self.penalty


SmoothFunction = Callable[[Array], SmoothValue]


@dataclass(frozen=True)
class BacktrackingSearch:
    """Backtracking proximal line search (Algorithm 1 of the SPG-AHOC paper).

    Parameters
    ----------
    shrink : float
        Factor on the step size after a rejected candidate, in (0, 1).
    smallest : float
        The search gives up when the step size falls below this.
    sufficient_decrease : float
        σ in the inequality below, in (0, 1).
    """

    shrink: float = 0.5
    smallest: float = 1e-14
    sufficient_decrease: float = 1e-4

    def step(
        self, problem: Problem, smooth: SmoothFunction, point: Point, step_size: float
    ) -> tuple[Point, float] | None:
        """Return the first acceptable point and its step size, from `step_size` down.

        None when the search stalled: no step size above `smallest` is acceptable.
        """
        eta = step_size
        rounding = 4.0 * np.finfo(np.float64).eps * abs(point.total)
        while eta >= self.smallest:
            candidate = self._candidate(problem, smooth, point, eta)
            if candidate is not None:
                moved = float(np.sum((candidate.W - point.W) ** 2))
                # F(W⁺) ≤ F(W) − (σ/2η)‖W⁺ − W‖²_F, up to the rounding of F
                bound = point.total - self.sufficient_decrease / (2.0 * eta) * moved + rounding
                if candidate.total <= bound:
                    return candidate, eta
            eta *= self.shrink
        return None

    def _candidate(
        self, problem: Problem, smooth: SmoothFunction, point: Point, eta: float
    ) -> Point | None:
        """W⁺ = prox_{η·penalty}(W − η∇f(W)) with its values; None where they are not finite.

        Rejecting a step to where h = +∞ is what the paper calls the optimizer's safety net.
        """
        W = problem.penalty.prox(point.W - eta * point.smooth.grad, eta)
        W = np.where(problem.mask, W, 0.0)
        if not np.isfinite(W).all():
            return None
        value = smooth(W)
        if not (math.isfinite(value.value) and bool(np.isfinite(value.grad).all())):
            return None
        return Point(W, value, problem.penalty.value(W))
