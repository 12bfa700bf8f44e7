"""DAGMA (package ``dagma``), linear, with its defaults."""

from __future__ import annotations

import contextlib
import io
from time import perf_counter

import numpy as np

from daglock.bench.peers.result import Result
from daglock.errors import MissingExtraError
from daglock.typing import Array


def run(X: Array) -> Result:
    """Run DAGMA as it is set by default; it changes its input, so it gets a copy."""
    try:
        from dagma.linear import DagmaLinear
    except ImportError as missing:
        raise MissingExtraError("DAGMA needs the extra: pip install 'daglock[bench]'") from missing
    with contextlib.redirect_stderr(io.StringIO()):
        begin = perf_counter()
        W = DagmaLinear(loss_type="l2").fit(X.copy())
        seconds = perf_counter() - begin
    return Result((np.asarray(W) != 0).astype(np.int8), seconds)
