"""The trace-exponential constraint of NOTEARS."""

from __future__ import annotations

from dataclasses import dataclass

from daglock.constraints.base import Composition
from daglock.constraints.core import QuadraticCore
from daglock.constraints.scaling import Constant
from daglock.constraints.trace_exponential import TraceExponential


@dataclass(frozen=True)
class Exp(Composition):
    """The trace exponential: ``h(W) = tr exp(W∘W) − d``.

    Smooth everywhere. Its gradient ``exp(W∘W)ᵀ ∘ 2W`` vanishes with W (like ``‖W‖³`` on a zero
    diagonal) and grows without bound.

    References
    ----------
    Zheng, Aragam, Ravikumar, Xing (2018), "DAGs with NO TEARS", theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> round(Exp().value(np.array([[0.0, 1.0], [1.0, 0.0]])), 6)
    1.086161
    >>> Exp().value(np.array([[0.0, 1.0], [0.0, 0.0]]))
    0.0
    """

    entrywise = QuadraticCore()
    scaling = Constant()
    spectral = TraceExponential()
