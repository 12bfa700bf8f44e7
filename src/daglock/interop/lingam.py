"""lingam: its adjacency matrix holds the effect of the column on the row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from daglock.interop._model import fitted
from daglock.interop.matrix_csv import matrix_csv
from daglock.typing import Array

if TYPE_CHECKING:
    from daglock.estimator import DAGLock


def to_lingam(model: DAGLock) -> Array:
    """Return the weights as the ``adjacency_matrix_`` of lingam: B[i, j] is the effect of j on i.

    The transpose of W. It is the graph that was found: lingam has no undirected edges, and an
    edge that the data cannot orient is directed in it like any other.

    Examples
    --------
    >>> from daglock import DAGLock
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> model = DAGLock(random_state=0).fit(linear_sem(erdos_renyi(5, 4, rng=0), 500, rng=1))
    >>> bool((to_lingam(model) == model.to_sparse().toarray().T).all())
    True
    """
    return np.asarray(fitted(model).to_sparse().toarray().T)


def to_lingam_csv(model: DAGLock) -> str:
    """Write the matrix of `to_lingam` as CSV."""
    return matrix_csv(to_lingam(model), model.names_)
