"""Tiny cases of every experiment, and results without what may differ between two runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from daglock_evaluation.experiments.cycles import SEARCHED
from daglock_evaluation.experiments.evidence import grid
from daglock_evaluation.experiments.experiment import Case
from daglock_evaluation.experiments.stabiliser import FIRST

SPG: Case = {"method": "SPG-AHOC", "seed": 0}
SHORT: Case = {**SPG, "d": 5, "n": 200, "max_steps": 100}

SMALLEST: dict[str, list[Case]] = {
    "axioms": [
        {"part": "axioms", "constraint": "S-AHOC", "d": 3, "seed": 0},
        {"part": "graphs", "constraint": "Exp", "nodes": 3},
        *grid(part="section", constraint=("S-AHOC", "LogDet")),
    ],
    "cycles": [
        *grid(path="towards", graph="ring", d=3, seed=0, constraint=("LogDet", "Exp")),
        *grid(path="radius", graph="ring", d=3, seed=0, constraint="S-AHOC"),
        *grid(path="skewed", graph="ring", d=3, seed=0, constraint="Exp"),
        *grid(path="search", graph="sparse", d=5, seed=0, max_outer=3, constraint=SEARCHED),
    ],
    "origin": [
        *grid(direction="dense", d=6, seed=0, constraint=("Exp", "S-AHOC")),
        *grid(direction="self-loops", d=6, seed=0, constraint="S-AHOC"),
    ],
    "incompatibility": [
        *grid(outer="exp", gamma=1.0, d=4, seed=0),
        *grid(outer="normalised exp", gamma=(1.0, 0.5), d=4, seed=0),
    ],
    "smoothing": [
        *grid(part="gap", epsilon=1.0, centred=False, d=5, delta=(0.01, 0.0001)),
        *grid(part="curvature", at="dag", centred=False, d=6, seed=0, delta=(0.01, 0.0001)),
        *grid(part="steps", multiplier=100.0, d=10, seed=0, delta=0.1),
        *grid(part="rate", multiplier=10.0, d=10, seed=0, delta=(0.1, 0.0001), limit=300),
    ],
    "sparse": [
        {"d": 8, "seed": 0, "standardised": False, "method": "daglock", "lam": None},
        {"d": 8, "seed": 0, "standardised": False, "method": "SPG-AHOC", "lam": "stable"},
    ],
    "scalability": [
        {"d": 8, "seed": 0, "method": "daglock", "lam": None, "limit": 10},
        {"d": 8, "seed": 0, "method": "SPG-AHOC", "lam": 10.0, "limit": 10},
    ],
    "sachs": [
        {"data": "observational", "scale": "standardised", "method": "SPG-AHOC", "lam": 1.0},
        {"data": "observational", "scale": "standardised", "method": "empty graph", "lam": None},
    ],
    "near_cyclic": [
        {"kind": "curvature", "constraint": "S-AHOC"},
        {"kind": "solve", **SPG, "max_inner": 20, "sign": 1, "scale": "raw", "lam": 0.1, "n": 1000},
    ],
    "delta": [
        {**SHORT, "delta": 0.0001, "scale": "standardised", "lam": 1.0},
        {**SHORT, "delta": 0.01, "scale": "raw", "lam": 0.1},
        {"part": "graphs", **SHORT, "delta": 1e-7, "scale": "raw", "lam": 1.0},
        {"part": "inner", **SHORT, "delta": 1e-7, "scale": "raw", "lam": 1.0, "inner": 30},
    ],
    "stabiliser": [
        {"method": FIRST, "d": 6, "n": 200, "scale": "raw", "seed": 0, "lam": 0.5},
        {"method": FIRST, "d": 6, "n": 200, "scale": "raw", "seed": 0, "times": 1.0},
    ],
    "limits": [
        {"d": 8, "seed": 0, "scale": "as drawn", "limit": 5, "method": "EXP [Adam]", "lam": 0.1},
        {"d": 8, "seed": 0, "scale": "as drawn", "limit": 5, "method": "SPG-AHOC", "lam": "stable"},
    ],
    "identification": [
        {"kind": "portrait", "method": "ProxLinear", "start": [0.6, 0.6], "lam": 0.1},
        {"kind": "assumptions", "n": 1000, "graph": "ER1", "d": 20, "seed": 0},
        *grid(kind="trajectory", d=5, n=500, seed=0, method="ProxLinear, MCP", lam=0.2),
        *grid(kind="trajectory", d=5, n=500, seed=0, method="SPG-AHOC", times=1.0),
    ],
    "proof": [
        *grid(kind="bias", d=6, seed=0, delta=(1e-3, 1e-5)),
        *grid(kind="tables", graph=("pairs", "ER1"), d=4, n=(300, 10_000), tables=2),
    ],
    "beyond": [
        {"kind": "h", "input": "few cycles", "method": "dense exponential", "d": 20, "seed": 0},
        {"kind": "engine", "noise": "equal", "d": 30, "n": 1000, "seed": 0},
    ],
}


def without_times(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result without its times, which are told by their names."""
    return {name: value for name, value in result.items() if not name.endswith("seconds")}
