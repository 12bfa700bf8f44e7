"""Tiny cases of every experiment, and results without what may differ between two runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from daglock_evaluation.experiments.experiment import Case

SMALLEST: dict[str, list[Case]] = {
    "axioms": [
        {"part": "axioms", "constraint": "S-AHOC", "d": 3, "seed": 0},
        {"part": "graphs", "constraint": "Exp", "nodes": 3},
        {"part": "section", "constraint": "S-AHOC"},
        {"part": "section", "constraint": "LogDet"},
    ],
    "cycles": [
        {"path": "towards", "graph": "ring", "d": 3, "seed": 0, "constraint": "LogDet"},
        {"path": "towards", "graph": "ring", "d": 3, "seed": 0, "constraint": "Exp"},
        {"path": "radius", "graph": "ring", "d": 3, "seed": 0, "constraint": "S-AHOC"},
        {"path": "skewed", "graph": "ring", "d": 3, "seed": 0, "constraint": "Exp"},
        {
            "path": "search",
            "graph": "sparse",
            "d": 5,
            "seed": 0,
            "max_outer": 3,
            "constraint": "LogDet",
        },
        {
            "path": "search",
            "graph": "sparse",
            "d": 5,
            "seed": 0,
            "max_outer": 3,
            "constraint": "smoothed S-AHOC",
        },
    ],
    "origin": [
        {"direction": "dense", "d": 6, "seed": 0, "constraint": "Exp"},
        {"direction": "dense", "d": 6, "seed": 0, "constraint": "S-AHOC"},
        {"direction": "self-loops", "d": 6, "seed": 0, "constraint": "S-AHOC"},
    ],
    "incompatibility": [
        {"outer": "exp", "gamma": 1.0, "d": 4, "seed": 0},
        {"outer": "normalised exp", "gamma": 1.0, "d": 4, "seed": 0},
        {"outer": "normalised exp", "gamma": 0.5, "d": 4, "seed": 0},
    ],
    "smoothing": [
        {"part": "gap", "epsilon": 1.0, "centred": False, "d": 5, "delta": 0.01},
        {"part": "gap", "epsilon": 1.0, "centred": False, "d": 5, "delta": 0.0001},
        {"part": "curvature", "at": "dag", "centred": False, "d": 6, "seed": 0, "delta": 0.01},
        {"part": "curvature", "at": "dag", "centred": False, "d": 6, "seed": 0, "delta": 0.0001},
        {"part": "steps", "multiplier": 100.0, "d": 10, "seed": 0, "delta": 0.1},
        {"part": "rate", "multiplier": 10.0, "d": 10, "seed": 0, "delta": 0.1, "limit": 300},
        {"part": "rate", "multiplier": 10.0, "d": 10, "seed": 0, "delta": 0.0001, "limit": 300},
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
        {
            "kind": "solve",
            "method": "SPG-AHOC",
            "max_inner": 20,
            "sign": 1,
            "scale": "raw",
            "seed": 0,
            "lam": 0.1,
            "n": 1000,
        },
    ],
    "delta": [
        {
            "method": "SPG-AHOC",
            "d": 5,
            "n": 200,
            "seed": 0,
            "max_steps": 100,
            "delta": 0.0001,
            "scale": "standardised",
            "lam": 1.0,
        },
        {
            "method": "SPG-AHOC",
            "d": 5,
            "n": 200,
            "seed": 0,
            "max_steps": 100,
            "delta": 0.01,
            "scale": "raw",
            "lam": 0.1,
        },
        {
            "part": "graphs",
            "method": "SPG-AHOC",
            "d": 5,
            "n": 200,
            "seed": 0,
            "max_steps": 100,
            "delta": 1e-7,
            "scale": "raw",
            "lam": 1.0,
        },
        {
            "part": "inner",
            "method": "SPG-AHOC",
            "d": 5,
            "n": 200,
            "seed": 0,
            "max_steps": 100,
            "delta": 1e-7,
            "scale": "raw",
            "lam": 1.0,
            "inner": 30,
        },
    ],
    "stabiliser": [
        {
            "method": "SPG-AHOC, first outer loop",
            "d": 6,
            "n": 200,
            "scale": "raw",
            "seed": 0,
            "lam": 0.5,
        },
        {
            "method": "SPG-AHOC, first outer loop",
            "d": 6,
            "n": 200,
            "scale": "raw",
            "seed": 0,
            "times": 1.0,
        },
    ],
    "limits": [
        {"d": 8, "seed": 0, "scale": "as drawn", "limit": 5, "method": "EXP [Adam]", "lam": 0.1},
        {"d": 8, "seed": 0, "scale": "as drawn", "limit": 5, "method": "SPG-AHOC", "lam": "stable"},
    ],
    "identification": [
        {"kind": "portrait", "method": "ProxLinear", "start": [0.6, 0.6], "lam": 0.1},
        {"kind": "assumptions", "n": 1000, "graph": "ER1", "d": 20, "seed": 0},
        {
            "kind": "trajectory",
            "d": 5,
            "n": 500,
            "seed": 0,
            "method": "ProxLinear, MCP",
            "lam": 0.2,
        },
        {"kind": "trajectory", "d": 5, "n": 500, "seed": 0, "method": "SPG-AHOC", "times": 1.0},
    ],
    "proof": [
        *({"kind": "bias", "d": 6, "seed": 0, "delta": delta} for delta in (1e-3, 1e-5)),
        *(
            {"kind": "tables", "graph": graph, "d": 4, "n": n, "tables": 2}
            for graph in ("pairs", "ER1")
            for n in (300, 10_000)
        ),
    ],
    "beyond": [
        {"kind": "h", "input": "few cycles", "method": "dense exponential", "d": 20, "seed": 0},
        {"kind": "engine", "noise": "equal", "d": 30, "n": 1000, "seed": 0},
    ],
}


def without_times(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result without its times, which are told by their names."""
    return {name: value for name, value in result.items() if not name.endswith("seconds")}
