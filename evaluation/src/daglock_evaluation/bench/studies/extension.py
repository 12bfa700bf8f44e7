"""A DAG of an equivalence class, so that the graphs of other packages can be scored."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from daglock.errors import NotADAGError
from daglock.typing import BoolArray


def consistent_extension(cpdag: NDArray[np.int8]) -> BoolArray:
    """Orient the undirected edges of a CPDAG without a new v-structure (Dor and Tarsi, 1992).

    Takes a node without outgoing edges whose undirected neighbours are adjacent to all its other
    neighbours, directs its undirected edges towards it, removes it, and repeats.

    Examples
    --------
    >>> consistent_extension(np.array([[0, 2], [2, 0]], dtype=np.int8)).astype(int).tolist()
    [[0, 0], [1, 0]]
    """
    directed = cpdag == 1
    undirected = cpdag == 2
    result: BoolArray = directed.copy()
    left = np.ones(len(cpdag), dtype=np.bool_)
    while left.any():
        for x in np.flatnonzero(left):
            if (directed[x] & left).any():
                continue
            around = (undirected[x] | directed[:, x]) & left
            adjacent = directed | directed.T | undirected
            fits = all(
                not (around & ~adjacent[y] & (np.arange(len(cpdag)) != y)).any()
                for y in np.flatnonzero(undirected[x] & left)
            )
            if fits:
                result[undirected[x] & left, x] = True
                left[x] = False
                break
        else:
            raise NotADAGError("The CPDAG has no consistent extension.")
    return result
