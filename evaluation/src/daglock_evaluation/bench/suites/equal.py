"""Equal noise variances: the DAG is identified, and the scale of the columns is information."""

from __future__ import annotations

from daglock_evaluation.bench.suites.suite import Suite, rows, sizes

SUITE = Suite(
    name="equal",
    title="Equal variances, raw data",
    place=20,
    cases=(
        *sizes(20, edges_per_node=2),
        *rows(200, 1000, 5000, d=50, edges_per_node=2),
        *sizes(100, 200, 500, 1000, edges_per_node=2),
        *sizes(20, 50, 100, 200, edges_per_node=4, signs="positive"),
        *sizes(20, 50, 100, 200, edges_per_node=4, weights=(0.5, 2.0)),
        *sizes(50, 100, edges_per_node=2, graph="sf"),
        *sizes(50, 100, edges_per_node=4, graph="sf", signs="positive"),
        *sizes(1000, edges_per_node=4, n=5000, signs="positive"),
    ),
    peers=(
        "daglock",
        "daglock-equal",
        "flop-0",
        "flop-20",
        "dagma",
        "dagma-tuned",
        "var-sortnregress",
        "empty",
    ),
    seeds=3,
)
