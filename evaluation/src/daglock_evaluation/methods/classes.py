"""Searches that give a class: BOSS, GES and PC (``causal-learn``), FLOP (``flopsearch``), XGES.

FLOP is an order search with restarts, in Rust, with one thread; it cannot be seeded, and
standardises the table itself. XGES is a greedy equivalence search with deletions first, in Numba.
"""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array
from daglock_evaluation.methods import Answer, Method

# Marks of causal-learn.
TAIL, ARROW = -1, 1
SCORE = "local_score_BIC_from_cov"
# causal-learn's λ is in units of log n for a log-likelihood, so 0.5, its default for GES, is BIC.
# Its default for BOSS is four times that; XGES, by default, and FLOP charge twice BIC for an edge.
BIC, ALPHA_PC, ALPHA_XGES = 0.5, 0.05, 2.0
# FLOP's price of an edge is LAMBDA · log n / n for log RSS; 2 is what its authors recommend.
LAMBDA_FLOP = 2.0


def codes_of_endpoints(endpoints: NDArray[Any]) -> NDArray[np.int8]:
    """Return 1 for i -> j and 2, in both cells, for an edge without or with both directions.

    In causal-learn's matrix [i, j] is the mark at i of the edge between i and j.

    Examples
    --------
    >>> codes_of_endpoints(np.array([[0, -1, -1], [1, 0, 0], [-1, 0, 0]])).tolist()
    [[0, 1, 2], [0, 0, 0], [2, 0, 0]]
    """
    other = endpoints.T
    directed = (endpoints == TAIL) & (other == ARROW)
    # PC may put an arrowhead at both ends where its tests contradict each other.
    both = (endpoints == other) & (endpoints != 0)
    return np.asarray(directed + 2 * both, dtype=np.int8)


def codes_of_adjacency(adjacency: NDArray[Any]) -> NDArray[np.int8]:
    """Return the same from the matrix of XGES: an undirected edge is one in each direction.

    Examples
    --------
    >>> codes_of_adjacency(np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])).tolist()
    [[0, 1, 2], [0, 0, 0], [2, 0, 0]]
    """
    edge = np.asarray(adjacency != 0, dtype=np.int8)
    return edge + edge * edge.T


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


def run_flop(X: Array, seed: int, restarts: int) -> Answer:
    """Run FLOP."""
    flop = import_module("flopsearch").flop
    return Answer(np.asarray(flop(X, LAMBDA_FLOP, restarts=restarts), dtype=np.int8))


def gamma_of_flop(n: int, d: int) -> float:
    """Return the EBIC γ whose price of an edge is FLOP's."""
    return float((LAMBDA_FLOP - 1.0) * np.log(n) / (4.0 * np.log(d)))


def run_xges(X: Array, seed: int, alpha: float) -> Answer:
    """Run XGES, the extended search included, with BIC."""
    found = import_module("xges").XGES(alpha=alpha).fit(X, verbose=0)
    return Answer(codes_of_adjacency(found.to_adjacency_matrix()))


def _causal_learn(name: str, label: str, run: Any, marker: str, **options: float) -> Method:
    """Return a method of causal-learn."""
    return Method(name, label, "class", run, "blue", marker, "causal-learn", options=options)


METHODS = (
    _causal_learn("boss", "BOSS", run_boss, "s", lambda_value=4 * BIC),
    _causal_learn("boss-2bic", "BOSS, price of XGES and FLOP", run_boss, "D", lambda_value=2 * BIC),
    _causal_learn("ges", "GES", run_ges, "v", lambda_value=BIC),
    _causal_learn("pc", "PC", run_pc, "X", alpha=ALPHA_PC),
    *(
        Method(
            *(f"flop-{count}", f"FLOP, {count} restarts", "class", run_flop, "green", marker),
            package="flopsearch",
            scaling="standardised by the package",
            options={"restarts": count},
        )
        for count, marker in ((0, "v"), (20, "P"), (100, "^"))
    ),
    Method("xges", "XGES", "class", run_xges, "sky", "P", "xges", options={"alpha": ALPHA_XGES}),
)
