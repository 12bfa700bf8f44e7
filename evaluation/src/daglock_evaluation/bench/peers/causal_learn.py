"""BOSS, GES and PC (package ``causal-learn``), for linear Gaussian data.

All three give a class, as a matrix of endpoints: at [i, j] is the mark at i of the edge between i
and j, −1 for a tail and 1 for an arrowhead.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array
from daglock_evaluation.bench.peer import Answer, Peer

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
    from causallearn.search.PermutationBased.BOSS import boss

    random.seed(seed)
    found = boss(X, SCORE, parameters={"lambda_value": lambda_value}, verbose=False)
    return Answer(codes_of_endpoints(found.graph))


def run_ges(X: Array, seed: int, lambda_value: float) -> Answer:
    """Run GES."""
    from causallearn.search.ScoreBased.GES import ges

    found = ges(X, SCORE, lambda_value=lambda_value)
    return Answer(codes_of_endpoints(found["G"].graph))


def run_pc(X: Array, seed: int, alpha: float) -> Answer:
    """Run PC with Fisher's z."""
    from causallearn.search.ConstraintBased.PC import pc

    found = pc(X, alpha, "fisherz", show_progress=False)
    return Answer(codes_of_endpoints(found.G.graph))


PEERS = (
    Peer(
        "boss",
        "BOSS",
        "class",
        run_boss,
        package="causal-learn",
        options={"lambda_value": 4 * BIC},
        colour="blue",
        marker="s",
    ),
    Peer(
        "boss-2bic",
        "BOSS, price of XGES and FLOP",
        "class",
        run_boss,
        package="causal-learn",
        options={"lambda_value": 2 * BIC},
        colour="blue",
        marker="D",
    ),
    Peer(
        "ges",
        "GES",
        "class",
        run_ges,
        package="causal-learn",
        options={"lambda_value": BIC},
        colour="blue",
        marker="v",
    ),
    Peer(
        "pc",
        "PC",
        "class",
        run_pc,
        package="causal-learn",
        options={"alpha": ALPHA},
        colour="blue",
        marker="X",
    ),
)
