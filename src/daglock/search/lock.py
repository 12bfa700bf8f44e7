"""Lock: from the weights of the continuous stage to an order."""

from __future__ import annotations

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.graph import order_of_cyclic
from daglock.typing import Array, IntArray


def lock(W: Array) -> IntArray:
    """Fix the order: that of the graph where it is a DAG, else the one that gives up least.

    Strong components are broken at their weakest edges; an order of the condensation and, inside
    each component, of what is left, is the lock. Which parents a node has is decided afterwards,
    among all its predecessors, so a broken edge is lost only if its reverse explains more.
    """
    W = np.asarray(W, dtype=np.float64)
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not np.isfinite(W).all():
        raise InvalidParameterError(
            f"start must be an order (d,) or a finite square matrix (d, d); got shape {W.shape}."
        )
    return order_of_cyclic(W)
