"""Tables, as experiments import them."""

from daglock_evaluation.harness.tables import Table

__all__ = ["Table"]
