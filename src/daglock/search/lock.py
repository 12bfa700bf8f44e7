"""Lock: from the weights of the continuous stage to an order."""

from __future__ import annotations

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.graph import order_of_cyclic
from daglock.typing import Array, IntArray


def lock(W: Array, first: IntArray | None = None) -> IntArray:
    """Fix the order: one of the graph where it is a DAG, else one that gives up little.

    Strong components are broken at their weakest edges; an order of the condensation and, inside
    each component, of what is left, is the lock. Which parents a node has is decided afterwards,
    among all its predecessors, so a broken edge is lost only if its reverse explains more.
    Where the graph leaves the order open, nodes come as in ``first``, or by index.
    """
    W = np.asarray(W, dtype=np.float64)
    if W.ndim != 2 or W.shape[0] != W.shape[1] or not np.isfinite(W).all():
        raise InvalidParameterError(
            f"start must be an order (d,) or a finite square matrix (d, d); got shape {W.shape}."
        )
    if first is None:
        first = np.arange(len(W))
    return first[order_of_cyclic(W[np.ix_(first, first)])]
