"""Diagnostics: numerical checks of what the theory promises."""

from __future__ import annotations

from daglock.diagnostics.axioms import (
    PAPER_TABLE,
    Axioms,
    Boundedness,
    Correctness,
    Synergy,
    axiom_table,
    boundedness,
    correctness,
    measure_axioms,
    synergy,
)

__all__ = [
    "PAPER_TABLE",
    "Axioms",
    "Boundedness",
    "Correctness",
    "Synergy",
    "axiom_table",
    "boundedness",
    "correctness",
    "measure_axioms",
    "synergy",
]
