"""A graph as a weight matrix, dense or sparse: ``W[i, j] != 0`` means i -> j."""

from __future__ import annotations

from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from daglock._parameters import as_numbers, require_number
from daglock.errors import InvalidDataError
from daglock.typing import Array, IntArray

Sparse: TypeAlias = "sparse.sparray[Any, Any] | sparse.spmatrix[Any]"
Graph: TypeAlias = "NDArray[Any] | Sparse"
SparseArray: TypeAlias = "sparse.csr_array[np.float64, tuple[int, int]]"


def as_csr(W: Graph) -> SparseArray:
    """Copy a square matrix into CSR form, float64, without stored zeros and duplicates.

    Parameters
    ----------
    W : ndarray or sparse matrix, shape (d, d)

    Raises
    ------
    InvalidDataError
        If ``W`` is not square or holds a value that is not finite.
    """
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
    return row_indices(csr), csr.indices.astype(np.intp), csr.data


def parents_of(source: IntArray, target: IntArray, d: int) -> list[IntArray]:
    """Return the parents of every node, sorted.

    Examples
    --------
    >>> parents_of(np.array([2, 0]), np.array([1, 1]), 3)
    [array([], dtype=int64), array([0, 2]), array([], dtype=int64)]
    """
    by_target = np.lexsort((source, target))
    return np.split(source[by_target], np.searchsorted(target[by_target], np.arange(1, d)))


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


def row_indices(csr: SparseArray) -> IntArray:
    """Row of each stored entry."""
    return np.repeat(np.arange(csr.shape[0], dtype=np.intp), np.diff(csr.indptr))
