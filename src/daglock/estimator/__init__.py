"""DAGLock, the scikit-learn estimator: what it learns from, what it answers, and its file."""

from daglock.estimator.estimator import DAGLock, FitWarning, load, n_threads
from daglock.estimator.fitted import Edge

__all__ = ["DAGLock", "Edge", "FitWarning", "load", "n_threads"]
