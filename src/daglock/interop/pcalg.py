"""pcalg, the R package: adjacency matrices of type ``amat.cpdag``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from daglock.interop._model import fitted
from daglock.interop.matrix_csv import matrix_csv

if TYPE_CHECKING:
    from daglock.estimator import DAGLock


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
    dag : the graph that was found, instead of the edges that data and knowledge orient.

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
    learned = fitted(model)
    d = len(model.names_)
    amat = np.zeros((d, d), dtype=np.int8)
    amat[learned.dag.target, learned.dag.source] = 1
    if not dag:
        unsure = ~learned.dag.oriented
        amat[learned.dag.source[unsure], learned.dag.target[unsure]] = 1
    return amat


def to_pcalg_csv(model: DAGLock) -> str:
    """Write the matrix of `to_pcalg` as CSV."""
    return matrix_csv(to_pcalg(model), model.names_)
