"""An order, then regressions: sort and regress (``CausalDisco``), DirectLiNGAM (``lingam``).

Columns are sorted by their variance, or by how well the others explain them: what a graph is worth
that scale alone gives. DirectLiNGAM is for noise that is not Gaussian. Both regress each column on
those before it by an adaptive lasso, so that zeros are exact and there is no threshold.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array
from daglock_evaluation.methods import Answer, Method


def run_sorted(X: Array, seed: int, by: str) -> Answer:
    """Sort by variance ("var") or by R² ("r2"), and regress."""
    baselines = import_module("CausalDisco.baselines")
    return Answer(np.asarray(getattr(baselines, f"{by}_sort_regress")(X)))


def weights_of(adjacency: NDArray[Any]) -> Array:
    """Return weights with i -> j at [i, j]; lingam has the effect of j on i there.

    Examples
    --------
    >>> weights_of(np.array([[0.0, 0.0], [0.8, 0.0]])).tolist()
    [[0.0, 0.8], [0.0, 0.0]]
    """
    return np.asarray(adjacency, dtype=np.float64).T


def run_lingam(X: Array, seed: int) -> Answer:
    """Run DirectLiNGAM."""
    model = import_module("lingam").DirectLiNGAM(random_state=seed)
    return Answer(weights_of(model.fit(X).adjacency_matrix_))


def _sorted(by: str, label: str, marker: str) -> Method:
    """Return a way to sort and regress."""
    run = partial(run_sorted, by=by)
    return Method(f"{by}-sortnregress", label, "dag", run, "grey", marker, "CausalDisco")


METHODS = (
    _sorted("var", "var-sortnregress", "<"),
    _sorted("r2", "R²-sortnregress", ">"),
    Method(
        *("direct-lingam", "DirectLiNGAM", "dag", run_lingam, "yellow", "^", "lingam"),
        scaling="as given; the package standardises for its tests",
    ),
)
