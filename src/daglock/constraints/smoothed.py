"""A constraint with ``|x|`` replaced by ``√(x²+δ²)``."""

from __future__ import annotations

from dataclasses import dataclass

from daglock.constraints.base import Composition, Spectral
from daglock.constraints.core import HybridCore, SmoothedHybridCore
from daglock.constraints.scaling import Scaling
from daglock.errors import InvalidParameterError


@dataclass(frozen=True)
class Smoothed(Composition):
    """A hybrid constraint with a smooth core: ``M = α W∘W + (1−α) s(W)``.

    ``s(x) = √(x²+δ²)`` as in the paper, on all d² entries, the diagonal included. Then every
    absent edge has the strength ``(1−α)δ``, and the value is positive even on a DAG. Centred,
    ``s(x) = √(x²+δ²) − δ`` is zero at zero, and the value is zero exactly on DAGs.

    Either way ``s'(0) = 0``: the gradient is zero wherever W is, so it exerts no force on an
    absent edge. The curvature at zero is of order ``1/δ`` for an entry that would close a cycle
    at a DAG, and on the diagonal.

    Parameters
    ----------
    exact : AHOC or SAHOC
        The constraint whose core has the ``|x|``; kept as the attribute ``exact``.
    delta : float, default 1e-7
        Width of the smoothing, positive.
    centered : bool, default False
        Subtract δ, so that the smoothed core is zero at zero.

    References
    ----------
    SPG-AHOC paper, section 2.6, definition of the smoothed core.

    Examples
    --------
    >>> import numpy as np
    >>> from daglock.constraints import SAHOC
    >>> empty = np.zeros((6, 6))
    >>> f"{Smoothed(SAHOC(alpha=0.5), delta=1e-7).value(empty):.1e}"
    '3.0e-07'
    >>> Smoothed(SAHOC(alpha=0.5), delta=1e-7, centered=True).value(empty)
    0.0
    """

    exact: Composition
    delta: float = 1e-7
    centered: bool = False

    def __post_init__(self) -> None:
        _ = self.entrywise

    @property
    def entrywise(self) -> SmoothedHybridCore:
        """``α W∘W + (1−α) s(W)``."""
        core = self.exact.entrywise if isinstance(self.exact, Composition) else None
        if not isinstance(core, HybridCore):
            raise InvalidParameterError(f"{self.exact!r} has no |W| to smooth; use AHOC or SAHOC.")
        return SmoothedHybridCore(core.alpha, self.delta, self.centered)

    @property
    def scaling(self) -> Scaling:
        """The scaling of the exact constraint."""
        return self.exact.scaling

    @property
    def spectral(self) -> Spectral:
        """The spectral function of the exact constraint."""
        return self.exact.spectral
