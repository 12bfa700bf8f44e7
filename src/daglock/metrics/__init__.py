"""How far an estimated graph is from the truth."""

from daglock.metrics.structure import Comparison, compare, compare_classes, compare_cpdag

__all__ = ["Comparison", "compare", "compare_classes", "compare_cpdag"]
