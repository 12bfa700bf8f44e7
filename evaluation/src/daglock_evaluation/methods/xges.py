"""XGES (package ``xges``): greedy equivalence search with deletions first, BIC, in Numba."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array
from daglock_evaluation.methods.method import Answer, Method

# The package's default: the price of an edge is twice that of BIC.
ALPHA = 2.0


def codes_of_adjacency(adjacency: NDArray[Any]) -> NDArray[np.int8]:
    """Return 1 for i -> j and 2, in both cells, for an undirected edge.

    XGES marks an undirected edge as one in each direction.

    Examples
    --------
    >>> codes_of_adjacency(np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    array([[0, 1, 2],
           [0, 0, 0],
           [2, 0, 0]], dtype=int8)
    """
    edge = np.asarray(adjacency != 0, dtype=np.int8)
    return edge + edge * edge.T


def run(X: Array, seed: int, alpha: float) -> Answer:
    """Run XGES, the extended search included."""
    found = import_module("xges").XGES(alpha=alpha).fit(X, verbose=0)
    return Answer(codes_of_adjacency(found.to_adjacency_matrix()))


METHODS = (Method("xges", "XGES", "class", run, "sky", "P", "xges", options={"alpha": ALPHA}),)
