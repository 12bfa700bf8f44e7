"""Sort and regress (package ``CausalDisco``): what a graph is worth that scale alone gives.

Columns are put in order by their variance, or by how well the others explain them, and each is
regressed on those before it by an adaptive lasso, with BIC. There is no threshold.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module

import numpy as np

from daglock.typing import Array
from daglock_evaluation.methods.method import Answer, Method


def run(X: Array, seed: int, by: str) -> Answer:
    """Sort by variance ("var") or by R² ("r2"), and regress."""
    baselines = import_module("CausalDisco.baselines")
    return Answer(np.asarray(getattr(baselines, f"{by}_sort_regress")(X)))


BY_VARIANCE, BY_R2 = partial(run, by="var"), partial(run, by="r2")
METHODS = (
    Method("var-sortnregress", "var-sortnregress", "dag", BY_VARIANCE, "grey", "<", "CausalDisco"),
    Method("r2-sortnregress", "R²-sortnregress", "dag", BY_R2, "grey", ">", "CausalDisco"),
)
