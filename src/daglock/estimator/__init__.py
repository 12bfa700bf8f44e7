"""DAGLock, the scikit-learn estimator: what it learns from, what it answers, and its file."""

from daglock._parameters import n_threads
from daglock.confidence.edges import ClaimedEdge, Edge
from daglock.estimator.estimator import DAGLock
from daglock.estimator.fitted import FitWarning
from daglock.estimator.loading import load

__all__ = ["ClaimedEdge", "DAGLock", "Edge", "FitWarning", "load", "n_threads"]
