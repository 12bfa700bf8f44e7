"""Diagnostics: what a table and a graph can bear, and what the theory promises."""

from daglock.diagnostics.assumptions import (
    Assumptions,
    Stability,
    evaluate_assumptions,
    stability_threshold,
)
from daglock.diagnostics.baselines import Baseline, Ordered, sortnregress
from daglock.diagnostics.diagnosis import Diagnosis, diagnose
from daglock.diagnostics.joint import JointDiagnosis, diagnose_joint
from daglock.diagnostics.sortability import (
    explained_shares,
    order_alignment,
    r2_sortability,
    var_sortability,
)
from daglock.diagnostics.table import TableDiagnosis, diagnose_table
from daglock.wording import Finding

__all__ = [
    "Assumptions",
    "Baseline",
    "Diagnosis",
    "Finding",
    "JointDiagnosis",
    "Ordered",
    "Stability",
    "TableDiagnosis",
    "diagnose",
    "diagnose_joint",
    "diagnose_table",
    "evaluate_assumptions",
    "explained_shares",
    "order_alignment",
    "r2_sortability",
    "sortnregress",
    "stability_threshold",
    "var_sortability",
]
