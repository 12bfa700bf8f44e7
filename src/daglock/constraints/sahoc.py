"""S-AHOC: AHOC with ε = 1."""

from __future__ import annotations

from dataclasses import dataclass

from daglock.constraints.base import Composition
from daglock.constraints.core import HybridCore
from daglock.constraints.scaling import Frobenius
from daglock.constraints.trace_exponential import TraceExponential


@dataclass(frozen=True)
class SAHOC(Composition):
    """The stable hybrid-order constraint: ``h(W) = tr exp(M/(‖M‖_F+1)) − d``.

    Its core ``M = α W∘W + (1−α)|W|`` has a kink at zero: at ``W_ij = 0`` the gradient is the
    derivative from above, ``(1−α) C_ij``. It is AHOC with ``ε = 1``.

    Parameters
    ----------
    alpha : float, default 0.5
        Share of the quadratic term, in [0, 1).

    References
    ----------
    SPG-AHOC paper, section 2.4, definition of AHOC and S-AHOC (S-ASN core).

    Examples
    --------
    >>> import numpy as np
    >>> h, grad_h = SAHOC(alpha=0.5).value_and_grad(np.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> h, grad_h  # adding the reverse edge 1 -> 0 would close a cycle
    (0.0, array([[0.25 , 0.   ],
           [0.125, 0.25 ]]))
    """

    alpha: float = 0.5
    scaling = Frobenius(1.0)
    spectral = TraceExponential()

    def __post_init__(self) -> None:
        HybridCore(self.alpha)

    @property
    def entrywise(self) -> HybridCore:
        """``α W∘W + (1−α)|W|``."""
        return HybridCore(self.alpha)
