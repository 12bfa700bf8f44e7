"""WeightedDAG: the edges of a DAG with their weights, and an order that proves it acyclic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from daglock.errors import InvalidDataError, NotADAGError
from daglock.graph.classes import Marks, marked
from daglock.graph.directed import (
    Graph,
    SparseArray,
    as_csr,
    edge_list,
    edges_into,
    topological_order,
)
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import plural


@dataclass(frozen=True, eq=False)
class WeightedDAG:
    """A directed acyclic graph with weights. All arrays are read-only.

    Arrays that do not belong together raise InvalidDataError, an edge that goes backward in the
    order NotADAGError.

    Attributes
    ----------
    order : (d,) a topological order: every edge goes from an earlier node to a later one.
    source, target : (n_edges,) the edges i -> j, sorted by target, then by source.
    weight : (n_edges,) the effect of i on j; zero is a weight like any other.
    oriented : (n_edges,) whether the direction is told; where it is not, i <- j would do as well.

    Examples
    --------
    >>> chain = WeightedDAG.from_matrix(np.array([[0, -1.0, 0], [0, 0, 0], [0.5, 0, 0]]))
    >>> chain.order, chain.source, chain.target, chain.weight
    (array([2, 0, 1]), array([2, 0]), array([0, 1]), array([ 0.5, -1. ]))
    >>> chain.parents
    [array([2]), array([0]), array([], dtype=int64)]
    """

    order: IntArray
    source: IntArray
    target: IntArray
    weight: Array
    oriented: BoolArray

    def __post_init__(self) -> None:
        """Copy the arrays, so that nobody can change them, and look whether they are a DAG."""
        for name, kind in _KINDS.items():
            array = np.array(getattr(self, name), dtype=kind)
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        d, shape = len(self.order), self.source.shape
        if self.order.ndim != 1 or not np.array_equal(np.sort(self.order), np.arange(d)):
            raise InvalidDataError("The order of a DAG must have each node once.")
        edges = (self.source, self.target, self.weight, self.oriented)
        if len(shape) != 1 or any(array.shape != shape for array in edges):
            raise InvalidDataError(
                "Each edge of a DAG must have a source, a target, a weight and a mark."
            )
        ends = np.concatenate([self.source, self.target])
        if not np.all((ends >= 0) & (ends < d)):
            raise InvalidDataError(f"The edges of this DAG must join nodes 0 to {d - 1}.")
        if not np.all(np.diff(self.target * d + self.source) > 0):
            raise InvalidDataError(
                "A DAG must have each edge once, sorted by target, then by source."
            )
        if not self.goes_forward():
            raise NotADAGError("The graph has an edge that goes backward in its order.")

    def __repr__(self) -> str:
        """One line for a person."""
        return f"<WeightedDAG: {plural(self.d, 'node')}, {plural(self.n_edges, 'edge')}>"

    @classmethod
    def from_parents(
        cls,
        order: Sequence[int] | IntArray,
        parents: Sequence[Sequence[int]] | Sequence[IntArray],
        weights: Sequence[Sequence[float]] | Sequence[Array],
        oriented: BoolArray | None = None,
    ) -> WeightedDAG:
        """Build it from the sorted parents of each node, and a weight for each of them.

        Without ``oriented`` all directions count as told.
        """
        source, target = edges_into(parents)
        weight = np.array([w for part in weights for w in part], dtype=np.float64)
        told = np.ones(len(target), dtype=np.bool_) if oriented is None else oriented
        return cls(np.asarray(order), source, target, weight, told)

    @classmethod
    def from_matrix(cls, W: Graph) -> WeightedDAG:
        """Build it from a weight matrix, dense or sparse; all directions count as told."""
        order = topological_order(W)
        target, source, weight = edge_list(as_csr(W).T)
        return cls(order, source, target, weight, np.ones(len(source), dtype=np.bool_))

    @property
    def d(self) -> int:
        """Number of nodes."""
        return len(self.order)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.source)

    @property
    def parents(self) -> list[IntArray]:
        """Parents of every node, sorted."""
        return self.by_target(self.source)

    @property
    def position(self) -> IntArray:
        """Place of every node in the order."""
        return np.argsort(self.order)

    def goes_forward(self) -> bool:
        """Tell whether the order proves that the edges are acyclic."""
        return bool(np.all(self.position[self.source] < self.position[self.target]))

    def by_target(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Split what there is for each edge into the edges into each node."""
        return np.split(values, np.searchsorted(self.target, np.arange(1, self.d)))

    def to_sparse(self) -> SparseArray:
        """W as a CSR matrix: W[i, j] is the effect of i on j."""
        return sparse.csr_array((self.weight, (self.source, self.target)), shape=(self.d, self.d))

    def adjacency(self) -> sparse.csr_array[np.int8, tuple[int, int]]:
        """1 where i -> j, sparse, also where the weight is zero."""
        ones = np.ones(self.n_edges, dtype=np.int8)
        return sparse.csr_array((ones, (self.source, self.target)), shape=(self.d, self.d))

    def marks(self) -> Marks:
        """Mark what is oriented, sparse: 1 directed i -> j, 2 undirected (both cells)."""
        return marked(self.source, self.target, self.oriented, self.d)

    def standardised(self, variances: Array) -> WeightedDAG:
        """Return the DAG with weights in standard deviations of the two ends of an edge."""
        deviation = np.sqrt(variances)
        weight = self.weight * deviation[self.source] / deviation[self.target]
        return replace(self, weight=weight)

    def scaled(self, factor: Array) -> WeightedDAG:
        """Return the DAG with the weight of each edge multiplied."""
        return replace(self, weight=self.weight * factor)

    def keep(self, edges: BoolArray) -> WeightedDAG:
        """Return the DAG with some of its edges only."""
        parts = {name: getattr(self, name)[edges] for name in _KINDS if name != "order"}
        return WeightedDAG(self.order, **parts)

    def select(self, nodes: IntArray) -> WeightedDAG:
        """Return the DAG of some nodes, given sorted and numbered anew, and the edges between."""
        number = np.full(self.d, -1, dtype=np.intp)
        number[nodes] = np.arange(len(nodes))
        kept = self.keep((number[self.source] >= 0) & (number[self.target] >= 0))
        order = number[self.order]
        return replace(
            kept, order=order[order >= 0], source=number[kept.source], target=number[kept.target]
        )

    def among(self, nodes: IntArray, d: int) -> WeightedDAG:
        """Return the DAG with its nodes among d, given sorted; the others have no edges.

        Examples
        --------
        >>> chain = WeightedDAG.from_matrix(np.array([[0.0, 1.0], [0.0, 0.0]]))
        >>> chain.among(np.array([1, 3]), 4).parents[3].tolist()
        [1]
        """
        others = np.setdiff1d(np.arange(d), nodes)
        return replace(
            self,
            order=np.append(nodes[self.order], others),
            source=nodes[self.source],
            target=nodes[self.target],
        )


_KINDS = dict.fromkeys(("order", "source", "target"), np.intp) | {
    "weight": np.float64,
    "oriented": np.bool_,
}
