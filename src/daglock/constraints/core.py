"""From weights to what a spectral function looks at: cores W -> M(W) >= 0, scalings A = M/D.

A core is entrywise and turns signed weights into edge strengths. Where it has a kink (``|W_ij|`` at
``W_ij = 0``) its derivative is the one-sided derivative from above. Results that leave the range of
double precision stay at its largest number, so that nothing becomes infinite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from daglock._parameters import require_number
from daglock.typing import Array

LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class HybridCore:
    """``m(w) = α w² + (1−α)|w|``: quadratic far out, linear with a kink near zero.

    With ``α = 1`` it is quadratic everywhere: the core of NOTEARS, DAGMA and AAC.
    """

    alpha: float
    fills_zeros = False  # whether m(0) > 0: then absent edges have strength as well

    def __post_init__(self) -> None:
        require_number("alpha", self.alpha, at_least=0, at_most=1)

    @property
    def kink(self) -> float:
        """Slope of m at zero from above, ``1 − α``; 0 where m is smooth there."""
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


class Scaled(NamedTuple):
    """``A = M/D`` and what the chain rule back to M needs."""

    A: Array
    inverse: float
    """1/D."""
    direction: Array | None
    """``M/‖M‖_F`` if D grows with M, else None."""

    def gradient(self, G: Array) -> Array:
        """``dF/dM = (G − ⟨G, A⟩ M/‖M‖_F)/D`` from ``G = dF/dA``; the bracket's end only if D grows.

        Entries of G outside the support of M may be left out: ``⟨G, A⟩`` does not see them.
        """
        with np.errstate(over="ignore"):
            if self.direction is not None:
                G = G - float(np.vdot(G, self.A)) * self.direction
            return saturate(G * self.inverse)


@dataclass(frozen=True)
class Constant:
    """``D = s``."""

    s: float = 1.0

    def __post_init__(self) -> None:
        require_number("s", self.s, above=0)

    def apply(self, M: Array) -> Scaled:
        """``M/s``, for an array of any shape that holds all non-zero entries of M."""
        with np.errstate(over="ignore"):
            A = M if self.s == 1.0 else np.minimum(M / self.s, LARGEST)
        return Scaled(A, min(1.0 / self.s, LARGEST), None)


@dataclass(frozen=True)
class Frobenius:
    """``D = ‖M‖_F + ε``: then ``‖A‖_F < 1`` for every M."""

    epsilon: float

    def __post_init__(self) -> None:
        require_number("epsilon", self.epsilon, above=0)

    def apply(self, M: Array) -> Scaled:
        """``M/(‖M‖_F+ε)``, M divided by its largest entry first: squares stay in range."""
        top = float(M.max(initial=0.0))
        if top == 0.0:
            return Scaled(M, min(1.0 / self.epsilon, LARGEST), M)
        unit = M / top
        norm = math.sqrt(float(np.vdot(unit, unit)))
        D = top * norm + self.epsilon
        # The ratio may be infinite (M vanishes beside ε): A is then zero, as it should be.
        A = unit / (norm + self.epsilon / top)
        return Scaled(A, min(1.0 / D, LARGEST), unit / norm)


Core: TypeAlias = HybridCore | SmoothedHybridCore
Scaling: TypeAlias = Constant | Frobenius
