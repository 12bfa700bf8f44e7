"""Tables: a row for each edge, and the matrices of lingam and of pcalg, the R package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock._csv import csv_text
from daglock.interop._model import edges_of, fitted, require_numbers
from daglock.typing import Array

if TYPE_CHECKING:
    from daglock.confidence.edges import ClaimedEdge, Edge
    from daglock.estimator import DAGLock


def to_edge_list(model: DAGLock) -> str:
    """Write the edges with claims and kinds as CSV; variables without an edge are not in it."""
    from daglock.confidence.edges import ClaimedEdge

    return csv_text(with_kinds(model, ClaimedEdge._fields, edges_of(model)))


def with_kinds(
    model: DAGLock, fields: Sequence[str], edges: Sequence[Edge | ClaimedEdge]
) -> list[Sequence[object]]:
    """Return rows with a head: edges, and of which kinds the columns at their ends are."""
    kinds = model.kinds_
    rows = ([*edge, kinds[edge.source], kinds[edge.target]] for edge in edges)
    return [[*fields, "source_kind", "target_kind"], *rows]


def to_lingam(model: DAGLock) -> Array:
    """Return the weights as the ``adjacency_matrix_`` of lingam: B[i, j] is the effect of j on i.

    The transpose of W. It is the graph that was found: lingam has no undirected edges, and an
    edge whose direction is not claimed is directed in it like any other. A model with categories is
    refused: lingam knows effects of numbers alone.

    Examples
    --------
    >>> from daglock import DAGLock
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> model = DAGLock(random_state=0).fit(linear_sem(erdos_renyi(5, 4, rng=0), 500, rng=1))
    >>> bool((to_lingam(model) == model.to_sparse().toarray().T).all())
    True
    """
    return np.asarray(require_numbers(model, "lingam").to_sparse().toarray().T)


def to_lingam_csv(model: DAGLock) -> str:
    """Write the matrix of `to_lingam` as CSV."""
    return _matrix_csv(model, to_lingam(model))


def to_pcalg(model: DAGLock, *, dag: bool = False) -> NDArray[np.int8]:
    """Return the graph as pcalg's ``amat.cpdag``: the mark in [a, b] is the one at a.

    =========== =========== =======
    amat[a, b]  amat[b, a]  meaning
    =========== =========== =======
    0           1           a -> b
    1           0           a <- b
    1           1           a --- b
    0           0           no edge
    =========== =========== =======

    Parameters
    ----------
    model : a fitted DAGLock.
    dag : the graph that was found, with a direction for every edge, instead of what is claimed:
        arrows for "directed", lines for the rest, leaning or open.

    References
    ----------
    The help page ``amatType`` of pcalg, "Coding for type amat.cpdag".

    Examples
    --------
    >>> from daglock import DAGLock
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> model = DAGLock(random_state=0).fit(linear_sem(erdos_renyi(5, 4, rng=0), 500, rng=1))
    >>> bool((to_pcalg(model, dag=True) == (model.to_sparse().toarray().T != 0)).all())
    True
    """
    found = fitted(model).dag
    # 1 is the mark at the end of an arrow, and at both ends of a line
    amat = np.zeros((found.d, found.d), dtype=np.int8)
    amat[found.target, found.source] = 1
    if not dag:
        line = np.array([not edge.is_directed for edge in model.claimed_edges()], dtype=np.bool_)
        amat[found.source[line], found.target[line]] = 1
    return amat


def to_pcalg_csv(model: DAGLock) -> str:
    """Write the matrix of `to_pcalg` as CSV."""
    return _matrix_csv(model, to_pcalg(model))


def _matrix_csv(model: DAGLock, matrix: NDArray[Any]) -> str:
    """Write rows and columns with their names, as ``pandas.read_csv(..., index_col=0)`` reads it.

    In R: ``as.matrix(read.csv(file, row.names = 1, check.names = FALSE))``.
    """
    rows = zip(model.names_, matrix.tolist(), strict=True)
    return csv_text([["", *model.names_], *([name, *row] for name, row in rows)])
