"""The graph of the non-zero entries of W, split into strong and weak components."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from daglock.typing import Array, BoolArray, IntArray


def is_strongly_connected(support: BoolArray) -> bool:
    """Whether every node reaches every other; quick on a dense support."""
    return _reaches_all(support) and _reaches_all(support.T)


def _reaches_all(support: BoolArray) -> bool:
    """Whether node 0 reaches every node: breadth first, a level at a time."""
    seen = np.zeros(len(support), dtype=np.bool_)
    seen[:1] = True
    frontier = seen
    while frontier.any():
        frontier = support[frontier].any(axis=0) & ~seen
        seen = seen | frontier
    return bool(seen.all())


class SupportGraph:
    """Edges i -> j where ``W[i, j] != 0``, in row order, with the strong component of each node.

    Attributes
    ----------
    rows, columns : IntArray, shape (n_edges,)
        The edges. Weights travel beside them as arrays of the same length.
    labels : IntArray, shape (d,)
        Strong component of each node, numbered so that every edge between components leads from
        a higher number to a lower one.
    """

    def __init__(self, W: Array) -> None:
        self.d = len(W)
        self.rows, self.columns = np.nonzero(W)
        starts = np.zeros(self.d + 1, dtype=np.int32)
        np.cumsum(np.bincount(self.rows, minlength=self.d), out=starts[1:])
        self._csr = sparse.csr_array(
            (np.ones(self.rows.size), self.columns.astype(np.int32), starts),
            shape=(self.d, self.d),
        )
        # SciPy numbers strong components by completion of Tarjan's search: sinks come first.
        _, labels = csgraph.connected_components(self._csr, directed=True, connection="strong")
        self.labels: IntArray = labels.astype(np.intp)
        self._inner = self.labels[self.rows] == self.labels[self.columns]

    def cyclic_components(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Nodes and inner edges of each strong component that has an edge."""
        yield from _group(self.labels, self.rows, np.flatnonzero(self._inner))

    def weak_components(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Nodes and edges of each weakly connected component that has an edge."""
        _, labels = csgraph.connected_components(self._csr, directed=True, connection="weak")
        yield from _group(labels.astype(np.intp), self.rows, np.arange(self.rows.size))

    def components_last_first(self) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
        """Nodes, inner edges and leaving edges of every strong component, sinks first."""
        count = int(self.labels.max(initial=-1)) + 1
        nodes = _members(self.labels, count)
        of_edge = self.labels[self.rows]
        inner = np.flatnonzero(self._inner)
        leaving = np.flatnonzero(~self._inner)
        inner_of = _members(of_edge[inner], count)
        leaving_of = _members(of_edge[leaving], count)
        for label in range(count):
            yield nodes[label], inner[inner_of[label]], leaving[leaving_of[label]]

    def block(self, A: Array, nodes: IntArray, edges: IntArray) -> Array:
        """Dense matrix of the entries ``A`` of ``edges`` between ``nodes`` (sorted)."""
        block = np.zeros((nodes.size, nodes.size))
        block[self.positions(nodes, edges)] = A[edges]
        return block

    def positions(self, nodes: IntArray, edges: IntArray) -> tuple[IntArray, IntArray]:
        """Row and column of each edge within the block of ``nodes`` (sorted)."""
        rows, columns = self.rows[edges], self.columns[edges]
        return np.searchsorted(nodes, rows), np.searchsorted(nodes, columns)


def _members(labels: IntArray, count: int) -> list[IntArray]:
    """Sorted positions of each label 0, ..., count - 1."""
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels, minlength=count))
    return np.split(order, ends[:-1])


def _group(
    labels: IntArray, rows: IntArray, edges: IntArray
) -> Iterator[tuple[IntArray, IntArray]]:
    """Nodes and edges of each label that has one of ``edges``."""
    count = int(labels.max(initial=-1)) + 1
    nodes = _members(labels, count)
    for label, chosen in enumerate(_members(labels[rows[edges]], count)):
        if chosen.size:
            yield nodes[label], edges[chosen]
