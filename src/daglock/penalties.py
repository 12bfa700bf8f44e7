"""Penalties: what an edge costs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from daglock._parameters import require_number
from daglock.typing import Array


class _Separable(ABC):
    """A penalty ``Σ p(|W_ij|)``, by the slope of p."""

    @abstractmethod
    def _slope(self, size: Array) -> float | Array:
        """Slope of p at non-negative sizes, from above at zero."""

    def subgradient(self, W: Array) -> Array:
        """One element of the subdifferential, zero at zero."""
        return np.asarray(self._slope(np.abs(W)) * np.sign(W))

    def subdifferential_distance(
        self, W: Array, grad: Array, extra_l1: float | Array = 0.0
    ) -> Array:
        """Distance of −grad to the subdifferential of p + e₁|·| at W, entrywise."""
        slope = self._slope(np.abs(W)) + np.asarray(extra_l1)
        at_zero = np.maximum(np.abs(grad) - slope, 0.0)  # distance of −grad to [−slope, slope]
        elsewhere = np.abs(grad + slope * np.sign(W))  # distance of −grad to {p'(w)}
        return np.where(W == 0, at_zero, elsewhere)


@dataclass(frozen=True)
class L1(_Separable):
    """The L1 penalty ``λ Σ|W_ij|``, λ ≥ 0.

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

    def _slope(self, size: Array) -> float | Array:
        return self.lam


@dataclass(frozen=True)
class MCP(_Separable):
    """The minimax concave penalty, summed over entries: L1 near zero, flat far from it.

    ``p(w) = λ|w| − w²/(2γ)`` for ``|w| ≤ γλ``, and ``γλ²/2`` beyond, λ ≥ 0 and γ > 0: the slope
    falls from λ to 0, so that large weights are not shrunk.

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

    def _slope(self, size: Array) -> float | Array:
        return np.maximum(self.lam - size / self.gamma, 0.0)

    def _values(self, size: Array) -> Array:
        """Return p at non-negative sizes."""
        inner = self.lam * size - size**2 / (2.0 * self.gamma)
        return np.where(size <= self.gamma * self.lam, inner, self.gamma * self.lam**2 / 2.0)


PENALTIES: dict[str, type[L1] | type[MCP]] = {"l1": L1, "mcp": MCP}
"""Every penalty by name: what the contract tests run over."""
