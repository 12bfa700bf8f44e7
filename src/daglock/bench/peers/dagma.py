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
    """Run DAGMA with its authors' λ and threshold; it changes its input, so it gets a copy."""
    try:
        from dagma.linear import DagmaLinear
    except ImportError as missing:
        raise MissingExtraError("DAGMA needs the extra: pip install 'daglock[bench]'") from missing
    with contextlib.redirect_stderr(io.StringIO()):
        begin = perf_counter()
        W = DagmaLinear(loss_type="l2").fit(X.copy(), lambda1=0.02)
        seconds = perf_counter() - begin
    return Result((np.asarray(W) != 0).astype(np.int8), seconds)
