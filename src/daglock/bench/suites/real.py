"""The Sachs data in the variants that are in use; the seeds only change the order of columns."""

from __future__ import annotations

from daglock.bench.cases import SachsCase
from daglock.bench.suites.suite import CLASSIC, CONTINUOUS, PAPER, QUICK, Suite

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
    peers=(*QUICK, "daglock-unequal", *CONTINUOUS, *CLASSIC, *PAPER),
    seeds=1,
)
