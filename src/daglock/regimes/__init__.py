"""Batches, environments, experiments: what is kept of each, and which columns they target."""

from daglock.regimes.context import Context
from daglock.regimes.part import Part
from daglock.regimes.regimes import Group, Regimes

__all__ = ["Context", "Group", "Part", "Regimes"]
