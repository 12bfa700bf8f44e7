"""What a covariance that somebody hands over must be: symmetric, no eigenvalue below zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidDataError
from daglock.table.policy import refuse_constant, require_finite
from daglock.typing import Array

_LARGEST_CHECKED = 2000  # up to this d, a covariance is tested for negative eigenvalues


def check_covariance(S: NDArray[Any], labels: tuple[str, ...] | None) -> Array:
    """Return the matrix exactly symmetric, or refuse it."""
    if S.shape[0] != S.shape[1]:
        raise InvalidDataError(f"cov must be a square matrix; its shape is {S.shape}.")
    require_finite(S, labels, 0)
    S = S.astype(np.float64)
    refuse_constant(np.diagonal(S) <= 0, labels)
    scale = np.sqrt(np.diagonal(S))
    scales = np.outer(scale, scale)
    asymmetry = np.abs(S - S.T) / scales
    if asymmetry.max() > 1e-6:
        i, j = (int(k) for k in np.unravel_index(int(asymmetry.argmax()), asymmetry.shape))
        raise InvalidDataError(
            f"cov must be symmetric, but cov[{i}, {j}] = {S[i, j]:g} "
            f"and cov[{j}, {i}] = {S[j, i]:g}."
        )
    S = (S + S.T) / 2
    correlation = S / scales
    valid = bool(np.abs(correlation).max() <= 1 + 1e-6)
    if valid and len(S) <= _LARGEST_CHECKED:
        valid = _is_positive_semidefinite(correlation)
    if not valid:
        raise InvalidDataError(
            "cov is not a covariance matrix: it has a negative eigenvalue; "
            "check that it was computed from complete rows."
        )
    return S


def _is_positive_semidefinite(correlation: Array) -> bool:
    """Whether no eigenvalue is below −1e-6, by a Cholesky factorisation."""
    try:
        np.linalg.cholesky(correlation + 1e-6 * np.eye(correlation.shape[0]))
    except np.linalg.LinAlgError:
        return False
    return True
