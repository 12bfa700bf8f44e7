"""What a change of the engine must not make worse: quick, with one other method for scale."""

from __future__ import annotations

from daglock_evaluation.bench.suites.suite import UNEQUAL, Suite, sizes

SUITE = Suite(
    name="check",
    title="Accuracy and relative speed of daglock",
    place=1,
    cases=(
        *sizes(50, 100, edges_per_node=1),
        *sizes(50, edges_per_node=4, signs="positive"),
        *sizes(50, n=200, edges_per_node=2),
        *sizes(50, 100, edges_per_node=2, variances=UNEQUAL, standardised=True),
        *sizes(50, edges_per_node=4, variances=UNEQUAL, standardised=True),
    ),
    peers=("daglock", "daglock-equal", "flop-20"),
    seeds=5,
)
