"""ProxLinear: |W| kept as it is, the constraint linearised in M, its kink inside the prox."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from daglock._parameters import require_positive_numbers
from daglock.constraints.base import Composition
from daglock.constraints.core import Constant
from daglock.constraints.spectral import LogDeterminant
from daglock.errors import InvalidParameterError
from daglock.losses import Gaussian, LeastSquares
from daglock.penalties import L1, MCP
from daglock.problem import Problem
from daglock.solution import Status
from daglock.solvers import prox_linear_kernels as kernels
from daglock.solvers.base import Run, SolverBase, StopRun, require_counts, require_positive
from daglock.solvers.prox_linear_kernels import NOT_GIVEN, Rule
from daglock.solvers.prox_linear_path import FLOOR, MUS, PASSES, Descent
from daglock.typing import Array, Constraint

# A weight of this size has run away.
_LARGEST = 1e100


@dataclass(frozen=True, kw_only=True)
class ProxLinear(SolverBase):
    """Minimise ``L(W) + penalty(W) + μ h(W)`` for rising μ, with |W| left non-smooth.

    h is a smooth function of the core ``M(W) = α W∘W + (1−α)|W|``. It is linearised there, and M
    is kept: with ``c = μ max(C, 0)``, ``C = ∂h/∂M``, every step has the closed form

    ``W⁺_ij = soft(z_ij, η (λ + (1−α) c_ij)) / (1 + 2 α η c_ij)``

    (with L1; MCP has its own), here for one entry at a time, with the step size η that is exact
    for it. An entry that would close a cycle has the threshold ``λ + (1−α) c_ij``, which for μ
    large enough exceeds the pull of the loss: it is exactly zero. A negative C_ij adds
    ``μ C_ij M'(W_ij)`` to the gradient.

    When the support is a DAG that a sweep does not change, no larger μ would change it. The order
    is locked: entries that close a cycle are forbidden, and the others are fitted to the end.

    With the log-determinant, C is followed column by column (`prox_linear_path`); any other
    constraint is asked for C once in each sweep. If its core has no kink (α = 1), nothing forces
    an entry to zero, and the path usually ends with a cyclic support.

    The loss must be `LeastSquares` or `Gaussian`, the penalty `L1` or `MCP`, and the constraint
    must not be `Smoothed`.

    Parameters
    ----------
    mus : sequence of float
        Weights of h, increasing.
    max_sweeps : int
        Limit for the sweeps over all columns at each μ.
    tolerance : float
        A stage ends when no weight changes by more than this in a sweep.
    max_path : int
        With the log-determinant: longest path that is looked at. A cycle of more than
        ``max_path + 1`` edges has no price; if one survives, the status says so.
    max_lock_sweeps, lock_tolerance : int, float
        The same for the sweeps after the order is locked.

    Examples
    --------
    >>> from daglock.constraints import SAHOC
    >>> from daglock.moments import Moments
    >>> moments = Moments.from_covariance([[1.0, 0.8], [0.8, 1.64]], n=1000)
    >>> solution = ProxLinear().solve(Problem(LeastSquares(moments), SAHOC(0.5), L1(0.1)))
    >>> solution.W.round(2).tolist(), solution.status.name
    ([[0.0, 0.7], [0.0, 0.0]], 'CONVERGED')
    """

    mus: Sequence[float] = MUS
    max_sweeps: int = 10
    tolerance: float = 1e-2
    max_path: int = 8
    max_lock_sweeps: int = 1000
    lock_tolerance: float = 1e-9

    def __post_init__(self) -> None:
        require_positive_numbers("mus", self.mus)
        if len(self.mus) == 0 or (np.diff(self.mus) <= 0).any():
            raise InvalidParameterError("mus must be increasing numbers, at least one.")
        require_counts(
            max_sweeps=self.max_sweeps,
            max_path=self.max_path,
            max_lock_sweeps=self.max_lock_sweeps,
        )
        require_positive(tolerance=self.tolerance, lock_tolerance=self.lock_tolerance)

    def _check(self, problem: Problem) -> None:
        _moments_and_profile(problem)
        _lam_and_gamma(problem)
        if problem.exact_constraint is not problem.constraint:
            raise InvalidParameterError(
                "ProxLinear keeps |W| as it is; give the constraint without Smoothed."
            )

    def _run(self, run: Run) -> Status:
        descent = _descent(run, self)

        def record(stage: int, mu: float) -> None:
            run.outer, run.multiplier = stage, mu
            descent.record(run)

        for _ in descent.follow(self.mus, self.max_sweeps, self.tolerance, record):
            pass
        if not descent.is_acyclic():
            return Status.PENALTY_LIMIT
        run.outer += 1
        for _ in range(self.max_lock_sweeps):
            change = descent.sweep(math.inf)
            descent.record(run)
            if change < self.lock_tolerance:
                return Status.CONVERGED
        return Status.ITERATION_LIMIT


class _LogDetDescent(Descent):
    """The sweeps of a problem whose constraint is the log-determinant, as the engine runs them."""

    def __init__(self, problem: Problem, start: Array, max_path: int, max_passes: int) -> None:
        S, profile = _moments_and_profile(problem)
        lam, gamma = _lam_and_gamma(problem)
        rule = Rule(
            profile=profile,
            lam=float(lam),
            gamma=float(gamma),
            alpha=1.0 - float(problem.constraint.kink),
            s=float(_log_det_scale(problem.constraint) or 1.0),
            max_path=int(max_path),
            max_passes=max_passes,
            tolerance=1e-3,
            noise=0.0,
            floor=FLOOR,
        )
        super().__init__(S, rule, start, problem.mask)
        self.problem = problem

    def h(self) -> float:
        """Return the constraint, as far as it is looked at."""
        return kernels.series_value(self.columns, self.rule, self.work)

    def record(self, run: Run) -> None:
        """Hand the current point to the run."""
        W = self.columns.weights.T.copy()
        if not np.abs(W).max(initial=0.0) < _LARGEST:
            raise StopRun(Status.NUMERICAL_FAILURE)
        run.record(W, objective=self.problem.objective(W), h=self.h(), step_size=1.0)


class _OuterDescent(_LogDetDescent):
    """The same for any other constraint: C is evaluated once in each sweep.

    All columns see the same C, so an edge and its reverse can be priced out together, and come
    back together. The mean with the C of the sweep before lets the stronger one come back first.
    """

    C: Array | None = None

    def sweep(self, mu: float, C: Array = NOT_GIVEN, tilt: Array = NOT_GIVEN) -> float:
        if math.isinf(mu):
            return super().sweep(mu)
        alpha, W = self.rule.alpha, self.columns.weights.T
        _, C = self.problem.constraint.value_and_core_grad(W)
        C = C if self.C is None else 0.5 * self.C + 0.5 * C
        self.C = C
        slope = 2.0 * alpha * W + (1.0 - alpha) * np.sign(W)
        with np.errstate(over="ignore"):
            tilt = mu * (np.minimum(C, 0.0) * slope)
        return super().sweep(mu, np.asfortranarray(np.maximum(C, 0.0)), np.asfortranarray(tilt))

    def h(self) -> float:
        return self.problem.constraint.value(self.columns.weights.T)


def _descent(run: Run, settings: ProxLinear) -> _LogDetDescent:
    """Choose how C is found; a column that sees an old C goes only one pass towards it."""
    if _log_det_scale(run.problem.constraint) is not None:
        return _LogDetDescent(run.problem, run.W, settings.max_path, max_passes=PASSES)
    return _OuterDescent(run.problem, run.W, settings.max_path, max_passes=1)


def _log_det_scale(constraint: Constraint) -> float | None:
    """Return s of ``−log det(I − M/s)``, or None for another constraint."""
    if isinstance(constraint, Composition) and isinstance(constraint.spectral, LogDeterminant):
        scaling = constraint.scaling
        return scaling.s if isinstance(scaling, Constant) else None
    return None


def _moments_and_profile(problem: Problem) -> tuple[Array, bool]:
    """Covariance, and whether variances are profiled out."""
    if not isinstance(problem.loss, LeastSquares | Gaussian):
        raise InvalidParameterError(
            f"ProxLinear needs the loss LeastSquares or Gaussian, not "
            f"{type(problem.loss).__name__}."
        )
    return problem.loss.moments.cov, isinstance(problem.loss, Gaussian)


def _lam_and_gamma(problem: Problem) -> tuple[float, float]:
    """λ and γ of the penalty; γ is infinite for L1."""
    penalty = problem.penalty
    if isinstance(penalty, L1):
        return penalty.lam, math.inf
    if isinstance(penalty, MCP):
        return penalty.lam, penalty.gamma
    raise InvalidParameterError(
        f"ProxLinear needs the penalty L1 or MCP, not {type(penalty).__name__}."
    )
