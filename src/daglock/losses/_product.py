"""What both losses share: the residual product S(I − W), dense or sparse, and checks."""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import csc_array

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.moments import Moments
from daglock.typing import Array

_SPARSE_FROM = 100  # columns from which a sparse product can pay
_SPARSE_SHARE = 0.03  # share of non-zeros below which it does


def require_moments(loss: object, moments: object) -> None:
    """Raise InvalidParameterError unless a loss was given moments."""
    if not isinstance(moments, Moments):
        raise InvalidParameterError(
            f"{type(loss).__name__} needs Moments, not {type(moments).__name__}: "
            "build them with Moments.from_data(X)."
        )


def residual_product(S: Array, W: Array) -> Array:
    """S(I − W), at a cost of d·nnz(W) when W is sparse."""
    d = len(S)
    if np.shape(W) != (d, d):
        raise InvalidDataError(f"W must have shape ({d}, {d}); its shape is {np.shape(W)}.")
    if d >= _SPARSE_FROM and np.count_nonzero(W) < _SPARSE_SHARE * d * d:
        # S is symmetric, so SW = (WᵀS)ᵀ, and Wᵀ is a CSR matrix: its rows are the columns of W.
        product = (csc_array(W).T @ S).T
    else:
        product = S @ W
    return np.asarray(S - product, dtype=np.float64)


def residual_variances(W: Array, residual: Array) -> Array:
    """RSS_j = (I − W)_jᵀ S (I − W)_j of each column, from ``residual = S(I − W)``."""
    return np.asarray(np.diagonal(residual) - np.einsum("ij,ij->j", W, residual))


def checked(value: float, grad: Array, W: Array) -> tuple[float, Array]:
    """Return value and gradient; on overflow +inf and no NaN; raise if W itself is not finite."""
    if math.isfinite(value):
        return value, grad
    if not np.isfinite(W).all():
        raise InvalidDataError("W holds NaN or infinite values; every weight must be finite.")
    return math.inf, np.nan_to_num(grad)
