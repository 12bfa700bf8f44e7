"""The Gaussian likelihood with a noise variance for each node, profiled out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from daglock.losses._product import (
    checked,
    require_moments,
    residual_product,
    residual_variances,
)
from daglock.moments import Moments
from daglock.typing import Array

_FLOOR = 1e-12


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Profile likelihood of a Gaussian model with unequal noise variances.

    ``L(W) = ½ Σ_j log RSS_j`` with ``RSS_j = (I − W)_jᵀ S (I − W)_j``, the residual variance of
    node j, and ``∂L/∂W_·j = S(W − I)_j / RSS_j``.

    A node that its parents explain completely has RSS_j = 0 and L = −∞. RSS_j is therefore
    not taken below ``1e-12 · S_jj``; where that floor binds, L is flat and its gradient is zero.

    Parameters
    ----------
    moments : Moments

    References
    ----------
    Ng, Ghassami & Zhang (2020), On the role of sparsity and DAG constraints, eq. 2, without the
    log-determinant, which is zero at a DAG.

    Examples
    --------
    >>> loss = Gaussian(Moments.from_covariance([[1.0, 0.5], [0.5, 1.0]], n=100))
    >>> loss.value(np.zeros((2, 2)))
    0.0
    >>> round(loss.value(np.array([[0.0, 0.5], [0.0, 0.0]])), 4)  # ½ log(1 − 0.25)
    -0.1438
    """

    moments: Moments

    def __post_init__(self) -> None:
        require_moments(self, self.moments)

    @property
    def d(self) -> int:
        """Number of variables."""
        return self.moments.d

    def value(self, W: Array) -> float:
        """L(W)."""
        return self.value_and_grad(W)[0]

    def value_and_grad(self, W: Array) -> tuple[float, Array]:
        """L(W), +inf where it overflows, and its gradient."""
        floor = self._floor
        with np.errstate(over="ignore", invalid="ignore"):
            residual = residual_product(self.moments.cov, W)
            variances = residual_variances(W, residual)
            used = np.maximum(variances, floor)
            value = 0.5 * float(np.log(used).sum())
            inverse = np.where(variances > floor, 1.0 / used, 0.0)
            return checked(value, -residual * inverse, W)

    @property
    def _floor(self) -> Array:
        """Smallest residual variance that is used, for each column."""
        return np.asarray(_FLOOR * np.diagonal(self.moments.cov))
