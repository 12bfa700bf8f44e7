"""Where methods break: few rows, weak edges, near copies, dense graphs."""

from __future__ import annotations

from daglock_evaluation.bench.suites.suite import UNEQUAL, Suite, sizes

SUITE = Suite(
    name="hard",
    title="Few rows, weak edges, near copies, dense graphs",
    place=50,
    cases=(
        *sizes(100, n=50, edges_per_node=1),
        *sizes(100, n=50, edges_per_node=1, variances=UNEQUAL, standardised=True),
        *sizes(200, n=100, edges_per_node=2),
        *sizes(50, edges_per_node=2, weights=(0.1, 0.5)),
        *sizes(50, edges_per_node=2, weights=(0.1, 0.5), variances=UNEQUAL, standardised=True),
        *sizes(20, 50, edges_per_node=2, near_copies=0.3, standardised=True),
        *sizes(20, edges_per_node=8),
        *sizes(20, edges_per_node=8, variances=UNEQUAL, standardised=True),
        *sizes(50, edges_per_node=10, variances=UNEQUAL, standardised=True),
    ),
    peers=(
        "daglock",
        "daglock-equal",
        "daglock-unequal",
        "flop-20",
        "flop-100",
        "boss",
        "pc",
        "dagma",
        "var-sortnregress",
        "empty",
    ),
    seeds=3,
)
