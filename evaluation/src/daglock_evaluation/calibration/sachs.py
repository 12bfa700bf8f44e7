"""The nine experiments of Sachs et al.: the real table with regimes whose directions are told.

It is for judging alone. What each experiment acts on is known, whether that is perfect is not, and
intensities are looked at as they are or by their logarithms: each of these is a view of its own.
The truth is the graph of 17 edges; pairs that it does not link count in no figure of directions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from daglock.datasets import load_sachs
from daglock_evaluation.calibration.observed import Observed, observe, truth_of

SCALES = ("intensities", "logarithms")
VIEWS = ("told as perfect", "told as imperfect", "not told", "found")


def observe_sachs(scale: str, view: str) -> Observed | None:
    """Observe the table on one of `SCALES` in one of `VIEWS`."""
    sachs = load_sachs("pooled")
    X = sachs.data if scale == "intensities" else np.log(sachs.data)
    said: dict[str, Any] = {"targets": "find" if view == "found" else None}
    if view.startswith("told"):
        columns = {
            label: [f"x{sachs.names.index(name)}" for name in names]
            for label, names in sachs.targets.items()
        }
        said = {"targets": columns, "interventions": view.removeprefix("told as ")}
    kind = f"Sachs, {scale}, targets {view}"
    truth = truth_of(sachs.truth_17.astype(np.bool_))
    return observe(X, truth, kind, kind, group="Sachs", regimes=sachs.conditions, **said)
