"""Batches, environments, experiments: what is kept of each, and which columns they target."""

from daglock.regimes.part import Part
from daglock.regimes.regimes import Group, Regimes

__all__ = ["Group", "Part", "Regimes"]
