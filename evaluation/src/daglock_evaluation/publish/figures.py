"""Figures, as experiments import them."""

from daglock_evaluation.harness.figures import COLOURS, panels

__all__ = ["COLOURS", "panels"]
