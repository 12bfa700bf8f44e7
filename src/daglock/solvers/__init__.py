"""Solvers: everything that turns a problem into a solution."""

from daglock.solvers.base import SolverBase, solve
from daglock.solvers.proximal_ls import ProximalLS
from daglock.solvers.spg import SPG

SOLVERS: dict[str, type[SolverBase]] = {
    "spg": SPG,
    "proximal_ls": ProximalLS,
}

__all__ = ["SOLVERS", "SPG", "ProximalLS", "SolverBase", "solve"]
