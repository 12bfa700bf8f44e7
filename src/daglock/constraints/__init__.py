"""Acyclicity constraints ``h(W) = F(M(W))``, each with value and exact gradients.

A constraint is a *core* (entrywise, W -> M >= 0) with a *scaling* (A = M/D), both in ``core.py``,
and a *spectral function* (``spectral.py``); ``base.py`` composes them and splits the work over
strong components; ``named.py`` has the results.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from daglock.constraints.named import AAC, AHOC, SAHOC, Exp, LogDet, Smoothed
from daglock.typing import Constraint

__all__ = ["AAC", "AHOC", "CONSTRAINTS", "SAHOC", "Exp", "LogDet", "Smoothed"]


CONSTRAINTS: dict[str, Callable[[], Constraint]] = {
    "exp": Exp,
    "logdet": LogDet,
    "logdet_hybrid": partial(LogDet, alpha=0.5),
    "aac": AAC,
    "ahoc": AHOC,
    "sahoc": SAHOC,
    "smoothed": partial(Smoothed, SAHOC()),
    "smoothed_centered": partial(Smoothed, SAHOC(), centered=True),
}
"""Every constraint with its default settings, by name: what the contract tests run over."""
