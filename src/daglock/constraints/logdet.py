"""The log-determinant constraint of DAGMA."""

from __future__ import annotations

from dataclasses import dataclass

from daglock.constraints.base import Composition
from daglock.constraints.core import QuadraticCore
from daglock.constraints.log_determinant import LogDeterminant
from daglock.constraints.scaling import Constant


@dataclass(frozen=True)
class LogDet(Composition):
    """The log-determinant: ``h(W) = −log det(sI − W∘W) + d log s``.

    Defined where the spectral radius of ``W∘W`` is below s; outside, the value is +inf and the
    gradient is reported as zero. The gradient is ``(sI − W∘W)⁻ᵀ ∘ 2W``.

    Parameters
    ----------
    s : float, default 1.0
        Bound of the domain, positive.

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
    entrywise = QuadraticCore()
    spectral = LogDeterminant()

    def __post_init__(self) -> None:
        Constant(self.s)

    @property
    def scaling(self) -> Constant:
        """``D = s``."""
        return Constant(self.s)
