"""What a solver did on its way, thinned so that a record stays small."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daglock import Problem
from daglock.solution import Solution, Status, Trace
from daglock.solvers.augmented_lagrangian import AugmentedLagrangianSolver
from daglock.solvers.base import StopRun
from daglock.typing import Array, Solver

# Every iteration at first, then twenty in each power of ten.
_KEPT = frozenset([*range(11), *np.rint(np.geomspace(10.0, 1e7, 121)).astype(int).tolist()])


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A point that was passed, with its row of the trace."""

    iteration: int
    outer: int
    h: float
    objective: float
    W: Array


@dataclass
class Watch:
    """A callback that keeps the points of `_KEPT` and the last one, and ends a run in time."""

    max_steps: int
    kept: list[Snapshot] = field(default_factory=list)
    last: Snapshot | None = None

    def __call__(self, progress: dict[str, Any]) -> None:
        """Look at one step of a solver."""
        names = ("iteration", "outer", "h", "objective", "W")
        self.last = Snapshot(*(progress[name] for name in names))
        if self.last.iteration in _KEPT:
            self.kept.append(self.last)
        if self.last.iteration >= self.max_steps:
            raise StopRun(Status.ITERATION_LIMIT)

    @property
    def snapshots(self) -> list[Snapshot]:
        """The points in their order."""
        if self.last is None or (self.kept and self.kept[-1] is self.last):
            return self.kept
        return [*self.kept, self.last]


def watch(
    problem: Problem,
    solver: Solver,
    *,
    start: Array | None = None,
    max_steps: int = 10_000_000,
) -> tuple[Solution, list[Snapshot]]:
    """Solve and return the solution with some of the points on the way.

    The limit is one of steps and not of time, so that a second run gives the same.
    """
    eye = Watch(max_steps)
    solution = solver.solve(problem, start=start, callback=eye)
    return solution, eye.snapshots


def summary(solution: Solution) -> dict[str, Any]:
    """Return what a record has of every solution."""
    return {
        "status": solution.status.value,
        "is_dag": solution.is_dag,
        "nnz": solution.n_nonzero,
        "n_iter": solution.n_iter,
        "seconds": solution.seconds,
    }


def penalty_weights(
    trace: Trace, solver: AugmentedLagrangianSolver, n_stages: int = 1
) -> list[tuple[float, float]]:
    """Multiplier and ρ of every outer iteration, by the rule of the solver from its trace.

    The last entry is what the next outer iteration would have had. `n_stages` is the number of
    constraints that a continuation goes through; ρ does not grow before the last.
    """
    multiplier, rho, last_h = 0.0, solver.rho_init, np.inf
    weights = [(multiplier, rho)]
    for outer in range(int(trace.outer[-1]) + 1):
        h = float(trace.h[np.flatnonzero(trace.outer <= outer)[-1]])
        multiplier += rho * h
        if outer >= n_stages - 1:
            if h > solver.h_progress * last_h:
                rho *= solver.rho_factor
            last_h = h
        weights.append((multiplier, rho))
    return weights
