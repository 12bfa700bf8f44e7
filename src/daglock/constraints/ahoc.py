"""AHOC: the trace exponential of the normalised hybrid-order core."""

from __future__ import annotations

from dataclasses import dataclass

from daglock.constraints.base import Composition
from daglock.constraints.core import HybridCore
from daglock.constraints.scaling import Frobenius
from daglock.constraints.trace_exponential import TraceExponential


@dataclass(frozen=True)
class AHOC(Composition):
    """The hybrid-order constraint: ``h(W) = tr exp(M/(‖M‖_F+ε)) − d``.

    Its core ``M = α W∘W + (1−α)|W|`` has a kink at zero: at ``W_ij = 0`` the gradient is the
    derivative from above, ``(1−α) C_ij``.

    Parameters
    ----------
    alpha : float, default 0.5
        Share of the quadratic term, in [0, 1).
    epsilon : float, default 1e-8
        Added to the norm, positive. The gradient near ``W = 0`` grows like ``1/ε``.

    References
    ----------
    SPG-AHOC paper, section 2.4, definition of AHOC and S-AHOC (ASN core).

    Examples
    --------
    >>> import numpy as np
    >>> h, grad_h = AHOC(alpha=0.5, epsilon=0.5).value_and_grad(np.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> h, grad_h.round(6)  # adding the reverse edge 1 -> 0 would close a cycle
    (0.0, array([[0.333333, 0.      ],
           [0.222222, 0.333333]]))
    """

    alpha: float = 0.5
    epsilon: float = 1e-8
    spectral = TraceExponential()

    def __post_init__(self) -> None:
        HybridCore(self.alpha)
        Frobenius(self.epsilon)

    @property
    def entrywise(self) -> HybridCore:
        """``α W∘W + (1−α)|W|``."""
        return HybridCore(self.alpha)

    @property
    def scaling(self) -> Frobenius:
        """``D = ‖M‖_F + ε``."""
        return Frobenius(self.epsilon)
