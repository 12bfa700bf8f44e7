"""Unequal noise variances: only the equivalence class is identified, whatever the method."""

from __future__ import annotations

from typing import Any

from daglock_evaluation.bench.suites.suite import UNEQUAL, Suite, rows, sizes

SCALED: Any = {"variances": UNEQUAL, "standardised": True}

SUITE = Suite(
    name="unequal",
    title="Unequal variances",
    place=30,
    cases=(
        *sizes(20, edges_per_node=2, **SCALED),
        *rows(200, 1000, 5000, d=50, edges_per_node=2, **SCALED),
        *sizes(100, 200, 500, edges_per_node=2, **SCALED),
        *sizes(20, 50, 100, 200, 500, edges_per_node=1, **SCALED),
        *sizes(20, 50, 100, edges_per_node=4, **SCALED),
        *sizes(20, 50, edges_per_node=2, variances=UNEQUAL),
    ),
    peers=(
        "daglock",
        "daglock-unequal",
        "flop-0",
        "flop-20",
        "flop-100",
        "xges",
        "boss",
        "ges",
        "pc",
        "dagma",
        "r2-sortnregress",
        "empty",
    ),
    seeds=3,
)
