"""Cores: entrywise maps W -> M(W) >= 0 that turn signed weights into edge strengths.

A core also gives its entrywise derivative. Where a core has a kink (``|W_ij|`` at
``W_ij = 0``) the derivative is the one-sided derivative from above. Results that leave the
range of double precision stay at its largest number, so that nothing becomes infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from daglock._parameters import require_number
from daglock.typing import Array

LARGEST = float(np.finfo(np.float64).max)


class Core(Protocol):
    """An entrywise map ``M_ij = m(W_ij) >= 0``."""

    @property
    def kink(self) -> float:
        """Slope of m at zero from above; 0 for a core that is smooth there."""
        ...

    @property
    def fills_zeros(self) -> bool:
        """Whether ``m(0) > 0``: then absent edges have strength as well."""
        ...

    def value(self, W: Array) -> Array:
        """M(W), for an array of any shape."""
        ...

    def derivative(self, W: Array) -> Array:
        """dM/dW, entrywise, from above at a kink."""
        ...


@dataclass(frozen=True)
class QuadraticCore:
    """``m(w) = w²``: the core of NOTEARS, DAGMA and AAC."""

    kink = 0.0
    fills_zeros = False

    def value(self, W: Array) -> Array:
        """``W∘W``."""
        with np.errstate(over="ignore"):
            return saturate(W * W)

    def derivative(self, W: Array) -> Array:
        """``2W``."""
        with np.errstate(over="ignore"):
            return saturate(2.0 * W)


@dataclass(frozen=True)
class HybridCore:
    """``m(w) = α w² + (1−α)|w|``: quadratic far out, linear with a kink near zero."""

    alpha: float
    fills_zeros = False

    def __post_init__(self) -> None:
        require_number("alpha", self.alpha, at_least=0, below=1)

    @property
    def kink(self) -> float:
        """``1 − α``."""
        return 1.0 - self.alpha

    def value(self, W: Array) -> Array:
        """``α W∘W + (1−α)|W|``."""
        with np.errstate(over="ignore"):
            return saturate(self.alpha * W * W + self.kink * np.abs(W))

    def derivative(self, W: Array) -> Array:
        """``2αW + (1−α) sign(W)``, where ``sign(0) = +1``: the derivative from above."""
        with np.errstate(over="ignore"):
            return saturate(2.0 * self.alpha * W + np.where(W < 0.0, -self.kink, self.kink))


@dataclass(frozen=True)
class SmoothedHybridCore:
    """``m(w) = α w² + (1−α) √(w²+δ²)``, minus ``(1−α) δ`` when centred."""

    alpha: float
    delta: float
    centered: bool
    kink = 0.0

    def __post_init__(self) -> None:
        require_number("delta", self.delta, above=0)

    @property
    def fills_zeros(self) -> bool:
        """Only the centred core is zero at zero."""
        return not self.centered

    def value(self, W: Array) -> Array:
        """``α W∘W + (1−α) s(W)``; centred, ``s(w) = w²/(√(w²+δ²)+δ)``, free of cancellation."""
        with np.errstate(over="ignore"):
            smooth = np.hypot(W, self.delta)
            if self.centered:
                smooth = W * (W / (smooth + self.delta))
            return saturate(self.alpha * W * W + (1.0 - self.alpha) * smooth)

    def derivative(self, W: Array) -> Array:
        """``2αW + (1−α) W/√(W∘W+δ²)``: exactly zero at zero."""
        with np.errstate(over="ignore"):
            slope = W / np.hypot(W, self.delta)
            return saturate(2.0 * self.alpha * W + (1.0 - self.alpha) * slope)


def saturate(values: Array) -> Array:
    """Replace what overflowed by the largest double, with its sign, in place."""
    return np.clip(values, -LARGEST, LARGEST, out=values)
