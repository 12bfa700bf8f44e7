"""Adam, and the augmented Lagrangian with Adam inside."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from daglock._parameters import require_number
from daglock.errors import InvalidParameterError
from daglock.problem import Problem
from daglock.solvers.augmented_lagrangian import (
    AugmentedLagrangian,
    AugmentedLagrangianSolver,
    Inner,
)
from daglock.solvers.base import Run, require_counts, require_positive
from daglock.typing import Array


@runtime_checkable
class HasSubgradient(Protocol):
    """A penalty that offers one element of its subdifferential."""

    def subgradient(self, W: Array) -> Array:
        """Return one element of the subdifferential, zero at zero."""
        ...


def subgradient_of(problem: Problem) -> HasSubgradient:
    """Return the penalty of a problem, or raise if it has no subgradient."""
    penalty = problem.penalty
    if not isinstance(penalty, HasSubgradient):
        raise InvalidParameterError(
            f"{type(penalty).__name__} has no method `subgradient`, which Adam needs."
        )
    return penalty


@dataclass
class Adam:
    """The Adam update: ``−η m̂ / (√v̂ + ε)`` with bias-corrected running means of g and g².

    References
    ----------
    Kingma & Ba (2015), Adam, Algorithm 1.

    Examples
    --------
    >>> Adam(learning_rate=0.1).step(np.array([2.0, -3.0])).round(6).tolist()
    [-0.1, 0.1]
    """

    learning_rate: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    _count: int = field(default=0, init=False)
    _mean: Array = field(default_factory=lambda: np.zeros(()), init=False)
    _square: Array = field(default_factory=lambda: np.zeros(()), init=False)

    def step(self, grad: Array) -> Array:
        """Return the increment for this gradient and remember it."""
        self._count += 1
        self._mean = self.beta1 * self._mean + (1.0 - self.beta1) * grad
        self._square = self.beta2 * self._square + (1.0 - self.beta2) * grad * grad
        mean_scale = 1.0 / (1.0 - self.beta1**self._count)
        root_scale = 1.0 / math.sqrt(1.0 - self.beta2**self._count)
        root = np.sqrt(self._square) * root_scale + self.epsilon
        return np.asarray(-self.learning_rate * mean_scale * self._mean / root)


@dataclass(frozen=True, kw_only=True)
class AdamALM(AugmentedLagrangianSolver):
    """NOTEARS with Adam: ``L + penalty + μh + (ρ/2)h²`` by Adam steps on a subgradient.

    The paper's EXP [ADAM] with the constraint `Exp`. There is no prox, so no entry becomes
    exactly zero: W is dense as it comes out, and its users threshold it.

    Parameters
    ----------
    learning_rate : float
        In the first outer iteration; then multiplied by `decay` in each.
    decay : float
        In (0, 1].
    beta1, beta2 : float
        Memory of the two running means, in [0, 1).
    checkpoint : int
        An inner minimisation ends when its objective changed by less than `tolerance`,
        relatively, in this many steps.
    max_outer, max_inner, tolerance, h_tol, rho_init, rho_factor, rho_max, h_progress
        See `SPG`.

    References
    ----------
    Zheng et al. (2018), DAGs with NO TEARS, Algorithm 1; Kingma & Ba (2015).
    """

    learning_rate: float = 0.01
    decay: float = 0.8
    beta1: float = 0.9
    beta2: float = 0.999
    checkpoint: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(learning_rate=self.learning_rate)
        require_counts(checkpoint=self.checkpoint)
        require_memory(beta1=self.beta1, beta2=self.beta2)
        require_number("decay", self.decay, above=0, at_most=1)

    def _check(self, problem: Problem) -> None:
        subgradient_of(problem)

    def _minimise(self, run: Run, smooth: AugmentedLagrangian) -> Inner:
        problem, penalty = run.problem, subgradient_of(run.problem)
        learning_rate = self.learning_rate * self.decay**run.outer
        adam = Adam(learning_rate, self.beta1, self.beta2)
        W = run.W
        at = smooth(W)
        checked = np.inf
        for step in range(1, self.max_inner + 1):
            grad = np.where(problem.mask, at.grad + penalty.subgradient(W), 0.0)
            W = W + adam.step(grad)
            at = smooth(W)
            cost = problem.penalty.value(W)
            run.record(W, objective=at.loss + cost, h=at.h, step_size=learning_rate)
            if step % self.checkpoint == 0:
                total = at.value + cost
                if abs(checked - total) <= self.tolerance * max(abs(total), 1e-300):
                    return Inner.STATIONARY
                checked = total
        return Inner.LIMIT


def require_memory(**settings: float) -> None:
    """Raise InvalidParameterError for the first setting that is not in [0, 1)."""
    for name, value in settings.items():
        require_number(name, value, at_least=0, below=1)
