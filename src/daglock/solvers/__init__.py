"""Solvers: everything that turns a problem into a solution."""

from daglock.solvers.adam import AdamALM
from daglock.solvers.base import SolverBase, solve
from daglock.solvers.central_path import CentralPath
from daglock.solvers.prox_linear import ProxLinear
from daglock.solvers.proximal_ls import ProximalLS
from daglock.solvers.spg import SPG

SOLVERS: dict[str, type[SolverBase]] = {
    "spg": SPG,
    "proximal_ls": ProximalLS,
    "adam_alm": AdamALM,
    "central_path": CentralPath,
    "prox_linear": ProxLinear,
}

__all__ = [
    "SOLVERS",
    "SPG",
    "AdamALM",
    "CentralPath",
    "ProxLinear",
    "ProximalLS",
    "SolverBase",
    "solve",
]
