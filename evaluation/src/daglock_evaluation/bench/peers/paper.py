"""The solvers of the SPG-AHOC paper (its section 4.1), as they are built here.

SPG-AHOC has λ₁ = 1, as in most of the paper's experiments; at 0.1, it says, the method fails. For
the others the paper names λ₁ on the Sachs data only, and they have that of our reproduction.
SPG-AHOC is meant to need no threshold and is taken as it comes. The others the paper cuts, and
does not say where: at 0.3, as NOTEARS and DAGMA are by default.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from daglock.constraints import AAC, AHOC, SAHOC, Exp, LogDet, Smoothed
from daglock.graph import is_dag, threshold
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.solvers import SPG, AdamALM, CentralPath, ProximalLS
from daglock.typing import Array, Constraint, Solver
from daglock_evaluation.bench.peer import Answer, Peer

ALPHA, DELTA = 0.5, 1e-7
THRESHOLD = 0.3

METHODS: dict[str, tuple[Solver, Constraint]] = {
    "paper-spg": (SPG(), Smoothed(SAHOC(alpha=ALPHA), delta=DELTA)),
    "paper-exp-adam": (AdamALM(), Exp()),
    "paper-aac": (ProximalLS(), AAC()),
    "paper-ahoc": (ProximalLS(), AHOC(alpha=ALPHA)),
    "paper-logdet": (CentralPath(), LogDet()),
}


def run(X: Array, seed: int, name: str, lambda1: float, time_limit: float | None = None) -> Answer:
    """Run a solver of the paper from W = 0."""
    solver, constraint = METHODS[name]
    problem = Problem(LeastSquares(Moments.from_data(X)), constraint, L1(lambda1))
    solution = solver.solve(problem, time_limit=time_limit)
    raw = solution.W
    cut = raw if name == "paper-spg" else threshold(raw, THRESHOLD)
    note = solution.status.value.replace("_", " ")
    return Answer(cut, int(np.count_nonzero(raw)), is_dag(raw), note)


def _peer(name: str, label: str, lambda1: float, marker: str) -> Peer:
    """Return a peer; all have one colour."""
    return Peer(
        name,
        label,
        "dag",
        partial(run, name=name),
        scaling="centred by the loss",
        options={"lambda1": lambda1},
        warm_up={"time_limit": 0.5},
        colour="purple",
        marker=marker,
    )


PEERS = (
    _peer("paper-spg", "SPG-AHOC (paper)", 1.0, "*"),
    _peer("paper-exp-adam", "EXP [Adam] (paper)", 0.1, "s"),
    _peer("paper-aac", "AAC [Prox-LS] (paper)", 0.1, "v"),
    _peer("paper-ahoc", "AHOC [Prox-LS] (paper)", 0.1, "^"),
    _peer("paper-logdet", "LogDet central path (paper)", 0.05, "D"),
)
