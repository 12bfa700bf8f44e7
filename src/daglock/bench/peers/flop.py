"""FLOP (package ``flopsearch``): order search with restarts, in Rust, one thread."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from daglock.bench.peers.result import Result
from daglock.errors import MissingExtraError
from daglock.typing import Array

# FLOP's price of an edge is LAMBDA · log n / n for log RSS; 2 is what its authors recommend.
LAMBDA = 2.0


def run(X: Array, restarts: int) -> Result:
    """Run FLOP; its result is a CPDAG."""
    try:
        from flopsearch import flop
    except ImportError as missing:
        raise MissingExtraError("FLOP needs the extra: pip install 'daglock[bench]'") from missing
    begin = perf_counter()
    cpdag = flop(X, LAMBDA, restarts=restarts)
    return Result(np.asarray(cpdag, dtype=np.int8), perf_counter() - begin)


def gamma_of_flop(n: int, d: int) -> float:
    """Return the EBIC γ whose price of an edge is FLOP's."""
    return float((LAMBDA - 1.0) * np.log(n) / (4.0 * np.log(d)))
