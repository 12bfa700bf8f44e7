"""How sure of each link, how sure of its direction, and why."""

from daglock.confidence.confidence import Confidence
from daglock.confidence.evidence import gather
from daglock.confidence.replicates import Bootstrap

__all__ = ["Bootstrap", "Confidence", "gather"]
