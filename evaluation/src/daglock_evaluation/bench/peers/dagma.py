"""DAGMA (package ``dagma``), linear: with its defaults, and with λ tuned on graphs apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from daglock.graph import is_dag, threshold
from daglock.typing import Array
from daglock_evaluation.bench.peer import Answer, Peer

# Both are the package's defaults.
LAMBDA, THRESHOLD = 0.03, 0.3
# Those next to the default first: the first of equals is taken.
GRID = (0.03, 0.02, 0.05, 0.01, 0.1, 0.005)


def run(X: Array, seed: int, lambda1: float, **options: Any) -> Answer:
    """Run DAGMA, which centres the table, and cut as it does by default."""
    from dagma.linear import DagmaLinear

    raw = np.asarray(
        DagmaLinear(loss_type="l2").fit(X, lambda1=lambda1, w_threshold=0.0, **options)
    )
    return Answer(threshold(raw, THRESHOLD), int(np.count_nonzero(raw)), is_dag(raw))


_SHORT = {"T": 1, "warm_iter": 20, "max_iter": 20}
DEFAULT = Peer(
    "dagma",
    "DAGMA",
    "dag",
    run,
    package="dagma",
    scaling="centred by the package",
    options={"lambda1": LAMBDA},
    warm_up=_SHORT,
    colour="orange",
    marker="D",
)
TUNED = replace(
    DEFAULT,
    name="dagma-tuned",
    label="DAGMA, λ tuned",
    grid=tuple({"lambda1": value} for value in GRID),
    colour="yellow",
    marker="d",
)
PEERS = (DEFAULT, TUNED)
