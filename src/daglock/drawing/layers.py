"""Layers: which row a node stands in, beside whom, so that few edges cross, and where exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression, linprog
from scipy.sparse import csr_array

from daglock.graph import topological_order
from daglock.typing import Array, BoolArray, IntArray

_SWEEPS = 24
# Exchanges of neighbours go through Python lists: for graphs that a person can take in at once.
_MAX_EXCHANGED = 1500
_PLACEMENTS = 30  # sweeps over the layers that move nodes towards their neighbours
# How much an edge wants to be straight: between nodes, at one end of a long edge, inside one.
_NODE, _END, _INSIDE = 1.0, 2.0, 8.0


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
    ones, shape = np.ones(len(source)), (len(source), d)
    begins, ends = (csr_array((ones, (range(len(v)), v)), shape=shape) for v in (source, target))
    incidence: Any = begins - ends
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
    for v in np.argsort(-layer, kind="stable"):
        below = height[children.indices[children.indptr[v] : children.indptr[v + 1]]]
        lowest = int(below.max(initial=-1)) + 1
        height[v] = lowest + int(np.argmax(room[lowest:] > 0))
        room[height[v]] -= 1
    return np.asarray(height.max() - height)


@dataclass(frozen=True, eq=False)
class Ladder:
    """A layered graph whose edges all go from one layer to the next.

    Attributes
    ----------
    layer : (v,) layer of each node.
    upper, lower : (e,) ends of each edge; ``layer[lower] == layer[upper] + 1``.
    """

    layer: IntArray
    upper: IntArray
    lower: IntArray

    def nodes(self) -> list[IntArray]:
        """Return the nodes of each layer, by index."""
        return _groups(self.layer, int(self.layer.max()) + 1)

    def edges(self) -> list[IntArray]:
        """Return the edges from each layer to the next one, by index."""
        return _groups(self.layer[self.upper], int(self.layer.max()))


def n_crossings(upper: IntArray, lower: IntArray) -> int:
    """Count the crossings between two layers; the ends of the edges are places in the layers.

    Two edges cross when their ends lie in opposite orders: the inversions of the lower places,
    with the edges sorted by the upper ones. Counted bit by bit: among values that agree above a
    bit, every one before a zero is an inversion.

    Examples
    --------
    >>> n_crossings(np.array([0, 1, 1]), np.array([1, 0, 1]))
    1
    """
    values = lower[np.lexsort((lower, upper))]
    total = 0
    for bit in range(int(values.max(initial=0)).bit_length() - 1, -1, -1):
        group = values >> (bit + 1)
        by_group = np.argsort(group, kind="stable")
        one = values[by_group] >> bit & 1
        ones_before = np.cumsum(one) - one
        head = np.searchsorted(group[by_group], group[by_group])
        total += int(((ones_before - ones_before[head]) * (1 - one)).sum())
    return total


def total_crossings(ladder: Ladder, place: IntArray) -> int:
    """Count the crossings of the whole picture."""
    return sum(
        n_crossings(place[ladder.upper[edges]], place[ladder.lower[edges]])
        for edges in ladder.edges()
    )


def few_crossings(ladder: Ladder, start: Array) -> IntArray:
    """Return the place of each node in its layer, after sweeps down and up from a start.

    Parameters
    ----------
    ladder : Ladder
    start : (v,) the nodes of each layer start sorted by these numbers.
    """
    place = _sorted_places(ladder, start)
    best, fewest = place, total_crossings(ladder, place)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        place = _sweep(ladder, place, down=sweep % 2 == 0, reverse_ties=sweep % 4 > 1)
        if len(ladder.upper) <= _MAX_EXCHANGED:
            place = _exchange(ladder, place)
        count = total_crossings(ladder, place)
        if count < fewest:
            best, fewest = place, count
    return best


def coordinates(
    ladder: Ladder, place: IntArray, widths: Array, gap: float, bend: BoolArray
) -> Array:
    """Return x such that neighbours in a layer keep their distance and edges are nearly upright.

    Each layer in turn takes the places nearest to the weighted mean of its neighbours, subject to
    ``x_{k+1} − x_k >= (w_k + w_{k+1}) / 2 + gap``: an isotonic regression once the distances are
    subtracted.

    Parameters
    ----------
    ladder : Ladder
    place : (v,) place of each node in its layer.
    widths : (v,) of the boxes.
    gap : free space between two boxes.
    bend : (v,) True for the points of long edges.
    """
    rows = [row[np.argsort(place[row])] for row in ladder.nodes()]
    offsets = []
    x = np.empty(len(place))
    for row in rows:
        half = widths[row] / 2
        steps = half[:-1] + half[1:] + np.where(bend[row[:-1]] & bend[row[1:]], gap / 4, gap)
        offset = np.concatenate([[0.0], np.cumsum(steps)])
        offsets.append(offset)
        x[row] = offset - offset[-1] / 2
    kind = bend[ladder.upper].astype(np.intp) + bend[ladder.lower]
    strength = np.array([_NODE, _END, _INSIDE])[kind]
    one, other = (
        np.concatenate(p) for p in ((ladder.upper, ladder.lower), (ladder.lower, ladder.upper))
    )
    both = np.concatenate([strength, strength])
    near = _groups(ladder.layer[one], len(rows))
    for sweep in range(_PLACEMENTS):
        order = range(len(rows)) if sweep % 2 == 0 else range(len(rows) - 1, -1, -1)
        for k in order:
            row, edges = rows[k], near[k]
            pull = np.bincount(one[edges], weights=both[edges], minlength=len(x))[row]
            total = np.bincount(
                one[edges], weights=both[edges] * x[other[edges]], minlength=len(x)
            )[row]
            wish = np.where(pull > 0, total / np.maximum(pull, 1e-9), x[row])
            # the nearest places to the wishes, in weighted squares, that keep the distances
            fitted = isotonic_regression(wish - offsets[k], weights=np.maximum(pull, 1e-3))
            x[row] = fitted.x + offsets[k]
    return np.asarray(x - x.min())


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


def _groups(key: IntArray, n: int) -> list[IntArray]:
    """Return where 0, 1, ..., n - 1 stand in the key."""
    ends = np.cumsum(np.bincount(key, minlength=n))[:-1]
    return np.split(np.argsort(key, kind="stable"), ends)


def _sorted_places(ladder: Ladder, key: Array) -> IntArray:
    """Places of the nodes when each layer is sorted."""
    place = np.empty(len(ladder.layer), dtype=np.intp)
    for nodes in ladder.nodes():
        place[nodes[np.argsort(key[nodes], kind="stable")]] = np.arange(len(nodes))
    return place


def _sweep(ladder: Ladder, place: IntArray, *, down: bool, reverse_ties: bool) -> IntArray:
    """Sort layer after layer by the mean place of the neighbours in the layer before."""
    place = place.copy()
    nodes, edges = ladder.nodes(), ladder.edges()
    steps = range(len(edges)) if down else range(len(edges) - 1, -1, -1)
    for step in steps:
        fixed, free = ladder.upper[edges[step]], ladder.lower[edges[step]]
        row = nodes[step + 1]
        if not down:
            fixed, free, row = free, fixed, nodes[step]
        count = np.bincount(free, minlength=len(place))[row]
        total = np.bincount(free, weights=place[fixed], minlength=len(place))[row]
        # a node without neighbours there stays where it is
        other = len(nodes[step if down else step + 1])
        wish = np.where(count > 0, total / np.maximum(count, 1), place[row] * other / len(row))
        tie = -place[row] if reverse_ties else place[row]
        place[row[np.lexsort((tie, wish))]] = np.arange(len(row))
    return place


def _exchange(ladder: Ladder, place: IntArray) -> IntArray:
    """Exchange neighbours in a layer while that removes crossings."""
    above: list[list[int]] = [[] for _ in place]
    below: list[list[int]] = [[] for _ in place]
    for u, v in zip(ladder.upper.tolist(), ladder.lower.tolist(), strict=True):
        above[v].append(u)
        below[u].append(v)
    where = place.tolist()
    rows = [row[np.argsort(place[row])].tolist() for row in ladder.nodes()]
    for _ in range(10):
        improved = False
        for row in rows:
            for k in range(len(row) - 1):
                a, b = row[k], row[k + 1]
                gain = _gain(above[a], above[b], where) + _gain(below[a], below[b], where)
                if gain > 0:
                    row[k], row[k + 1] = b, a
                    where[a], where[b] = where[b], where[a]
                    improved = True
        if not improved:
            break
    return np.array(where, dtype=np.intp)


def _gain(left: list[int], right: list[int], where: list[int]) -> int:
    """Crossings that go, less those that come, when two neighbours change places."""
    return sum((where[u] > where[v]) - (where[u] < where[v]) for u in left for v in right)
