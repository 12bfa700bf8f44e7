"""DirectLiNGAM (package ``lingam``), for noise that is not Gaussian.

It prunes by an adaptive lasso on standardised columns, so that its zeros are exact.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array
from daglock_evaluation.methods.method import Answer, Method


def weights_of(adjacency: NDArray[Any]) -> Array:
    """Return weights with i -> j at [i, j]; lingam has the effect of j on i there.

    Examples
    --------
    >>> weights_of(np.array([[0.0, 0.0], [0.8, 0.0]])).tolist()
    [[0.0, 0.8], [0.0, 0.0]]
    """
    return np.asarray(adjacency, dtype=np.float64).T


def run(X: Array, seed: int) -> Answer:
    """Run DirectLiNGAM."""
    model = import_module("lingam").DirectLiNGAM(random_state=seed)
    return Answer(weights_of(model.fit(X).adjacency_matrix_))


SCALING = "as given; the package standardises for its tests"
METHODS = (Method("direct-lingam", "DirectLiNGAM", "dag", run, "yellow", "^", "lingam", SCALING),)
