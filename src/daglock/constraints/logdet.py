"""The log-determinant constraint of DAGMA."""

from __future__ import annotations

from dataclasses import dataclass

from daglock.constraints.base import Composition
from daglock.constraints.core import HybridCore, QuadraticCore
from daglock.constraints.log_determinant import LogDeterminant
from daglock.constraints.scaling import Constant


@dataclass(frozen=True)
class LogDet(Composition):
    """The log-determinant: ``h(W) = −log det(sI − M) + d log s``.

    With ``alpha = 1``, DAGMA's, ``M = W∘W``; below 1 the core is the hybrid one of the paper,
    ``M = α W∘W + (1−α)|W|``, which is what the engine's continuous stage prices cycles with.
    Defined where the spectral radius of M is below s; outside, the value is +inf and the gradient
    is reported as zero. The gradient with respect to M is ``(sI − M)⁻ᵀ``.

    Parameters
    ----------
    s : float, default 1.0
        Bound of the domain, positive.
    alpha : float, default 1.0
        Weight of the quadratic part, from 0 to 1.

    References
    ----------
    Bello, Aragam, Ravikumar (2022), "DAGMA", theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> two_cycle = np.array([[0.0, 0.5], [0.5, 0.0]])
    >>> round(LogDet().value(two_cycle), 6)
    0.064539
    >>> LogDet(s=0.2).value(two_cycle)
    inf
    """

    s: float = 1.0
    alpha: float = 1.0
    spectral = LogDeterminant()

    def __post_init__(self) -> None:
        Constant(self.s)
        if self.alpha != 1.0:
            HybridCore(self.alpha)

    @property
    def entrywise(self) -> QuadraticCore | HybridCore:
        """``M``: quadratic, or hybrid below ``alpha = 1``."""
        return QuadraticCore() if self.alpha == 1.0 else HybridCore(self.alpha)

    @property
    def scaling(self) -> Constant:
        """``D = s``."""
        return Constant(self.s)
