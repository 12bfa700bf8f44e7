"""The residual product S(I − W) that both losses share, dense or sparse."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csc_array
from scipy.sparse.linalg import eigsh

from daglock.typing import Array

_SPARSE_FROM = 100  # columns from which a sparse product can pay
_SPARSE_SHARE = 0.03  # share of non-zeros below which it does


def residual_product(S: Array, W: Array) -> Array:
    """S(I − W), at a cost of d·nnz(W) when W is sparse."""
    d = W.shape[0]
    if d >= _SPARSE_FROM and np.count_nonzero(W) < _SPARSE_SHARE * d * d:
        # S is symmetric, so SW = (WᵀS)ᵀ, and Wᵀ is a CSR matrix: its rows are the columns of W.
        product = (csc_array(W).T @ S).T
    else:
        product = S @ W
    return np.asarray(S - product, dtype=np.float64)


def residual_variances(W: Array, residual: Array) -> Array:
    """RSS_j = (I − W)_jᵀ S (I − W)_j of each column, from ``residual = S(I − W)``."""
    return np.asarray(np.diagonal(residual) - np.einsum("ij,ij->j", W, residual))


def largest_eigenvalue(S: Array) -> float:
    """λ_max(S), by Lanczos when S is large."""
    d = len(S)
    if d <= 500:
        return float(eigh(S, eigvals_only=True, subset_by_index=(d - 1, d - 1))[0])
    start = np.random.default_rng(0).normal(size=d)
    return float(eigsh(S, k=1, v0=start, return_eigenvectors=False)[0])
