"""The paper's protocol: sparse graphs, equal variances, raw data."""

from __future__ import annotations

from daglock_evaluation.bench.suites.suite import CLASSIC, CONTINUOUS, PAPER, QUICK, Suite, sizes

SUITE = Suite(
    name="paper",
    title="The paper's protocol: ER1, weights ±[0.5,1], equal variances, n = 1000",
    place=10,
    cases=sizes(20, 50, 100, 200, 500, edges_per_node=1),
    seeds=3,
    time_limit=120.0,
    peers=(*QUICK, "flop-100", *CONTINUOUS, *CLASSIC, *PAPER),
)
