"""FLOP (package ``flopsearch``): order search with restarts, in Rust, one thread.

It cannot be seeded, and standardises the table itself.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np

from daglock.typing import Array
from daglock_evaluation.methods.method import Answer, Method

# FLOP's price of an edge is LAMBDA · log n / n for log RSS; 2 is what its authors recommend.
LAMBDA = 2.0
SCALING = "standardised by the package"


def run(X: Array, seed: int, restarts: int) -> Answer:
    """Run FLOP; its result is a CPDAG."""
    flop = import_module("flopsearch").flop
    return Answer(np.asarray(flop(X, LAMBDA, restarts=restarts), dtype=np.int8))


def gamma_of_flop(n: int, d: int) -> float:
    """Return the EBIC γ whose price of an edge is FLOP's."""
    return float((LAMBDA - 1.0) * np.log(n) / (4.0 * np.log(d)))


METHODS = tuple(
    Method(
        *(f"flop-{restarts}", f"FLOP, {restarts} restarts", "class", run, "green", marker),
        package="flopsearch",
        scaling=SCALING,
        options={"restarts": restarts},
    )
    for restarts, marker in ((0, "v"), (20, "P"), (100, "^"))
)
