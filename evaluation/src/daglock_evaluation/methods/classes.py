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

from daglock.criteria import default_gamma
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


def run_flop(X: Array, seed: int, restarts: int, price: float | None = LAMBDA_FLOP) -> Answer:
    """Run FLOP; without a price at daglock's."""
    flop = import_module("flopsearch").flop
    price = price_of_daglock(*X.shape) if price is None else price
    return Answer(np.asarray(flop(X, price, restarts=restarts), dtype=np.int8))


def gamma_of_flop(n: int, d: int) -> float:
    """Return the EBIC γ whose price of an edge is FLOP's."""
    return float((LAMBDA_FLOP - 1.0) * np.log(n) / (4.0 * np.log(d)))


def price_of_daglock(n: int, d: int) -> float:
    """Return daglock's price of an edge by default, in units of that of BIC, log n for n log RSS.

    Where effects look weak daglock lowers it; what the others are given is not lowered.

    Examples
    --------
    >>> round(price_of_daglock(1000, 50), 2)
    2.88
    """
    return float(1.0 + 4.0 * default_gamma(n, d) * np.log(d) / np.log(n))


def run_xges(X: Array, seed: int, alpha: float | None) -> Answer:
    """Run XGES, the extended search included, with BIC; without α at daglock's price."""
    alpha = price_of_daglock(*X.shape) if alpha is None else alpha
    found = import_module("xges").XGES(alpha=alpha).fit(X, verbose=0)
    return Answer(codes_of_adjacency(found.to_adjacency_matrix()))


def _causal_learn(name: str, label: str, run: Any, marker: str, **options: float) -> Method:
    """Return a method of causal-learn."""
    return Method(name, label, "class", run, "blue", marker, "causal-learn", options=options)


def _flop(restarts: int, marker: str, *, ours: bool = False) -> Method:
    """Return FLOP, at its own price or at daglock's."""
    options = {"restarts": restarts, "price": None if ours else LAMBDA_FLOP}
    name = f"flop-{restarts}-ours" if ours else f"flop-{restarts}"
    label = f"FLOP, {restarts} restarts{', price of daglock' if ours else ''}"
    look = ("vermilion" if ours else "green", marker, "flopsearch", "standardised by the package")
    return Method(name, label, "class", run_flop, *look, options=options)


METHODS = (
    _causal_learn("boss", "BOSS", run_boss, "s", lambda_value=4 * BIC),
    _causal_learn("boss-2bic", "BOSS, price of XGES and FLOP", run_boss, "D", lambda_value=2 * BIC),
    _causal_learn("ges", "GES", run_ges, "v", lambda_value=BIC),
    _causal_learn("pc", "PC", run_pc, "X", alpha=ALPHA_PC),
    _causal_learn("pc-0.01", "PC, α = 0.01", run_pc, "<", alpha=0.01),
    _causal_learn("pc-0.001", "PC, α = 0.001", run_pc, ">", alpha=0.001),
    _flop(0, "v"),
    _flop(20, "P"),
    _flop(100, "^"),
    _flop(20, "<", ours=True),
    _flop(100, ">", ours=True),
    Method("xges", "XGES", "class", run_xges, "sky", "P", "xges", options={"alpha": ALPHA_XGES}),
    Method(
        *("xges-ours", "XGES, price of daglock", "class", run_xges, "sky", "X", "xges"),
        options={"alpha": None},
    ),
)
