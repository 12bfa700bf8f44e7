"""Rivals: how often simpler rules and FLOP are right about the same links."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from daglock.confidence.calibration import SPEAKERS, direction_terms
from daglock.typing import Array, BoolArray
from daglock_evaluation.calibration.comparing import open_runs
from daglock_evaluation.calibration.contenders import find
from daglock_evaluation.calibration.observed import Observed

FLOP = "flop-20"


def rules(tables: Sequence[Observed], records: Path) -> dict[str, tuple[BoolArray, Array]]:
    """Return for each rule which of the directions it claims, and what it says (±1).

    One for each row of `fitting.directions`; hidden causes are nothing to these rules.
    """
    words = np.vstack([direction_terms(one.evidence)[one.used] for one in tables])
    lead = np.tanh(words[:, 0] * np.log(99.0) / 2) / 0.98
    flop = _flop_says(tables, records)
    by_regimes = words[:, SPEAKERS.index("mechanisms in regimes")]
    identified = words[:, 1] + np.where(np.abs(by_regimes) > 1 - 1e-9, by_regimes, 0.0)
    return {
        "identified by the model": (identified != 0, identified),
        "in 90 % of the replicates": (np.abs(lead) >= 0.8 - 1e-9, lead),
        "the way that replicates lean": (lead != 0, lead),
        **({} if flop is None else {find(FLOP).label: (flop != 0, flop)}),
        "a coin": (np.ones(len(lead), dtype=np.bool_), np.zeros(len(lead))),
    }


def _flop_says(tables: Sequence[Observed], records: Path) -> Array | None:
    """Return what FLOP says of the rows of `fitting.directions`; None where it was not run."""
    runs = [run for run in open_runs(records).known.values() if run["method"] == FLOP]
    if not runs:
        return None
    edges = {(run["table"], i, j) for run in runs for i, j in run.get("directed", [])}
    said = []
    for one in tables:
        e = one.evidence
        for i, j in zip(*(ends[one.used].tolist() for ends in (e.first, e.second)), strict=True):
            said.append(((one.table, i, j) in edges) - ((one.table, j, i) in edges))
    return np.array(said, dtype=np.float64)
