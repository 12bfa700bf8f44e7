"""The Sachs data in the variants that are in use; the seeds only change the order of columns."""

from __future__ import annotations

from daglock_evaluation.bench.cases import SachsCase
from daglock_evaluation.bench.suites.suite import CLASSIC, PAPER, QUICK, Suite

# No tuned method: there are no other data of this kind to tune it on.
SUITE = Suite(
    name="real",
    title="Sachs: protein signalling",
    place=70,
    cases=(
        SachsCase("observational"),
        SachsCase("observational", scale="standardised"),
        SachsCase("observational", scale="log"),
        SachsCase("observational", edges=20),
        SachsCase("pooled"),
        SachsCase("pooled", scale="log"),
    ),
    peers=(*QUICK, "daglock-unequal", "dagma", "notears", *CLASSIC, *PAPER),
    seeds=1,
)
