"""Layers: which row of the picture a node stands in."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from daglock.graph import topological_order
from daglock.typing import IntArray


def longest_paths(source: IntArray, target: IntArray, d: int) -> IntArray:
    """Count the edges of the longest path that ends in each node.

    Examples
    --------
    >>> longest_paths(np.array([0, 1, 0]), np.array([1, 2, 2]), 3).tolist()
    [0, 1, 2]
    """
    graph = csr_array((np.ones(len(source)), (source, target)), shape=(d, d))
    layer = np.zeros(d, dtype=np.intp)
    for v in topological_order(graph):
        children = graph.indices[graph.indptr[v] : graph.indptr[v + 1]]
        layer[children] = np.maximum(layer[children], layer[v] + 1)
    return layer


def short_layers(source: IntArray, target: IntArray, d: int) -> IntArray:
    """Layers for which the edges are shortest in sum, every edge at least one layer long.

    Minimises ``Σ (l_t − l_s)`` subject to ``l_t − l_s >= 1``. The matrix of the constraints is
    totally unimodular: a vertex of the linear programme is a vector of whole numbers.

    Examples
    --------
    The root 2 moves down to its only child:

    >>> short_layers(np.array([0, 1, 2]), np.array([1, 3, 3]), 4).tolist()
    [0, 1, 1, 2]
    """
    layer = longest_paths(source, target, d)
    if not len(source):
        return layer
    rows = np.arange(len(source))
    ones = np.ones(len(source))
    incidence: Any = csr_array(
        (
            np.concatenate([ones, -ones]),
            (np.concatenate([rows, rows]), np.concatenate([source, target])),
        ),
        shape=(len(source), d),
    )
    cost = np.bincount(target, minlength=d) - np.bincount(source, minlength=d)
    answer = linprog(
        cost, A_ub=incidence, b_ub=-ones, bounds=(0, int(layer.max())), method="highs-ds"
    )
    if answer.x is not None:
        short = np.rint(answer.x).astype(np.intp)
        if (short[target] > short[source]).all():
            layer = short - short.min()
    return _balanced(layer, source, target)


def narrow_layers(layer: IntArray, source: IntArray, target: IntArray, most: int) -> IntArray:
    """Spread crowded layers over several, so that none holds more than ``most`` nodes.

    Nodes are placed from the last layer to the first, each as low as its children and the room
    allow: a root stays near its children.

    Examples
    --------
    >>> star = np.zeros(4, dtype=np.intp), np.arange(1, 5)
    >>> narrow_layers(np.array([0, 1, 1, 1, 1]), *star, most=2).tolist()
    [0, 2, 2, 1, 1]
    """
    d = len(layer)
    if np.bincount(layer).max() <= most:
        return layer
    children = csr_array((np.ones(len(source)), (source, target)), shape=(d, d))
    height = np.zeros(d, dtype=np.intp)  # counted from below
    room = np.full(d, most, dtype=np.intp)
    for v in np.lexsort((np.arange(d), -layer)):
        below = height[children.indices[children.indptr[v] : children.indptr[v + 1]]]
        lowest = int(below.max(initial=-1)) + 1
        height[v] = lowest + int(np.argmax(room[lowest:] > 0))
        room[height[v]] -= 1
    return np.asarray(height.max() - height)


def _balanced(layer: IntArray, source: IntArray, target: IntArray) -> IntArray:
    """Move nodes with as many parents as children to the emptiest layer that they can stand in."""
    layer = layer.copy()
    d = len(layer)
    n_in, n_out = np.bincount(target, minlength=d), np.bincount(source, minlength=d)
    crowd = np.bincount(layer)
    for v in np.flatnonzero((n_in == n_out) & (n_in > 0)):
        low = layer[source[target == v]].max() + 1
        high = layer[target[source == v]].min()  # exclusive
        best = low + int(np.argmin(crowd[low:high]))
        if crowd[best] + 1 < crowd[layer[v]]:
            crowd[layer[v]] -= 1
            crowd[best] += 1
            layer[v] = best
    return layer
