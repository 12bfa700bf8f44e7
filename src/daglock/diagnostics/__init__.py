"""Diagnostics: what a table and a graph can bear, and what the theory promises."""

from daglock.diagnostics.assumptions import (
    Assumptions,
    Stability,
    evaluate_assumptions,
    stability_threshold,
)
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
from daglock.diagnostics.sortability import (
    explained_shares,
    order_alignment,
    r2_sortability,
    var_sortability,
)
from daglock.diagnostics.table import TableDiagnosis, diagnose_table
from daglock.wording import Finding

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
