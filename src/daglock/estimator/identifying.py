"""What identifies a direction: the noise model, regimes, the shape of the noise, or knowledge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from daglock.criteria import ByRegime, Curved
from daglock.engine.learned import Learned
from daglock.graph import dag_to_cpdag
from daglock.typing import BoolArray

# What a noise model identifies a direction by.
IDENTIFIED_BY = {
    "equal": "equal variances",
    "unequal": "class",
    "mixed": "class",
    "counts": "class",
    "regimes": "class",
    "curves": "curves",
}
REGIMES = "regimes"


def identified_by(learned: Learned) -> NDArray[np.str_]:
    """Return for each edge what identifies its direction; "" where nothing does."""
    dag = learned.dag
    by_model = np.where(dag.oriented, IDENTIFIED_BY[learned.noise], "")
    if learned.noise == Curved.name:  # not by curves what lines would do
        marks = dag_to_cpdag(dag.adjacency()).toarray()[dag.source, dag.target]
        by_model = np.where(dag.oriented & (marks == 1), "class", by_model)
    if learned.by_regimes is not None:
        by_model = np.where(learned.by_regimes & dag.oriented, REGIMES, by_model)
    if learned.shaped is not None:
        by_model = np.where(learned.shaped, "shape", by_model)
    return np.where(ruled_out(learned)[dag.source, dag.target], "knowledge", by_model)


def ruled_out(learned: Learned) -> BoolArray:
    """Tell in cell (i, j) whether knowledge allows i -> j and rules out j -> i."""
    allowed, d = learned.certificate.knowledge.allowed, learned.dag.d
    if allowed is None:
        return np.zeros((d, d), dtype=np.bool_)
    return np.asarray(allowed & ~allowed.T)


def rests_on(learned: Learned) -> str:
    """Return what the directions in replicates rest on: a word for `Confidence`."""
    return REGIMES if learned.noise == ByRegime.name else IDENTIFIED_BY[learned.noise]
