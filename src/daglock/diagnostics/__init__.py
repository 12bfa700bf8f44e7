"""Diagnostics: what a table and a graph can bear, and what the theory promises.

The names load when they are first used: the engine needs one small module of these.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from daglock.diagnostics.assumptions import Assumptions, evaluate_assumptions
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
    from daglock.diagnostics.baselines import Baseline, Ordered, sortnregress
    from daglock.diagnostics.diagnosis import Diagnosis, diagnose
    from daglock.diagnostics.finding import Finding
    from daglock.diagnostics.sortability import (
        explained_shares,
        order_alignment,
        r2_sortability,
        var_sortability,
    )
    from daglock.diagnostics.stability import Stability, stability_threshold
    from daglock.diagnostics.table import TableDiagnosis, diagnose_table

__all__ = [
    "PAPER_TABLE",
    "Assumptions",
    "Axioms",
    "Baseline",
    "Boundedness",
    "Correctness",
    "Diagnosis",
    "Finding",
    "Ordered",
    "Stability",
    "Synergy",
    "TableDiagnosis",
    "axiom_table",
    "boundedness",
    "correctness",
    "diagnose",
    "diagnose_table",
    "evaluate_assumptions",
    "explained_shares",
    "measure_axioms",
    "order_alignment",
    "r2_sortability",
    "sortnregress",
    "stability_threshold",
    "synergy",
    "var_sortability",
]

_HOME = {
    "assumptions": ("Assumptions", "evaluate_assumptions"),
    "axioms": (
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
    ),
    "baselines": ("Baseline", "Ordered", "sortnregress"),
    "diagnosis": ("Diagnosis", "diagnose"),
    "finding": ("Finding",),
    "sortability": ("explained_shares", "order_alignment", "r2_sortability", "var_sortability"),
    "stability": ("Stability", "stability_threshold"),
    "table": ("TableDiagnosis", "diagnose_table"),
}


def __getattr__(name: str) -> Any:
    """Import a public name from its home when it is first asked for."""
    for home, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"daglock.diagnostics.{home}"), name)
    raise AttributeError(f"module 'daglock.diagnostics' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
