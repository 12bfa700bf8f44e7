"""The engine itself."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from daglock.bench.peers.result import Result
from daglock.engine import learn
from daglock.learned import Learned
from daglock.moments import Moments
from daglock.typing import Array


def run(X: Array, **options: Any) -> tuple[Result, Learned]:
    """Time everything from the table to the certificate."""
    begin = perf_counter()
    learned = learn(Moments.from_data(X), **options)
    seconds = perf_counter() - begin
    adjacency = (learned.to_sparse().toarray() != 0).astype(np.int8)
    return Result(adjacency, seconds), learned
