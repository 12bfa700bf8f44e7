"""The long table of the demonstration: daglock beside every solver of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from daglock.constraints import SAHOC, Exp, LogDet, Smoothed
from daglock.engine import learn
from daglock.graph import threshold
from daglock.losses import LeastSquares
from daglock.metrics import compare
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.solution import Solution
from daglock.solvers import SPG, AdamALM, CentralPath, ProximalLS, solve
from daglock.typing import Array, Constraint, Solver

HEAD = ("method", "status", "SHD", "SHD>0.3", "edges", "DAG", "time")
_THRESHOLD = 0.3


@dataclass(frozen=True)
class Entry:
    """A method with the problem that it is given."""

    name: str
    solver: Solver
    constraint: Constraint
    lam: float


def entries(moments: Moments) -> list[Entry]:
    """Return the methods of the paper, in its settings."""
    smoothed = Smoothed(SAHOC(alpha=0.5), delta=1e-7)
    stable = Problem(LeastSquares(moments), smoothed, L1(0.0)).force_at_zero()
    path = np.geomspace(0.3, 1e-6, 12).tolist()
    return [
        Entry("SPG, lam |∇L(0)|", SPG(), smoothed, stable),
        Entry("SPG, lam 0.1", SPG(), smoothed, 0.1),
        Entry("SPG, lam 0.1, delta path", SPG(delta_path=path), smoothed, 0.1),
        Entry("ProximalLS on S-AHOC", ProximalLS(), SAHOC(alpha=0.5), 0.1),
        Entry("ProximalLS on Exp", ProximalLS(), Exp(), 0.1),
        Entry("AdamALM on Exp (NOTEARS)", AdamALM(), Exp(), 0.1),
        Entry("CentralPath (DAGMA)", CentralPath(), LogDet(), 0.05),
    ]


def run_entry(entry: Entry, moments: Moments, time_limit: float) -> Solution:
    """Run one method."""
    problem = Problem(LeastSquares(moments), entry.constraint, L1(entry.lam))
    return solve(problem, entry.solver, time_limit=time_limit)


def rows(truth: Array, moments: Moments, time_limit: float) -> Iterator[tuple[str, ...]]:
    """Run daglock and each method, and yield the rows of the table one after the other."""
    empty = np.zeros_like(truth)
    yield ("empty graph", "-", str(compare(empty, truth).shd), "-", "0", "yes", "-")
    begin = perf_counter()
    learned = learn(moments, rng=0)
    W, seconds = learned.to_sparse().toarray(), perf_counter() - begin
    yield _row("daglock", learned.status.value, W, truth, learned.certificate.is_dag, seconds)
    for entry in entries(moments):
        found = run_entry(entry, moments, time_limit)
        yield _row(entry.name, found.status.value, found.W, truth, found.is_dag, found.seconds)


def _row(
    name: str, status: str, W: Array, truth: Array, is_dag: bool, seconds: float
) -> tuple[str, ...]:
    """Return the cells of one method."""
    return (
        name,
        status.replace("_", " "),
        str(compare(W, truth).shd),
        str(compare(threshold(W, _THRESHOLD), truth).shd),
        str(np.count_nonzero(W)),
        "yes" if is_dag else "no",
        f"{seconds:.1f}",
    )
