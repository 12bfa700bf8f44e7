"""What is compared on tables of several regimes: daglock, told more or less, and other packages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np

from daglock_evaluation.harness import sweep
from daglock_evaluation.harness.cells import EMPTY
from daglock_evaluation.harness.sweep import Method
from daglock_evaluation.regimes.cases import Codes, Sample
from daglock_evaluation.regimes.peers import run_gies, run_gnies, run_sdcd, run_utigsp

OURS, KIND, IMPERFECT, SHIFTS, FIND, POOLED, STILL = (
    "daglock",
    "daglock-kind",
    "daglock-imperfect",
    "daglock-shifts",
    "daglock-find",
    "daglock-pooled",
    "daglock-still",
)
GIES = "gies"


Told = Literal["targets", "kind", "imperfect", "shifts", "find", "pooled", "still"]


def run_daglock(sample: Sample, seed: int, told: Told) -> Codes:
    """Run daglock as a user does, and return the class of which it says that it is identified.

    "targets" is told regimes and targets, "kind" also what regimes do to these, "imperfect" that
    they keep their causes; "shifts" is told the regimes alone, and "find" is to find their targets;
    "pooled" takes all rows for one regime; "still" gets the rows that regimes left alone.
    """
    from daglock import DAGLock

    how = {"kind": sample.kind, "imperfect": "imperfect"}.get(told, "perfect")
    model = DAGLock(interventions=how, random_state=seed)
    if told in ("pooled", "still"):
        model.fit(sample.still if told == "still" else sample.X)
    else:
        known = {"shifts": None, "find": "find"}
        targets = known.get(told, sample.named_targets)
        model.fit(sample.X, regimes=sample.labels, targets=targets)
    # columns that daglock sets aside have no edges
    place = [sample.names.index(name) for name in model.names_]
    codes = np.zeros(sample.truth.shape, dtype=np.int8)
    codes[np.ix_(place, place)] = np.asarray(model.identified_)
    return codes


def run_empty(sample: Sample, seed: int) -> Codes:
    """Return no edge: what every method must beat."""
    return np.zeros(sample.truth.shape, dtype=np.int8)


def _ours(name: str, label: str, suites: Sequence[str], told: Told, beside: str = "") -> Method:
    """Return daglock, told something."""
    return Method(name, label, suites, run_daglock, options={"told": told}, beside=beside)


def _igsp(name: str, label: str, suites: Sequence[str], *, told: bool) -> Method:
    """Return UT-IGSP, with targets told or not."""
    packages, options = ("causaldag", "graphical-model-learning"), {"alpha": 1e-3, "told": told}
    return Method(name, label, suites, run_utigsp, packages, options)


EXPERIMENTS = ("perfect", "papers", "sachs")
METHODS = (
    _ours(OURS, "daglock, targets told", (*EXPERIMENTS, "hidden", "cost"), "targets", STILL),
    _ours(KIND, "daglock, targets and kind told", ("hidden",), "kind"),
    _ours(IMPERFECT, "daglock, targets told, imperfect", ("sachs",), "imperfect"),
    _ours(FIND, "daglock, targets found", ("hidden", "sachs"), "find"),
    _ours(SHIFTS, "daglock, regimes told", ("batches", "hidden", "sachs"), "shifts"),
    _ours(POOLED, "daglock, pooled", ("batches", "hidden", "sachs", "sachs-853"), "pooled"),
    _ours(STILL, "daglock, nothing changed", ("batches", "cost"), "still"),
    Method(GIES, "GIES", (*EXPERIMENTS, "sachs-853", "cost"), run_gies, ("gies",), beside=OURS),
    _igsp("utigsp", "UT-IGSP, targets told", EXPERIMENTS, told=True),
    _igsp("utigsp-find", "UT-IGSP, targets found", ("hidden", "sachs"), told=False),
    Method("gnies", "GnIES", ("hidden", "sachs"), run_gnies, ("gnies",), {"approach": "greedy"}),
    Method("sdcd", "SDCD", EXPERIMENTS, run_sdcd, ("sdcd", "torch")),
    Method(EMPTY, "empty graph", (*EXPERIMENTS, "batches", "hidden", "sachs-853"), run_empty),
)
methods, find = partial(sweep.of_suite, METHODS), partial(sweep.find, METHODS)
