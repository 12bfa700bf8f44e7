"""Thousands of columns."""

from __future__ import annotations

from daglock_evaluation.bench.suites.suite import UNEQUAL, Suite, sizes

SUITE = Suite(
    name="scale",
    title="Sparse graphs with thousands of columns, n = 2000",
    place=60,
    cases=(
        *sizes(1000, 2000, 5000, 10_000, n=2000, edges_per_node=1),
        *sizes(1000, 2000, n=2000, edges_per_node=1, variances=UNEQUAL, standardised=True),
    ),
    peers=("daglock", "daglock-equal", "flop-0", "xges", "var-sortnregress", "empty"),
    seeds=3,
    time_limit=60.0,
    memory_limit=10.0,
)
