"""Numbers and lists in the sentences of a verdict and the cells of a table."""

from daglock_evaluation.harness.numbers import listed as listing
from daglock_evaluation.harness.numbers import share, short, span

__all__ = ["listing", "share", "short", "span"]
