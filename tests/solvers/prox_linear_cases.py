"""Problems for the tests of the prox-linear solver."""

from __future__ import annotations

import numpy as np

from daglock.constraints import LogDet
from daglock.moments import Moments
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array, IntArray


def hybrid_log_det(alpha: float = 0.5, s: float = 1.0) -> LogDet:
    """Return the log-determinant of a core with a kink."""
    return LogDet(s, alpha)


def equal_variances(d: int, n_edges: int, seed: int, n: int = 1000) -> tuple[Array, Moments]:
    """Draw a graph and the moments of data with one noise variance."""
    W = erdos_renyi(n_nodes=d, n_edges=n_edges, weights=(0.5, 1.0), rng=seed)
    return W, Moments.from_data(linear_sem(W, n_samples=n, rng=seed + 1))


def standardised(d: int, n_edges: int, seed: int, n: int = 1000) -> tuple[Array, Moments]:
    """Draw a graph and moments: unequal variances, all columns scaled to variance one."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(n_nodes=d, n_edges=n_edges, weights=(0.5, 1.0), rng=rng)
    Z = rng.normal(size=(n, d)) * np.sqrt(rng.uniform(0.5, 2.0, size=d))
    X = Z @ np.linalg.inv(np.eye(d) - W)
    return W, Moments.from_data(X / X.std(axis=0))


def backward(W: Array, order: IntArray) -> int:
    """Count the edges of W that point against the order."""
    position = np.argsort(order)
    sources, targets = np.nonzero(W)
    return int((position[sources] > position[targets]).sum())
