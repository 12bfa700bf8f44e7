"""DAGLock, the scikit-learn estimator: what it learns from, what it answers, and its file."""

from daglock.confidence.edges import ClaimedEdge, Edge
from daglock.estimator.estimator import DAGLock, n_threads
from daglock.estimator.fitted import FitWarning
from daglock.estimator.loading import load

__all__ = ["ClaimedEdge", "DAGLock", "Edge", "FitWarning", "load", "n_threads"]
