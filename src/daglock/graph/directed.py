"""A directed graph as a weight matrix: its edges, cycles, orders and strong components.

``W[i, j] != 0`` means i -> j. Every answer is combinatorial: an edge is there or it is not, and no
tolerance is involved. ``W`` may be a dense array or any SciPy sparse matrix; on sparse input the
cost is linear in nodes plus edges. A self-loop is a cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from daglock._parameters import as_numbers, require_number
from daglock.errors import InvalidDataError, NotADAGError
from daglock.ties import ranks
from daglock.typing import Array, BoolArray, IntArray

Sparse: TypeAlias = "sparse.sparray[Any, Any] | sparse.spmatrix[Any]"
Graph: TypeAlias = "NDArray[Any] | Sparse"
SparseArray: TypeAlias = "sparse.csr_array[np.float64, tuple[int, int]]"
_LONGEST_CYCLE_SHOWN = 12
# Up to this many nodes products of dense matrices are quicker than anything sparse.
_FEW = 64


def as_csr(W: Graph) -> SparseArray:
    """Copy a square matrix into CSR form, float64, without stored zeros and duplicates."""
    matrix: Any = W if sparse.issparse(W) else as_numbers("W", W)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InvalidDataError(f"A graph is a square matrix, but its shape is {matrix.shape}.")
    csr: SparseArray = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    if not np.isfinite(csr.data).all():
        raise InvalidDataError("The weight matrix holds NaN or infinite values; remove them.")
    return csr


def edge_list(W: Graph) -> tuple[IntArray, IntArray, Array]:
    """Return sources, targets and weights of all edges, sorted by source, then by target.

    Examples
    --------
    >>> sources, targets, weights = edge_list(np.array([[0.0, 0.7], [0.0, 0.0]]))
    >>> sources, targets, weights
    (array([0]), array([1]), array([0.7]))
    """
    csr = as_csr(W)
    sources = np.repeat(np.arange(csr.shape[0], dtype=np.intp), np.diff(csr.indptr))
    return sources, csr.indices.astype(np.intp), csr.data


def parents_of(source: IntArray, target: IntArray, d: int) -> list[IntArray]:
    """Return the parents of every node, sorted.

    Examples
    --------
    >>> parents_of(np.array([2, 0]), np.array([1, 1]), 3)
    [array([], dtype=int64), array([0, 2]), array([], dtype=int64)]
    """
    by_target = np.lexsort((source, target))
    return np.split(source[by_target], np.searchsorted(target[by_target], np.arange(1, d)))


def edges_into(
    parents: Sequence[Sequence[int]] | Sequence[IntArray],
) -> tuple[IntArray, IntArray]:
    """Return source and target of every edge from the parents of every node: `parents_of` undone.

    Examples
    --------
    >>> source, target = edges_into([np.array([2]), np.array([], dtype=int), np.array([1])])
    >>> source.tolist(), target.tolist()
    ([2, 1], [0, 2])
    """
    source = np.concatenate([*parents, np.empty(0, dtype=np.intp)]).astype(np.intp)
    return source, np.repeat(np.arange(len(parents)), [len(P) for P in parents])


@overload
def threshold(W: NDArray[Any], cutoff: float) -> Array: ...
@overload
def threshold(W: Sparse, cutoff: float) -> SparseArray: ...
def threshold(W: Graph, cutoff: float) -> Array | SparseArray:
    """Copy ``W`` with every entry of ``|W_ij| < cutoff`` set to exact zero.

    Other packages do this, usually at 0.3, to turn a dense estimate into a graph. The result
    need not be a DAG.

    Examples
    --------
    >>> threshold(np.array([[0.0, 0.31], [-0.29, 0.0]]), 0.3)
    array([[0.  , 0.31],
           [0.  , 0.  ]])
    """
    require_number("cutoff", cutoff, at_least=0)
    csr = as_csr(W)
    csr.data[np.abs(csr.data) < cutoff] = 0.0
    csr.eliminate_zeros()
    return csr if sparse.issparse(W) else csr.toarray()


def is_dag(W: Graph) -> bool:
    """Tell whether the graph has no directed cycle (a self-loop is one).

    True exactly when every strong component is a single node without a self-loop.

    Examples
    --------
    >>> is_dag(np.array([[0.0, 1e-300], [0.0, 0.0]]))
    True
    >>> is_dag(np.array([[0.0, 1e-300], [1.0, 0.0]]))
    False
    """
    few = isinstance(W, np.ndarray) and W.shape == (len(W),) * 2 and len(W) <= _FEW
    if isinstance(W, np.ndarray) and few and W.dtype == np.bool_:
        return _has_no_cycle(W)
    csr = as_csr(W)
    return not csr.diagonal().any() and _labels(csr)[0] == csr.shape[0]


def _has_no_cycle(edges: BoolArray) -> bool:
    """Whether all walks end: after each product the matrix tells of walks twice as long."""
    walks = edges.astype(np.float32)
    for _ in range(len(edges).bit_length()):
        if not walks.any():
            return True
        walks = np.minimum(walks @ walks, 1.0)
    return not walks.any()


def topological_order(W: Graph) -> IntArray:
    """Return an order of the nodes in which every edge points forward (Kahn's algorithm).

    Sources come first, by index; the same graph always gives the same order. A cycle raises
    NotADAGError, and the message shows it.

    Examples
    --------
    >>> topological_order(np.array([[0, 0, 0], [1, 0, 1], [1, 0, 0]]))
    array([1, 2, 0])
    """
    csr = as_csr(W)
    order = _kahn(csr)
    if order.size < csr.shape[0]:
        raise NotADAGError(f"The graph has the cycle {_cycle_text(csr)}, but it must be acyclic.")
    return order


def find_cycle(W: Graph) -> list[int] | None:
    """Return the nodes of one directed cycle in their order, or None when there is none.

    A self-loop if there is one; else a shortest cycle through the first node that lies on any.

    Examples
    --------
    >>> find_cycle(np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]))
    [0, 2, 1]
    """
    csr = as_csr(W)
    loops = np.flatnonzero(csr.diagonal())
    if loops.size:
        return [int(loops[0])]
    _, labels = _labels(csr)
    cyclic = np.flatnonzero(np.bincount(labels)[labels] > 1)
    if not cyclic.size:
        return None
    start = int(cyclic[0])
    reached, predecessors = csgraph.breadth_first_order(csr, start)
    closes = np.zeros(csr.shape[0], dtype=np.bool_)
    closes[csr.tocsc()[:, [start]].indices] = True
    cycle = [int(reached[closes[reached]][0])]
    while cycle[-1] != start:
        cycle.append(int(predecessors[cycle[-1]]))
    return cycle[::-1]


def strong_components(W: Graph) -> list[IntArray]:
    """All strong components, each sorted; no edge leads from a later to an earlier one.

    Examples
    --------
    >>> strong_components(np.array([[0, 0, 0], [1, 0, 1], [0, 1, 0]]))
    [array([1, 2]), array([0])]
    """
    csr = as_csr(W)
    count, labels = _labels(csr)
    sources, targets = (labels[ends] for ends in edge_list(csr)[:2])
    between = sources != targets
    condensation = _pattern(sources[between], targets[between], count)
    by_label = np.argsort(labels, kind="stable")
    members = np.split(by_label, np.cumsum(np.bincount(labels, minlength=count))[:-1])
    return [members[label] for label in _kahn(condensation)]


def order_of_cyclic(W: Graph) -> IntArray:
    """Return an order of the nodes that breaks little weight when the graph has cycles.

    Components come in topological order. Inside one, edges are accepted from the largest
    ``|W_ij|`` to the smallest, each unless it closes a cycle with those accepted before: an edge
    that points backward in the end is the weakest of a cycle. On a DAG nothing is broken, and
    the result is a topological order.

    Examples
    --------
    >>> order_of_cyclic(np.array([[0.0, 0.9, 0.0], [0.0, 0.0, 0.8], [0.1, 0.0, 0.0]]))
    array([0, 1, 2])
    """
    csr = as_csr(W)
    pieces = []
    for nodes in strong_components(csr):
        if nodes.size > 1:
            block: SparseArray = sparse.csr_array(csr[nodes][:, nodes])
            pieces.append(nodes[_kahn(_heaviest_acyclic(block))])
        else:
            pieces.append(nodes)
    return np.concatenate(pieces) if pieces else np.empty(0, dtype=np.intp)


def _labels(csr: SparseArray) -> tuple[int, IntArray]:
    """Strong components of a clean CSR matrix."""
    count, labels = csgraph.connected_components(csr, directed=True, connection="strong")
    return int(count), labels.astype(np.intp)


def _pattern(sources: IntArray, targets: IntArray, d: int) -> SparseArray:
    """Build a clean CSR matrix from edges that may repeat; its values have no meaning."""
    return sparse.csr_array((np.ones(sources.size), (sources, targets)), shape=(d, d))


def _kahn(csr: SparseArray) -> IntArray:
    """Remove sources one after the other; nodes on or behind a cycle are left out."""
    first, targets = csr.indptr.tolist(), csr.indices.tolist()
    indegree = np.bincount(csr.indices, minlength=csr.shape[0]).tolist()
    order = [node for node, count in enumerate(indegree) if count == 0]
    for node in order:  # the list grows while it is read: it is the queue
        for child in targets[first[node] : first[node + 1]]:
            indegree[child] -= 1
            if indegree[child] == 0:
                order.append(child)
    return np.array(order, dtype=np.intp)


def _heaviest_acyclic(csr: SparseArray) -> SparseArray:
    """Edges taken from the heaviest on, each unless it closes a cycle; self-loops never."""
    d = csr.shape[0]
    sources, targets, weights = edge_list(csr)
    # Bit b of row a: a leads to b (`below`), b leads to a (`above`); each node to itself.
    below = np.packbits(np.eye(d, dtype=np.bool_), axis=1, bitorder="little")
    above = below.copy()
    kept = np.zeros(sources.size, dtype=np.bool_)
    heaviest_first = np.argsort(ranks(-np.abs(weights)), kind="stable").tolist()
    for edge in heaviest_first:
        i, j = sources.item(edge), targets.item(edge)
        if below.item(j, i >> 3) >> (i & 7) & 1:
            continue
        kept[edge] = True
        if not below.item(i, j >> 3) >> (j & 7) & 1:
            ancestors = _set_bits(above[i] & ~above[j])
            descendants = _set_bits(below[j] & ~below[i])
            below[ancestors] |= below[j]
            above[descendants] |= above[i]
    return _pattern(sources[kept], targets[kept], d)


def _set_bits(bits: NDArray[np.uint8]) -> IntArray:
    """Positions of the ones in a packed bit set."""
    return np.flatnonzero(np.unpackbits(bits, bitorder="little"))


def _cycle_text(csr: SparseArray) -> str:
    """Write one cycle as ``0 -> 2 -> 1 -> 0``, with the middle left out of a long one."""
    cycle = find_cycle(csr) or []
    steps = [str(node) for node in [*cycle, *cycle[:1]]]
    if len(steps) > _LONGEST_CYCLE_SHOWN:
        half = _LONGEST_CYCLE_SHOWN // 2
        steps = [*steps[:half], f"... ({len(steps) - 2 * half} more)", *steps[-half:]]
    return " -> ".join(steps)
