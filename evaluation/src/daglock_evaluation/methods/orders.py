"""An order, then regressions: sort and regress (``CausalDisco``), LiNGAM (``lingam``).

Columns are sorted by their variance, or by how well the others explain them: what a graph is worth
that scale alone gives. Top-down takes next the column of the smallest variance given those taken
(Chen, Drton and Wang, 2019), which is right where noise variances are equal. LiNGAM is for noise
that is not Gaussian. All regress each column on those before it by an adaptive lasso, so that zeros
are exact and there is no threshold; LiNGAM's users often cut its weights once more.
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


def top_down(X: Array) -> Array:
    """Return the place of each column in the order of conditional variances.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> X[:, 0] += X[:, 2]
    >>> X[:, 1] += X[:, 0]
    >>> top_down(X).tolist()
    [1, 2, 0]
    """
    S = np.cov(X, rowvar=False)
    place = np.full(len(S), -1)
    for k in range(len(S)):
        variances = np.where(place < 0, np.diag(S), np.inf)
        j = int(np.argmin(variances))
        place[j] = k
        if S[j, j] > 0.0:
            S = S - np.outer(S[:, j], S[j]) / S[j, j]  # the covariance given this one as well
    return place


def run_top_down(X: Array, seed: int) -> Answer:
    """Sort by conditional variances, and regress as sortnregress does."""
    baselines = import_module("CausalDisco.baselines")
    return Answer(np.asarray(baselines.sort_regress(X, top_down(X))))


def weights_of(adjacency: NDArray[Any]) -> Array:
    """Return weights with i -> j at [i, j]; lingam has the effect of j on i there.

    Examples
    --------
    >>> weights_of(np.array([[0.0, 0.0], [0.8, 0.0]])).tolist()
    [[0.0, 0.8], [0.0, 0.0]]
    """
    return np.asarray(adjacency, dtype=np.float64).T


def run_lingam(X: Array, seed: int, kind: str) -> Answer:
    """Run DirectLiNGAM, or ICALiNGAM."""
    model = getattr(import_module("lingam"), kind)(random_state=seed)
    W = weights_of(model.fit(X).adjacency_matrix_)
    return Answer(W, weights=W)


def _sorted(by: str, label: str, marker: str) -> Method:
    """Return a way to sort and regress."""
    run = partial(run_sorted, by=by)
    return Method(f"{by}-sortnregress", label, "dag", run, "grey", marker, "CausalDisco")


METHODS = (
    _sorted("var", "var-sortnregress", "<"),
    _sorted("r2", "R²-sortnregress", ">"),
    Method(
        *("top-down", "top-down (Chen, Drton, Wang)", "dag", run_top_down),
        *("grey", "^", "CausalDisco"),
    ),
    *(
        Method(
            *(name, label, "dag", partial(run_lingam, kind=kind), "yellow", marker, "lingam"),
            scaling="as given; the package standardises for its tests",
        )
        for name, label, kind, marker in (
            ("direct-lingam", "DirectLiNGAM", "DirectLiNGAM", "^"),
            ("ica-lingam", "ICA-LiNGAM", "ICALiNGAM", "v"),
        )
    ),
)
