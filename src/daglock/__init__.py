"""daglock: learn an exactly sparse, exactly acyclic causal graph from a table of data.

The public names load when they are first used, so that ``import daglock`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from daglock.estimator import DAGLock, load
    from daglock.knowledge import Knowledge
    from daglock.moments import Moments
    from daglock.problem import Problem
    from daglock.solvers.base import solve

__version__ = "0.1.0"
__all__ = ["DAGLock", "Knowledge", "Moments", "Problem", "__version__", "load", "solve"]

_HOME = {
    "DAGLock": "daglock.estimator",
    "Knowledge": "daglock.knowledge",
    "Moments": "daglock.moments",
    "Problem": "daglock.problem",
    "load": "daglock.estimator",
    "solve": "daglock.solvers.base",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its home when it is first asked for."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'daglock' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
