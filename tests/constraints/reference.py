"""Dense references, written from the formulas and from SciPy alone, and graphs to try them on."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import expm

from daglock.constraints import AAC, AHOC, SAHOC, Exp, LogDet, Smoothed
from daglock.typing import Array, Constraint


def dense_core(constraint: Constraint, W: Array) -> Array:
    if isinstance(constraint, Smoothed):
        exact = constraint.exact
        assert isinstance(exact, AHOC | SAHOC)
        s = np.sqrt(W**2 + constraint.delta**2) - constraint.centered * constraint.delta
        return np.asarray(exact.alpha * W**2 + (1 - exact.alpha) * s)
    if isinstance(constraint, AHOC | SAHOC | LogDet):
        return np.asarray(constraint.alpha * W**2 + (1 - constraint.alpha) * np.abs(W))
    return W**2


def dense_functional(constraint: Constraint, M: Array) -> float:
    """F(M), by SciPy's matrix exponential or NumPy's log-determinant."""
    exact = constraint.exact if isinstance(constraint, Smoothed) else constraint
    identity = np.eye(len(M))
    if isinstance(exact, LogDet):
        if np.abs(np.linalg.eigvals(M)).max() >= exact.s:
            return math.inf
        return -float(np.linalg.slogdet(identity - M / exact.s)[1])
    if isinstance(exact, AAC | AHOC):
        M = M / (np.linalg.norm(M) + exact.epsilon)
    elif isinstance(exact, SAHOC):
        M = M / (np.linalg.norm(M) + 1.0)
    else:
        assert isinstance(exact, Exp)
    return float(np.trace(expm(M) - identity))


def dense_core_grad(constraint: Constraint, W: Array) -> Array:
    """C = dF/dM, from the formulas."""
    exact = constraint.exact if isinstance(constraint, Smoothed) else constraint
    M = dense_core(constraint, W)
    if isinstance(exact, LogDet):
        return np.asarray(np.linalg.inv(exact.s * np.eye(len(M)) - M).T)
    if isinstance(exact, Exp):
        return np.asarray(expm(M).T)
    assert isinstance(exact, AAC | AHOC | SAHOC)
    norm = float(np.linalg.norm(M))
    D = norm + (1.0 if isinstance(exact, SAHOC) else exact.epsilon)
    E = expm(M / D).T
    correction = M * (np.vdot(E, M) / (D**2 * norm)) if norm > 0 else 0.0
    return np.asarray(E / D - correction)


def random_sparse(rng: np.random.Generator, d: int, *, loops: bool = False) -> Array:
    """A random signed matrix with some strong components, some not."""
    W = rng.uniform(0.1, 1.0, (d, d)) * rng.choice([-1.0, 1.0], (d, d))
    W *= rng.random((d, d)) < rng.uniform(0.5, 3.0) / d
    if not loops:
        np.fill_diagonal(W, 0.0)
    return np.asarray(W)


def near_cycle(radius: float = 0.999996) -> Array:
    """A 3-cycle whose ``W∘W`` has the given spectral radius, with an edge into and out of it."""
    W = np.zeros((5, 5))
    weights = np.array([0.7, 1.3, 1.0])
    weights *= np.sqrt(radius) / np.prod(weights) ** (1 / 3)
    W[[0, 1, 2], [1, 2, 0]] = weights * [1, -1, 1]
    W[3, 0], W[2, 4] = 0.8, -0.6
    return W


def random_dag(rng: np.random.Generator, d: int, scale: float = 1.0) -> Array:
    """A DAG with a random order and weights of all sizes around ``scale``."""
    W = np.triu(rng.standard_normal((d, d)) * (rng.random((d, d)) < 0.4), 1) * scale
    order = rng.permutation(d)
    return np.asarray(W[np.ix_(order, order)])
