"""AAC: the trace exponential of the normalised quadratic core."""

from __future__ import annotations

from dataclasses import dataclass

from daglock.constraints.base import Composition
from daglock.constraints.core import QuadraticCore
from daglock.constraints.scaling import Frobenius
from daglock.constraints.trace_exponential import TraceExponential


@dataclass(frozen=True)
class AAC(Composition):
    """The normalised trace exponential: ``h(W) = tr exp(M/(‖M‖_F+ε)) − d``, ``M = W∘W``.

    With a zero diagonal the value stays below ``e − 2``. The gradient is bounded for each ε, by
    a bound that grows like ``1/√ε``: it is largest where ``‖W∘W‖_F`` is near ε.

    Parameters
    ----------
    epsilon : float, default 1e-8
        Added to the norm, positive.

    References
    ----------
    SPG-AHOC paper, section 2.3, definition of h_AAC.

    Examples
    --------
    >>> import numpy as np
    >>> round(AAC(epsilon=1.0).value(np.array([[0.0, 1.0], [1.0, 0.0]])), 6)
    0.17404
    """

    epsilon: float = 1e-8
    entrywise = QuadraticCore()
    spectral = TraceExponential()

    def __post_init__(self) -> None:
        Frobenius(self.epsilon)

    @property
    def scaling(self) -> Frobenius:
        """``D = ‖M‖_F + ε``."""
        return Frobenius(self.epsilon)
