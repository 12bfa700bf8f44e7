"""The Markov equivalence class of a DAG, as a completed partially directed graph."""

from __future__ import annotations

from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from daglock.graph.acyclicity import topological_order
from daglock.graph.matrix import Graph, Sparse, as_csr, edge_list
from daglock.typing import BoolArray, IntArray

Marks: TypeAlias = "sparse.csr_array[np.int8, tuple[int, int]]"


@overload
def dag_to_cpdag(W: NDArray[Any]) -> NDArray[np.int8]: ...
@overload
def dag_to_cpdag(W: Sparse) -> Marks: ...
def dag_to_cpdag(W: Graph) -> NDArray[np.int8] | Marks:
    """Return the completed partially directed graph of a DAG's Markov equivalence class.

    An edge is directed when all DAGs with the same skeleton and v-structures agree on it. Nodes
    are labelled in topological order. Let x be the last parent of y: the edges into y keep the
    labels of the edges into x, and the others are undirected, if
    ``compelled(x) ⊆ pa(y)`` and ``pa(y) ∖ {x} ⊆ pa(x)``; otherwise all edges into y are directed.

    Returns
    -------
    ndarray of int8, shape (d, d); a CSR array when ``W`` is sparse
        0 no edge, 1 directed i -> j, 2 undirected (in both cells).

    Raises
    ------
    NotADAGError
        If the graph has a cycle.

    References
    ----------
    Chickering (1995), "A transformational characterization of equivalent Bayesian network
    structures", procedure Label-Edges, of which this is the form for one node at a time.

    Examples
    --------
    >>> dag_to_cpdag(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]]))
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]], dtype=int8)
    >>> dag_to_cpdag(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    array([[0, 2, 0],
           [2, 0, 2],
           [0, 2, 0]], dtype=int8)
    """
    csr = as_csr(W)
    d = csr.shape[0]
    order = topological_order(csr)
    rank = np.argsort(order).tolist()
    parents: list[set[int]] = [set() for _ in range(d)]
    compelled: list[set[int]] = [set() for _ in range(d)]
    sources, targets, _ = edge_list(csr)
    edges = list(zip(sources.tolist(), targets.tolist(), strict=True))
    for x, y in edges:
        parents[y].add(x)
    for y in order.tolist():
        if parents[y]:
            x = max(parents[y], key=rank.__getitem__)
            inherits = compelled[x] <= parents[y] and parents[y] - {x} <= parents[x]
            compelled[y] = compelled[x] if inherits else parents[y]
    directed = np.array([x in compelled[y] for x, y in edges], dtype=np.bool_)
    cpdag = marked(sources, targets, directed, d)
    return cpdag if sparse.issparse(W) else cpdag.toarray()


def marked(source: IntArray, target: IntArray, directed: BoolArray, d: int) -> Marks:
    """Return a partially directed graph, sparse: 1 directed i -> j, 2 undirected (both cells)."""
    free = ~directed
    rows = np.concatenate([source, target[free]])
    columns = np.concatenate([target, source[free]])
    marks = np.concatenate([np.where(free, 2, 1), np.full(int(free.sum()), 2)])
    return sparse.csr_array((marks.astype(np.int8), (rows, columns)), shape=(d, d))
