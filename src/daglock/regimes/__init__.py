"""Batches, environments, experiments: what is kept of each, and which columns they target."""

from daglock.regimes.changes import Change, Changes
from daglock.regimes.context import Context
from daglock.regimes.labels import (
    centred,
    labels_of,
    with_regime_column,
    without_constant_within,
)
from daglock.regimes.part import Part
from daglock.regimes.regimes import Group, Regimes
from daglock.regimes.targets import INTERVENTIONS, read_targets, with_targets

__all__ = [
    "INTERVENTIONS",
    "Change",
    "Changes",
    "Context",
    "Group",
    "Part",
    "Regimes",
    "centred",
    "labels_of",
    "read_targets",
    "with_regime_column",
    "with_targets",
    "without_constant_within",
]
