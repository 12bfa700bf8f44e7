"""The minimax concave penalty: L1 near zero, flat far from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from daglock._parameters import require_number
from daglock.typing import Array


@dataclass(frozen=True)
class MCP:
    """The minimax concave penalty, summed over entries.

    ``p(w) = λ|w| − w²/(2γ)`` for ``|w| ≤ γλ``, and ``γλ²/2`` beyond: the slope falls from λ to 0,
    so that large weights are not shrunk.

    Parameters
    ----------
    lam : float
        λ ≥ 0, the slope at zero.
    gamma : float
        γ > 0; the penalty is flat from γλ on.

    References
    ----------
    Zhang (2010), Nearly unbiased variable selection under minimax concave penalty, eq. 2.1.

    Examples
    --------
    >>> penalty = MCP(lam=0.5, gamma=3.0)
    >>> penalty.value(np.array([0.3, 10.0]))
    0.51
    >>> penalty.prox(np.array([0.4, 0.8, 10.0]), step_size=1.0).round(2).tolist()
    [0.0, 0.45, 10.0]
    """

    lam: float
    gamma: float = 3.0

    def __post_init__(self) -> None:
        require_number("lam", self.lam, at_least=0)
        require_number("gamma", self.gamma, above=0)

    def value(self, W: Array) -> float:
        """Sum of p over the entries."""
        return float(self._values(np.abs(W)).sum())

    def prox(
        self,
        Z: Array,
        step_size: float | Array,
        extra_l1: float | Array = 0.0,
        extra_l2: float | Array = 0.0,
    ) -> Array:
        """argmin_w ½(w − z)² + η(p(w) + e₁|w| + e₂w²), entrywise; e₁, e₂ ≥ 0.

        On each side of γλ the objective is a parabola in |w|. Its minimisers there, clipped to
        their piece, and zero are the candidates; the best one is taken. This is exact also when
        the inner parabola is concave (η/γ ≥ 1 + 2ηe₂), and a tie goes to the smaller weight.
        """
        size = np.abs(Z)
        eta, e1, e2 = (np.asarray(a, dtype=np.float64) for a in (step_size, extra_l1, extra_l2))
        knee = self.gamma * self.lam
        curvature = 1.0 + 2.0 * eta * e2 - eta / self.gamma
        # Where the inner parabola is concave, its minimum is at an end of the piece: any divisor
        # will do, because the ends are candidates.
        inner = (size - eta * (self.lam + e1)) / np.where(curvature > 0, curvature, 1.0)
        inner = np.clip(inner, 0.0, knee)
        outer = np.maximum((size - eta * e1) / (1.0 + 2.0 * eta * e2), knee)

        def objective(w: Array) -> Array:
            return np.asarray(0.5 * (w - size) ** 2 + eta * (self._values(w) + e1 * w + e2 * w**2))

        best = np.zeros_like(size)
        for candidate in (inner, outer):
            best = np.where(objective(candidate) < objective(best), candidate, best)
        return np.asarray(np.copysign(best, Z) + 0.0)  # no negative zeros

    def subgradient(self, W: Array) -> Array:
        """One element of the subdifferential, zero at zero."""
        return np.asarray(np.maximum(self.lam - np.abs(W) / self.gamma, 0.0) * np.sign(W))

    def subdifferential_distance(
        self, W: Array, grad: Array, extra_l1: float | Array = 0.0
    ) -> Array:
        """Distance of −grad to the subdifferential of p + e₁|·| at W, entrywise."""
        slope = np.maximum(self.lam - np.abs(W) / self.gamma, 0.0) + np.asarray(extra_l1)
        at_zero = np.maximum(np.abs(grad) - slope, 0.0)  # distance of −grad to [−slope, slope]
        elsewhere = np.abs(grad + slope * np.sign(W))  # distance of −grad to {p'(w)}
        return np.asarray(np.where(W == 0, at_zero, elsewhere))

    def _values(self, size: Array) -> Array:
        """Return p at non-negative sizes."""
        inner = self.lam * size - size**2 / (2.0 * self.gamma)
        return np.where(size <= self.gamma * self.lam, inner, self.gamma * self.lam**2 / 2.0)
