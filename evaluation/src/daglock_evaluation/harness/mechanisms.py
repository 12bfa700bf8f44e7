"""What parents make of a column: curves of several kinds, and lines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array

from daglock.graph import topological_order
from daglock.typing import Array

# From the values of all parents to their joint effect.
Mechanism = Callable[[Array, np.random.Generator], Array]


def process(parents: Array, rng: np.random.Generator) -> Array:
    """Draw one function of all parents from a Gaussian process with kernel exp(−|x − y|²/2)."""
    square = (parents**2).sum(axis=1)
    distance = np.maximum(square[:, None] + square - 2.0 * parents @ parents.T, 0.0)
    K = np.exp(-distance / 2.0)
    K[np.diag_indices_from(K)] += 1e-6
    return np.asarray(np.linalg.cholesky(K) @ rng.standard_normal(len(K)))


def processes(parents: Array, rng: np.random.Generator) -> Array:
    """Add up such functions, one of each parent."""
    return np.asarray(np.sum([process(x[:, None], rng) for x in parents.T], axis=0))


def sigmoids(parents: Array, rng: np.random.Generator) -> Array:
    """Add up ``a·b(x + c) / (1 + |b(x + c)|)``, one of each parent.

    References
    ----------
    Bühlmann, Peters and Ernest, CAM (2014), section 4.1.
    """
    total = np.zeros(len(parents))
    for x in parents.T:
        a, c = 1.0 + rng.exponential(0.25), rng.uniform(-2.0, 2.0)
        z = rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0]) * (x + c)
        total += a * z / (1.0 + np.abs(z))
    return total


def lines(parents: Array, rng: np.random.Generator) -> Array:
    """Add up lines, of slopes ±[0.5, 1.5]."""
    m = parents.shape[1]
    return np.asarray(parents @ (rng.uniform(0.5, 1.5, m) * rng.choice([-1.0, 1.0], m)))


MECHANISMS: dict[str, Mechanism] = {
    "GP of all parents": process,
    "sum of GPs": processes,
    "sum of sigmoids": sigmoids,
}


def curved_sem(
    W: Array, n: int, mechanism: Mechanism, rng: np.random.Generator, *, skewed: bool = False
) -> Array:
    """Draw n rows; noise variances are in [0.4, 0.8], those of roots in [1, 2].

    Skewed: exponential noise in place of Gaussian noise.
    """
    X = np.empty((n, len(W)))
    for j in topological_order(csr_array(W)):
        P = np.flatnonzero(W[:, j])
        low, high = (0.4, 0.8) if len(P) else (1.0, 2.0)
        noise = rng.standard_exponential(n) - 1.0 if skewed else rng.standard_normal(n)
        X[:, j] = np.sqrt(rng.uniform(low, high)) * noise
        if len(P):
            X[:, j] += mechanism(X[:, P], rng)
    return X
