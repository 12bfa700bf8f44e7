"""Real data that come with the package: nothing is ever downloaded."""

from daglock.datasets.sachs import Sachs, load_sachs

__all__ = ["Sachs", "load_sachs"]
