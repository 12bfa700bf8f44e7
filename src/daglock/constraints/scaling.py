"""Scalings: divide the core matrix by a number before its spectrum is looked at."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from daglock._parameters import require_number
from daglock.constraints.core import LARGEST
from daglock.typing import Array


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
            return np.clip(G * self.inverse, -LARGEST, LARGEST)


class Scaling(Protocol):
    """Chooses D from the entries of M."""

    def apply(self, M: Array) -> Scaled:
        """``M/D`` for an array of any shape that holds all non-zero entries of M."""
        ...


@dataclass(frozen=True)
class Constant:
    """``D = s``."""

    s: float = 1.0

    def __post_init__(self) -> None:
        require_number("s", self.s, above=0)

    def apply(self, M: Array) -> Scaled:
        """``M/s``."""
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
