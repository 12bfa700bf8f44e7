"""Noise that is not Gaussian: with the scale kept, and with the scale taken away."""

from __future__ import annotations

from daglock.simulate import NOISES
from daglock_evaluation.bench.suites.suite import UNEQUAL, Suite, sizes

SUITE = Suite(
    name="noise",
    title="Distributions of the noise",
    place=40,
    cases=[
        case
        for noise in NOISES
        for case in (
            *sizes(20, edges_per_node=2, noise=noise),
            *sizes(20, edges_per_node=2, noise=noise, variances=UNEQUAL, standardised=True),
        )
    ],
    peers=(
        "daglock",
        "daglock-equal",
        "flop-20",
        "dagma",
        "notears",
        "direct-lingam",
        "pc",
        "var-sortnregress",
        "empty",
    ),
    seeds=3,
)
