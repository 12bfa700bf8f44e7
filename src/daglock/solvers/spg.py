"""SPG: the smoothed proximal gradient method of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from daglock._parameters import require_positive_numbers
from daglock.constraints import Smoothed
from daglock.errors import InvalidParameterError
from daglock.problem import Problem
from daglock.solvers.augmented_lagrangian import ProximalSolver
from daglock.typing import Constraint


@dataclass(frozen=True, kw_only=True)
class SPG(ProximalSolver):
    """Smoothed proximal gradient inside an augmented Lagrangian.

    Each step is ``W ← prox_{ηλ}(W − η∇f(W))`` with
    ``f = L + μ h̃ + (ρ/2) h̃²``, h̃ the smoothed constraint, and η from a backtracking search.
    Zeros made by the prox are exact. Built as printed: with ``λ ≥ ‖∇L(0)‖_∞`` the start W = 0 is
    stationary and is returned; below that, steps shrink to the size of δ.

    Parameters
    ----------
    delta_path : sequence of float, optional
        Smoothing widths from large to small, one for each outer iteration, before the problem's
        own δ. None keeps δ fixed, as the paper does.
    max_outer, max_inner : int
        Limits for outer iterations, and for steps within each.
    tolerance : float
        An inner minimisation ends when ``‖W⁺ − W‖_∞ / η ≤ tolerance · ‖∇L(0)‖_∞``.
    h_tol : float
        Tolerance on the exact (unsmoothed) h.
    rho_init, rho_factor, rho_max, h_progress : float
        ρ is multiplied by `rho_factor`, up to `rho_max`, unless h̃ fell below `h_progress` times
        its last value.
    initial_step, growth, smallest_step : float
        Step size that a search starts from: first `initial_step`, then `growth` times the last;
        below `smallest_step` it has stalled.

    References
    ----------
    SPG-AHOC paper, Algorithm 1.

    Examples
    --------
    >>> from daglock import losses, moments, penalties, problem
    >>> from daglock.constraints import SAHOC, Smoothed
    >>> S = moments.Moments.from_covariance([[1.0, 0.8], [0.8, 1.64]], n=1000)
    >>> task = problem.Problem(losses.LeastSquares(S), Smoothed(SAHOC(0.5)), penalties.L1(1.0))
    >>> SPG().solve(task).status.name
    'STAYED_AT_START'
    """

    delta_path: Sequence[float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta_path is None:
            return
        require_positive_numbers("delta_path", self.delta_path)
        if any(a <= b for a, b in pairwise(self.delta_path)):
            raise InvalidParameterError(f"delta_path must fall; got {list(self.delta_path)}.")

    def _check(self, problem: Problem) -> None:
        if not isinstance(problem.constraint, Smoothed):
            raise InvalidParameterError(
                "SPG needs a smooth constraint: wrap it as Smoothed(constraint, delta), "
                "or use ProximalLS."
            )

    def _constraints(self, problem: Problem) -> Sequence[Constraint]:
        constraint = problem.constraint
        if self.delta_path is None or not isinstance(constraint, Smoothed):
            return [constraint]
        wider = [delta for delta in self.delta_path if delta > constraint.delta]
        return [*(replace(constraint, delta=delta) for delta in wider), constraint]
