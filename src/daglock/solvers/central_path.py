"""CentralPath: the log-det central path of DAGMA."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetri

from daglock._parameters import require_integer, require_number, require_positive_numbers
from daglock.constraints import LogDet
from daglock.errors import InvalidParameterError
from daglock.problem import Problem
from daglock.solution import Status
from daglock.solvers.adam import Adam, require_memory, subgradient_of
from daglock.solvers.base import Run, SolverBase, require_counts, require_positive
from daglock.typing import Array

# Of dagma: from which s on steps are taken back, what s is raised by, which rate moves nothing.
_NARROW, _WIDER, _NO_STEP = 0.9, 0.1, 1e-16


@dataclass(frozen=True, kw_only=True)
class CentralPath(SolverBase):
    """DAGMA: minimise ``μ(L + penalty) + h_s`` for falling μ, each stage from the last one's end.

    ``h_s(W) = −log det(sI − W∘W) + d log s`` is finite only where the spectral radius of W∘W is
    below s: it acts as a barrier. As μ falls, h_s dominates and its minimisers are DAGs. There is
    no prox: entries become small, not zero, and users of the method threshold them.

    What happens at the edge of the domain is that of the package dagma 1.1.1. For s > 0.9 a step
    that would leave is taken back, and taken with half the learning rate, which stays. Otherwise,
    or where the start of a stage lies outside, the stage begins anew with s raised by 0.1 and half
    the learning rate.

    The problem's constraint must be a `LogDet`; its s is replaced by the path's.

    Parameters
    ----------
    s : sequence of float
        One for each stage; its length is the number of stages.
    mu_init, mu_factor : float
        μ of the first stage, and the factor from one stage to the next, in (0, 1).
    warm_iter, last_iter : int
        Limits for the steps of each stage but the last, and of the last.
    learning_rate, beta1, beta2 : float
        Of Adam.
    checkpoint : int
        A stage ends when its objective changed by less than `tolerance`, relatively, in this
        many steps.
    tolerance : float
    h_tol : float
        The h of the last stage is expected below this; if it is not, the status says so.
    max_halvings : int
        How often a stage that left the domain begins anew; the package knows no limit.

    References
    ----------
    Bello, Aragam & Ravikumar (2022), DAGMA, Algorithm 1.
    """

    s: Sequence[float] = (1.0, 0.9, 0.8, 0.7, 0.6)
    mu_init: float = 1.0
    mu_factor: float = 0.1
    warm_iter: int = 30_000
    last_iter: int = 60_000
    learning_rate: float = 3e-4
    beta1: float = 0.99
    beta2: float = 0.999
    checkpoint: int = 1000
    tolerance: float = 1e-6
    h_tol: float = 1e-6
    max_halvings: int = 10

    def __post_init__(self) -> None:
        require_positive(
            mu_init=self.mu_init,
            learning_rate=self.learning_rate,
            tolerance=self.tolerance,
            h_tol=self.h_tol,
        )
        require_counts(
            warm_iter=self.warm_iter, last_iter=self.last_iter, checkpoint=self.checkpoint
        )
        require_integer("max_halvings", self.max_halvings, at_least=0)
        require_memory(beta1=self.beta1, beta2=self.beta2)
        require_number("mu_factor", self.mu_factor, above=0, below=1)
        require_positive_numbers("s", self.s)
        if len(self.s) == 0:
            raise InvalidParameterError("s must hold one number for each stage; it is empty.")

    def _check(self, problem: Problem) -> None:
        subgradient_of(problem)
        if not isinstance(problem.constraint, LogDet):
            raise InvalidParameterError(
                f"CentralPath needs the constraint LogDet, not {type(problem.constraint).__name__}."
            )

    def _run(self, run: Run) -> Status:
        status = Status.CONVERGED
        for stage, s in enumerate(self.s):
            run.outer = stage
            mu = self.mu_init * self.mu_factor**stage
            run.multiplier = 1.0 / mu
            last = stage == len(self.s) - 1
            stage_status = self._stage(run, mu, s, self.last_iter if last else self.warm_iter)
            if stage_status is Status.LEFT_DOMAIN:
                return stage_status
            status = stage_status
        if status is Status.CONVERGED and run.problem.constraint.value(run.W) > self.h_tol:
            return Status.PENALTY_LIMIT
        return status

    def _stage(self, run: Run, mu: float, s: float, limit: int) -> Status:
        """Run one stage from ``run.W``, in a wider domain and with smaller steps if it leaves."""
        W = run.W
        for k in range(self.max_halvings + 1):
            rate = self.learning_rate * 0.5**k
            status = self._descend(run, W, mu, s + _WIDER * k, limit, rate)
            if status is not Status.LEFT_DOMAIN:
                return status
        return Status.LEFT_DOMAIN

    def _descend(
        self, run: Run, W: Array, mu: float, s: float, limit: int, learning_rate: float
    ) -> Status:
        """Adam steps from W until the objective settles, the limit, or the end of the domain."""
        problem, penalty = run.problem, subgradient_of(run.problem)
        adam = Adam(learning_rate, self.beta1, self.beta2)
        barrier = log_det(W, s)
        loss, grad = problem.loss.value_and_grad(W)
        checked = np.inf
        for step in range(1, limit + 1):
            if barrier is None:
                return Status.LEFT_DOMAIN
            grad = mu * (grad + penalty.subgradient(W)) + barrier[1]
            move = adam.step(np.where(problem.mask, grad, 0.0))
            barrier = log_det(W + move, s)
            while barrier is None and s > _NARROW:
                adam.learning_rate *= 0.5
                if adam.learning_rate <= _NO_STEP:
                    return Status.ITERATION_LIMIT
                move *= 0.5
                barrier = log_det(W + move, s)
            if barrier is None:
                return Status.LEFT_DOMAIN
            W = W + move
            loss, grad = problem.loss.value_and_grad(W)
            objective = loss + problem.penalty.value(W)
            run.record(W, objective=objective, h=barrier[0], step_size=adam.learning_rate)
            if step % self.checkpoint == 0:
                total = mu * objective + barrier[0]
                if abs(checked - total) <= self.tolerance * abs(total):
                    return Status.CONVERGED
                checked = total
        return Status.ITERATION_LIMIT


def log_det(W: Array, s: float) -> tuple[float, Array] | None:
    """``h_s(W)`` and its gradient ``2W ∘ (sI − W∘W)⁻ᵀ``, or None outside the domain.

    The same as `LogDet(s)`, by one factorisation of a dense matrix, which is what the iterates
    here are. sI − W∘W has no positive off-diagonal entry; such a matrix has a spectral radius
    of W∘W below s exactly when its inverse exists and has no negative entry.
    """
    d = len(W)
    M = -W * W
    M[np.diag_indices(d)] += s
    factors, pivots, info = dgetrf(M.T)  # of the transpose: LAPACK stores by columns
    if info != 0:
        return None
    log_determinant = float(np.log(np.abs(np.diagonal(factors))).sum())
    inverse_transposed, info = dgetri(factors, pivots, overwrite_lu=True)
    if info != 0 or not inverse_transposed.min() >= -1e-12 * inverse_transposed.max():
        return None
    return d * math.log(s) - log_determinant, np.asarray(2.0 * W * inverse_transposed)
