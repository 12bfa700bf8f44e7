"""The augmented Lagrangian: the outer loop that SPG, ProximalLS and AdamALM share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from daglock._parameters import require_number
from daglock.graph import is_dag
from daglock.problem import Problem
from daglock.solution import Status
from daglock.solvers.base import Run, SolverBase, require_counts, require_positive
from daglock.solvers.line_search import BacktrackingSearch, Point, SmoothValue
from daglock.typing import Array, Constraint


@dataclass(frozen=True, eq=False)
class AugmentedLagrangian:
    """The smooth part ``f(W) = L(W) + μ h(W) + (ρ/2) h(W)²`` for one μ and one ρ."""

    problem: Problem
    constraint: Constraint
    multiplier: float
    rho: float

    def __call__(self, W: Array) -> SmoothValue:
        """Return f(W) and ``∇f = ∇L + (μ + ρh)∇h``; +inf where h is."""
        h, grad_h = self.constraint.value_and_grad(W)
        loss, grad = self.problem.loss.value_and_grad(W)
        with np.errstate(over="ignore", invalid="ignore"):  # far out; such a step is rejected
            value = loss + (self.multiplier + 0.5 * self.rho * h) * h
            grad = grad + (self.multiplier + self.rho * h) * grad_h
        return SmoothValue(value, grad, loss, h)


class Inner(Enum):
    """How an inner minimisation ended."""

    STATIONARY = auto()
    LIMIT = auto()
    STALLED = auto()


@dataclass(frozen=True, kw_only=True)
class AugmentedLagrangianSolver(SolverBase):
    """Outer loop: minimise for a fixed multiplier and ρ, update both, repeat.

    After each inner minimisation ``μ ← μ + ρh``, and ``ρ ← rho_factor · ρ`` unless h fell below
    `h_progress` times its last value. Ends when the exact h is at most `h_tol`, or the support
    is a DAG and the inner minimisation reached a stationary point.

    Parameters
    ----------
    max_outer, max_inner : int
        Limits for outer iterations, and for steps within each.
    tolerance : float
        Accuracy of an inner minimisation.
    h_tol : float
        Tolerance on the exact (unsmoothed) h.
    rho_init, rho_factor, rho_max : float
    h_progress : float
    """

    max_outer: int = 100
    max_inner: int = 300
    tolerance: float = 1e-6
    h_tol: float = 1e-8
    rho_init: float = 1.0
    rho_factor: float = 10.0
    rho_max: float = 1e16
    h_progress: float = 0.25

    def __post_init__(self) -> None:
        require_counts(max_outer=self.max_outer, max_inner=self.max_inner)
        require_positive(
            tolerance=self.tolerance,
            h_tol=self.h_tol,
            rho_init=self.rho_init,
            rho_max=self.rho_max,
            h_progress=self.h_progress,
        )
        require_number("rho_factor", self.rho_factor, above=1)

    @abstractmethod
    def _minimise(self, run: Run, smooth: AugmentedLagrangian) -> Inner:
        """Minimise ``smooth + penalty`` from ``run.W``, recording every step."""

    def _constraints(self, problem: Problem) -> Sequence[Constraint]:
        """Constraint of each outer iteration; the last one is kept."""
        return [problem.constraint]

    def _run(self, run: Run) -> Status:
        constraints = self._constraints(run.problem)
        multiplier, rho, last_h = 0.0, self.rho_init, np.inf
        for outer in range(self.max_outer):
            run.outer = outer
            constraint = constraints[min(outer, len(constraints) - 1)]
            steps = run.n_iter
            inner = self._minimise(
                run, AugmentedLagrangian(run.problem, constraint, multiplier, rho)
            )
            h = constraint.value(run.W)
            multiplier += rho * h
            run.multiplier = multiplier
            if outer < len(constraints) - 1:
                continue
            status = self._status(run, inner, steps)
            if status is not None:
                return status
            if h > self.h_progress * last_h:
                rho *= self.rho_factor
                if rho > self.rho_max:
                    return Status.PENALTY_LIMIT
            last_h = h
        return Status.ITERATION_LIMIT

    def _status(self, run: Run, inner: Inner, steps: int) -> Status | None:
        """Why the outer loop ends here; None when it goes on."""
        acyclic = is_dag(run.W)
        feasible = acyclic or run.problem.exact_constraint.value(run.W) <= self.h_tol
        if inner is Inner.STALLED:
            stuck = run.n_iter == steps
            return Status.LINE_SEARCH_STALLED if feasible or stuck else None
        if not feasible:
            return None
        # A cyclic support with h within tolerance is reported as such, stationary or not.
        return Status.ITERATION_LIMIT if acyclic and inner is Inner.LIMIT else Status.CONVERGED


@dataclass(frozen=True, kw_only=True)
class ProximalSolver(AugmentedLagrangianSolver):
    """Inner minimisation by proximal gradient steps with a backtracking line search.

    Each search starts from `growth` times the last accepted step size. A point is stationary
    when ``‖W⁺ − W‖_∞ / η ≤ tolerance · ‖∇L(0)‖_∞``: the distance moved for each unit of step.

    Parameters
    ----------
    initial_step : float
        Step size that the first search of an inner minimisation starts from.
    growth : float
        At least 1.
    smallest_step : float
        Below this the line search has stalled.
    """

    initial_step: float = 1.0
    growth: float = 2.0
    smallest_step: float = 1e-14

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(initial_step=self.initial_step, smallest_step=self.smallest_step)
        require_number("growth", self.growth, at_least=1)

    def _minimise(self, run: Run, smooth: AugmentedLagrangian) -> Inner:
        problem, search = run.problem, BacktrackingSearch(smallest=self.smallest_step)
        tolerance = self.tolerance * problem.force_at_zero()
        point = Point(run.W, smooth(run.W), problem.penalty.value(run.W))
        step_size = self.initial_step
        for _ in range(self.max_inner):
            found = search.step(problem, smooth, point, step_size)
            if found is None:
                return Inner.STALLED
            moved = float(np.abs(found[0].W - point.W).max())
            point, accepted = found
            if moved > 0:
                run.record(point.W, objective=point.objective, h=point.smooth.h, step_size=accepted)
            if moved <= tolerance * accepted:
                return Inner.STATIONARY
            step_size = self.growth * accepted
        return Inner.LIMIT
