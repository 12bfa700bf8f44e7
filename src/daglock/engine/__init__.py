"""The engine: from moments to a graph, the decisions that it took, and its certificate."""

from daglock.decisions import Decisions
from daglock.engine.learned import Learned
from daglock.engine.pipeline import learn

__all__ = ["Decisions", "Learned", "learn"]
