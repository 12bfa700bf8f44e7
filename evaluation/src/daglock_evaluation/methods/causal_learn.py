"""BOSS, GES and PC (package ``causal-learn``), for linear Gaussian data.

All three give a class, as a matrix of endpoints: at [i, j] is the mark at i of the edge between i
and j, −1 for a tail and 1 for an arrowhead.
"""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array
from daglock_evaluation.methods.method import Answer, Method

TAIL, ARROW = -1, 1
SCORE = "local_score_BIC_from_cov"
# The package's λ is in units of log n for a log-likelihood, so 0.5, its default for GES, is BIC.
# Its default for BOSS is four times that; XGES and FLOP charge twice BIC for an edge.
BIC = 0.5
ALPHA = 0.05


def codes_of_endpoints(endpoints: NDArray[Any]) -> NDArray[np.int8]:
    """Return 1 for i -> j and 2, in both cells, for an edge without or with both directions.

    Examples
    --------
    >>> codes_of_endpoints(np.array([[0, -1, -1], [1, 0, 0], [-1, 0, 0]]))
    array([[0, 1, 2],
           [0, 0, 0],
           [2, 0, 0]], dtype=int8)
    """
    other = endpoints.T
    directed = (endpoints == TAIL) & (other == ARROW)
    # PC may put an arrowhead at both ends where its tests contradict each other.
    both = (endpoints == other) & (endpoints != 0)
    return np.asarray(directed + 2 * both, dtype=np.int8)


def run_boss(X: Array, seed: int, lambda_value: float) -> Answer:
    """Run BOSS, which takes its random numbers from the standard library."""
    boss = import_module("causallearn.search.PermutationBased.BOSS").boss
    random.seed(seed)
    found = boss(X, SCORE, parameters={"lambda_value": lambda_value}, verbose=False)
    return Answer(codes_of_endpoints(found.graph))


def run_ges(X: Array, seed: int, lambda_value: float) -> Answer:
    """Run GES."""
    ges = import_module("causallearn.search.ScoreBased.GES").ges
    return Answer(codes_of_endpoints(ges(X, SCORE, lambda_value=lambda_value)["G"].graph))


def run_pc(X: Array, seed: int, alpha: float) -> Answer:
    """Run PC with Fisher's z."""
    pc = import_module("causallearn.search.ConstraintBased.PC").pc
    return Answer(codes_of_endpoints(pc(X, alpha, "fisherz", show_progress=False).G.graph))


def _method(name: str, label: str, run: Any, marker: str, **options: float) -> Method:
    """Return a method of the package."""
    return Method(name, label, "class", run, "blue", marker, "causal-learn", options=options)


METHODS = (
    _method("boss", "BOSS", run_boss, "s", lambda_value=4 * BIC),
    _method("boss-2bic", "BOSS, price of XGES and FLOP", run_boss, "D", lambda_value=2 * BIC),
    _method("ges", "GES", run_ges, "v", lambda_value=BIC),
    _method("pc", "PC", run_pc, "X", alpha=ALPHA),
)
