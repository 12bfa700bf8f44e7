"""Losses: how well W explains the moments."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.moments import Moments
from daglock.typing import Array

_SPARSE_FROM = 100  # columns from which a sparse product can pay
_SPARSE_SHARE = 0.03  # share of non-zeros below which it does
_FLOOR = 1e-12


@dataclass(frozen=True, eq=False)
class _OfResiduals(ABC):
    """A function of the residual variances ``RSS_j = (I − W)_jᵀ S (I − W)_j``."""

    moments: Moments

    def __post_init__(self) -> None:
        if not isinstance(self.moments, Moments):
            raise InvalidParameterError(
                f"{type(self).__name__} needs Moments, not {type(self.moments).__name__}: "
                "build them with Moments.from_data(X)."
            )

    @property
    def d(self) -> int:
        """Number of variables."""
        return self.moments.d

    def value(self, W: Array) -> float:
        """L(W)."""
        return self.value_and_grad(W)[0]

    def value_and_grad(self, W: Array) -> tuple[float, Array]:
        """L(W), +inf where it overflows, and its gradient, at a cost of d·nnz(W) for a sparse W."""
        with np.errstate(over="ignore", invalid="ignore"):
            residual = _residual_product(self.moments.cov, W)
            rss = np.diagonal(residual) - np.einsum("ij,ij->j", W, residual)
            value, slope = self._of_variances(rss)
            grad = -residual * slope
        if math.isfinite(value):
            return value, grad
        if not np.isfinite(W).all():
            raise InvalidDataError("W holds NaN or infinite values; every weight must be finite.")
        return math.inf, np.nan_to_num(grad)

    @abstractmethod
    def _of_variances(self, rss: Array) -> tuple[float, float | Array]:
        """L, and twice its derivative by each residual variance."""


class LeastSquares(_OfResiduals):
    """Least squares from moments: the Gaussian likelihood with equal noise variances.

    ``L(W) = ½ tr((I − W)ᵀ S (I − W))``, ``∇L(W) = S(W − I)``, with S the covariance: the same as
    ``‖X − XW‖²_F / 2n`` on centred data.

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

    def _of_variances(self, rss: Array) -> tuple[float, float | Array]:
        return 0.5 * float(rss.sum()), 1.0


class Gaussian(_OfResiduals):
    """Profile likelihood of a Gaussian model with unequal noise variances, from moments.

    ``L(W) = ½ Σ_j log RSS_j`` with ``RSS_j = (I − W)_jᵀ S (I − W)_j``, the residual variance of
    node j, and ``∂L/∂W_·j = S(W − I)_j / RSS_j``.

    A node that its parents explain completely has RSS_j = 0 and L = −∞. RSS_j is therefore
    not taken below ``1e-12 · S_jj``; where that floor binds, L is flat and its gradient is zero.

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

    def _of_variances(self, rss: Array) -> tuple[float, float | Array]:
        floor = _FLOOR * np.diagonal(self.moments.cov)
        used = np.maximum(rss, floor)
        return 0.5 * float(np.log(used).sum()), np.where(rss > floor, 1.0 / used, 0.0)


def _residual_product(S: Array, W: Array) -> Array:
    """S(I − W), dense or sparse."""
    d = len(S)
    if np.shape(W) != (d, d):
        raise InvalidDataError(f"W must have shape ({d}, {d}); its shape is {np.shape(W)}.")
    if d >= _SPARSE_FROM and np.count_nonzero(W) < _SPARSE_SHARE * d * d:
        # S is symmetric, so SW = (WᵀS)ᵀ, and Wᵀ is a CSR matrix: its rows are the columns of W.
        product = (csc_array(W).T @ S).T
    else:
        product = S @ W
    return np.asarray(S - product, dtype=np.float64)


LOSSES: dict[str, type[LeastSquares] | type[Gaussian]] = {
    "least_squares": LeastSquares,
    "gaussian": Gaussian,
}
"""Every loss by name: what the contract tests run over."""
