"""The frame of every solver: clock, trace, callback, interruption, and the way out."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from daglock._parameters import require_integer, require_number
from daglock.errors import InvalidParameterError
from daglock.problem import Problem
from daglock.solution import Solution, Status, Trace
from daglock.typing import Array, Callback, Solver


class StopRun(BaseException):
    """Signal from inside a run that it is over; `SolverBase.solve` catches it."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.name)
        self.status = status


class Run:
    """The state of one call of `solve`: the last point, its trace, the clock and the callback.

    Attributes
    ----------
    W : array of shape (d, d)
        The last point that was recorded, the one that is returned whatever happens.
    multiplier : float
        Weight of h in the Lagrangian; a solver sets it, the solution reports it.
    outer : int
        Index of the outer iteration; a solver sets it, the trace reports it.
    """

    def __init__(
        self,
        problem: Problem,
        start: Array | None,
        callback: Callback | None,
        time_limit: float | None,
    ) -> None:
        if time_limit not in (None, math.inf):
            require_number("time_limit", time_limit, at_least=0)
        if callback is not None and not callable(callback):
            raise InvalidParameterError(f"callback must be callable; got {callback!r}.")
        self._started = time.perf_counter()
        self._deadline = math.inf if time_limit is None else self._started + time_limit
        self._callback = callback
        self._rows: list[tuple[float, ...]] = []
        self.problem = problem
        self.start = problem.starting_point(start)
        self.W = self.start
        self.multiplier = 0.0
        self.outer = 0

    @property
    def seconds(self) -> float:
        """Time since the start of the run."""
        return time.perf_counter() - self._started

    @property
    def n_iter(self) -> int:
        """Steps taken: rows of the trace after the first."""
        return max(len(self._rows) - 1, 0)

    def record(self, W: Array, *, objective: float, h: float, step_size: float) -> None:
        """Accept W as the current point, or end the run.

        W must not be changed afterwards. `objective` is loss plus penalty at W, `h` the
        constraint as the solver sees it.

        Raises
        ------
        StopRun
            When a value is not finite (W is then not accepted), or the time is over.
        """
        if not (math.isfinite(objective) and math.isfinite(h) and bool(np.isfinite(W).all())):
            raise StopRun(Status.NUMERICAL_FAILURE)
        self.W = W
        row = Trace.row(W, objective=objective, h=h, step_size=step_size, outer=self.outer)
        self._rows.append(row)
        if self._callback is not None:
            self._callback(self._progress())
        if time.perf_counter() > self._deadline:
            raise StopRun(Status.TIME_LIMIT)

    def solution(self, status: Status) -> Solution:
        """Return the last point with its status, sharpened by what the point itself shows."""
        W = self.W
        solution = Solution(
            W,
            status,
            h=self.problem.exact_constraint.value(W),
            objective=self.problem.objective(W),
            n_iter=self.n_iter,
            trace=Trace.of(self._rows),
            multiplier=self.multiplier,
            seconds=self.seconds,
        )
        if status is not Status.CONVERGED:
            return solution
        if not solution.is_dag:
            return solution.with_status(Status.CONVERGED_CYCLIC)
        if np.array_equal(W, self.start):
            return solution.with_status(Status.STAYED_AT_START)
        return solution

    def _progress(self) -> dict[str, Any]:
        """Return what a callback sees: the last row of the trace, the time, and W, read-only."""
        objective, h, step_size, n_nonzero, norm, _, outer = self._rows[-1]
        W = self.W.view()
        W.flags.writeable = False
        return {
            "iteration": self.n_iter,
            "outer": outer,
            "objective": objective,
            "h": h,
            "step_size": step_size,
            "n_nonzero": n_nonzero,
            "norm": norm,
            "seconds": self.seconds,
            "W": W,
        }


class SolverBase(ABC):
    """What all solvers share. A concrete solver is a frozen dataclass of settings with `_run`."""

    def solve(
        self,
        problem: Problem,
        *,
        start: Array | None = None,
        callback: Callback | None = None,
        time_limit: float | None = None,
    ) -> Solution:
        """Minimise the problem.

        Parameters
        ----------
        problem : Problem
        start : array of shape (d, d), optional
            Where to begin; W = 0 by default. Not modified.
        callback : callable, optional
            Called with a dictionary (iteration, outer, objective, h, step_size, n_nonzero, norm,
            seconds, W) at the start and after every step.
        time_limit : float, optional
            Seconds. Looked at after every step.

        Returns
        -------
        Solution
            Whatever stopped the run, also Ctrl-C (KeyboardInterrupt): the last point and a
            status that says why.
        """
        if not isinstance(problem, Problem):
            raise InvalidParameterError(f"problem must be a Problem; got {problem!r}.")
        self._check(problem)
        run = Run(problem, start, callback, time_limit)
        h = problem.constraint.value(run.W)
        if not math.isfinite(h):
            raise InvalidParameterError("start is outside the domain of the constraint.")
        try:
            run.record(run.W, objective=problem.objective(run.W), h=h, step_size=0.0)
            status = self._run(run)
        except StopRun as stop:
            status = stop.status
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        except np.linalg.LinAlgError:
            status = Status.NUMERICAL_FAILURE
        return run.solution(status)

    @abstractmethod
    def _run(self, run: Run) -> Status:
        """Move ``run.W`` by calls of ``run.record`` and say why it ended.

        `CONVERGED` is enough: a cyclic support and a run that did not move are recognised later.
        """

    def _check(self, problem: Problem) -> None:
        """Raise InvalidParameterError if the solver cannot handle the problem; none by default."""
        return


def solve(problem: Problem, solver: Solver, **kwargs: Any) -> Solution:
    """Minimise a problem by a solver: the same as ``solver.solve(problem, **kwargs)``.

    Parameters
    ----------
    problem : Problem
    solver : Solver
    **kwargs
        ``start``, ``callback``, ``time_limit``.

    Examples
    --------
    >>> from daglock.constraints import Exp
    >>> from daglock.losses import LeastSquares
    >>> from daglock.moments import Moments
    >>> from daglock.penalties import L1
    >>> from daglock.solvers import ProximalLS
    >>> moments = Moments.from_covariance([[1.0, 0.8], [0.8, 1.64]], n=1000)
    >>> solution = solve(Problem(LeastSquares(moments), Exp(), L1(0.1)), ProximalLS(max_inner=50))
    >>> solution.W.round(1).tolist()
    [[0.0, 0.7], [0.0, 0.0]]
    """
    if isinstance(solver, type) or not isinstance(solver, Solver):
        raise InvalidParameterError(f"solver must be a solver such as SPG(); got {solver!r}.")
    return solver.solve(problem, **kwargs)


def require_positive(**settings: float) -> None:
    """Raise InvalidParameterError for the first setting that is not a number above zero."""
    for name, value in settings.items():
        require_number(name, value, above=0)


def require_counts(**settings: int) -> None:
    """Raise InvalidParameterError for the first setting that is not a whole number from one on."""
    for name, value in settings.items():
        require_integer(name, value, at_least=1)
