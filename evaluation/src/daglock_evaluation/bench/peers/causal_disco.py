"""Sort and regress (package ``CausalDisco``): what a graph is worth that scale alone gives.

Columns are put in order by their variance, or by how well the others explain them, and each is
regressed on those before it by an adaptive lasso, with BIC. There is no threshold.
"""

from __future__ import annotations

import numpy as np

from daglock.typing import Array
from daglock_evaluation.bench.peer import Answer, Peer


def run_variance(X: Array, seed: int) -> Answer:
    """Sort by variance."""
    from CausalDisco.baselines import var_sort_regress

    return Answer(np.asarray(var_sort_regress(X)))


def run_r2(X: Array, seed: int) -> Answer:
    """Sort by R²."""
    from CausalDisco.baselines import r2_sort_regress

    return Answer(np.asarray(r2_sort_regress(X)))


PEERS = (
    Peer(
        "var-sortnregress",
        "var-sortnregress",
        "dag",
        run_variance,
        package="CausalDisco",
        colour="grey",
        marker="<",
    ),
    Peer(
        "r2-sortnregress",
        "R²-sortnregress",
        "dag",
        run_r2,
        package="CausalDisco",
        colour="grey",
        marker=">",
    ),
)
