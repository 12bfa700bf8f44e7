"""Acyclicity constraints ``h(W) = F(M(W))``, each with value and exact gradients.

A constraint is a *core* (``core.py``: entrywise, W -> M >= 0), a *scaling* (``scaling.py``:
A = M/D) and a *spectral function* (``trace_exponential.py``, ``log_determinant.py``);
``base.py`` composes them and splits the work over strong components.
"""

from __future__ import annotations

from collections.abc import Callable

from daglock.constraints.aac import AAC
from daglock.constraints.ahoc import AHOC
from daglock.constraints.exp import Exp
from daglock.constraints.logdet import LogDet
from daglock.constraints.sahoc import SAHOC
from daglock.constraints.smoothed import Smoothed
from daglock.typing import Constraint

__all__ = ["AAC", "AHOC", "CONSTRAINTS", "SAHOC", "Exp", "LogDet", "Smoothed"]


def _smoothed() -> Constraint:
    """Build the paper's smoothed constraint."""
    return Smoothed(SAHOC())


def _smoothed_centered() -> Constraint:
    """Build the variant that is zero at zero."""
    return Smoothed(SAHOC(), centered=True)


def _hybrid_logdet() -> Constraint:
    """Build the log-determinant on the hybrid core."""
    return LogDet(alpha=0.5)


CONSTRAINTS: dict[str, Callable[[], Constraint]] = {
    "exp": Exp,
    "logdet": LogDet,
    "logdet_hybrid": _hybrid_logdet,
    "aac": AAC,
    "ahoc": AHOC,
    "sahoc": SAHOC,
    "smoothed": _smoothed,
    "smoothed_centered": _smoothed_centered,
}
"""Every constraint with its default settings, by name: what the contract tests run over."""
