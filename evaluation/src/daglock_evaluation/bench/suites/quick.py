"""A little of everything, in a quarter of an hour."""

from __future__ import annotations

from daglock_evaluation.bench.cases import SachsCase
from daglock_evaluation.bench.suites.suite import CLASSIC, CONTINUOUS, QUICK, UNEQUAL, Suite, sizes

SUITE = Suite(
    name="quick",
    title="A little of everything",
    place=0,
    cases=(
        *sizes(20, 50, 100, edges_per_node=1),
        *sizes(20, 50, edges_per_node=2, variances=UNEQUAL, standardised=True),
        SachsCase("observational"),
    ),
    peers=(*QUICK, *CONTINUOUS, *CLASSIC, "paper-spg", "paper-exp-adam"),
    seeds=1,
    time_limit=15.0,
)
