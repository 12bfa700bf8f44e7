"""The L1 penalty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from daglock._parameters import require_number
from daglock.typing import Array


@dataclass(frozen=True)
class L1:
    """The L1 penalty ``λ Σ|W_ij|``.

    Parameters
    ----------
    lam : float
        λ ≥ 0.

    Examples
    --------
    >>> L1(0.5).value(np.array([[0.0, 2.0], [-1.0, 0.0]]))
    1.5
    >>> L1(0.5).prox(np.array([1.0, -0.3, -2.0]), step_size=1.0).tolist()
    [0.5, 0.0, -1.5]
    """

    lam: float

    def __post_init__(self) -> None:
        require_number("lam", self.lam, at_least=0)

    def value(self, W: Array) -> float:
        """λ Σ|W_ij|."""
        return self.lam * float(np.abs(W).sum())

    def prox(
        self,
        Z: Array,
        step_size: float | Array,
        extra_l1: float | Array = 0.0,
        extra_l2: float | Array = 0.0,
    ) -> Array:
        """argmin_w ½(w − z)² + η(λ|w| + e₁|w| + e₂w²), entrywise.

        ``soft(z, η(λ + e₁)) / (1 + 2ηe₂)`` with ``soft(z, t) = sign(z) max(|z| − t, 0)``;
        e₁, e₂ ≥ 0.
        """
        threshold = step_size * (self.lam + np.asarray(extra_l1))
        shrunk = Z - np.clip(Z, -threshold, threshold)
        return np.asarray(shrunk / (1.0 + 2.0 * step_size * np.asarray(extra_l2)))

    def subgradient(self, W: Array) -> Array:
        """λ sign(W): one element of the subdifferential, zero at zero."""
        return np.asarray(self.lam * np.sign(W))

    def subdifferential_distance(
        self, W: Array, grad: Array, extra_l1: float | Array = 0.0
    ) -> Array:
        """Distance of −grad to the subdifferential of (λ + e₁)|·| at W, entrywise."""
        slope = self.lam + np.asarray(extra_l1)
        at_zero = np.maximum(np.abs(grad) - slope, 0.0)  # distance of −grad to [−slope, slope]
        elsewhere = np.abs(grad + slope * np.sign(W))  # distance of −grad to {slope · sign(w)}
        return np.where(W == 0, at_zero, elsewhere)
