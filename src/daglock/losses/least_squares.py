"""Least squares: the Gaussian likelihood with equal noise variances, up to constants."""

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


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Least squares from moments.

    ``L(W) = ½ tr((I − W)ᵀ S (I − W))``, ``∇L(W) = S(W − I)``, with S the covariance: the same as
    ``‖X − XW‖²_F / 2n`` on centred data. The cost is d·nnz(W) when W is sparse.

    Parameters
    ----------
    moments : Moments

    References
    ----------
    Zheng et al. (2018), DAGs with NO TEARS, eq. 4.

    Examples
    --------
    >>> loss = LeastSquares(Moments.from_covariance([[1.0, 0.5], [0.5, 2.0]], n=100))
    >>> loss.value(np.zeros((2, 2)))
    1.5
    >>> loss.value_and_grad(np.array([[0.0, 0.25], [0.0, 0.0]]))[1].tolist()
    [[-1.0, -0.25], [-0.5, -1.875]]
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
        """L(W), +inf where it overflows, and S(W − I)."""
        with np.errstate(over="ignore", invalid="ignore"):
            residual = residual_product(self.moments.cov, W)
            value = 0.5 * float(residual_variances(W, residual).sum())
        return checked(value, -residual, W)
