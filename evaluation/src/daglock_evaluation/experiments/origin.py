"""Exp 2a and 2b: the gradient of each constraint as the weights tend to zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock.typing import Array
from daglock_evaluation.experiments import measured
from daglock_evaluation.experiments.experiment import Case, Experiment, Record, Result
from daglock_evaluation.experiments.measured import (
    CENTRED,
    HYBRID,
    LABELS,
    SMOOTHED,
    STANDARD,
    constraint,
    interval,
)
from daglock_evaluation.experiments.origin_claims import DIRECTIONS, exponents, verdicts
from daglock_evaluation.publish.figures import panels
from daglock_evaluation.publish.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCALES = tuple(float(t) for t in np.logspace(-16, 0, 65))
# Well below ε = 1e-8 and δ = 1e-7; and weights that a penalised estimate may have.
TINY, USUAL = (1e-16, 1e-12), (1e-4, 1e-2)


def cases(quick: bool) -> list[Case]:
    """All constraints in four directions; AAC and AHOC with other ε."""
    sizes, seeds = ((6,), 1) if quick else ((6, 20), 5)
    found: list[Case] = [
        {"direction": direction, "d": d, "seed": seed, "constraint": label}
        for d in sizes
        for seed in range(seeds)
        for direction in DIRECTIONS
        for label in LABELS
    ]
    found += [
        {"direction": "dense", "d": 6, "seed": 0, "constraint": label, "epsilon": epsilon}
        for label in ("AAC", "AHOC")
        for epsilon in (1.0, 1e-2, 1e-4, 1e-6)
    ]
    return found


def run(case: Case) -> Result:
    """Follow ‖∇h(tU)‖ as t falls; with self-loops the diagonal counts."""
    h = constraint(case["constraint"], **measured.settings_of(case))
    U = direction(case["direction"], case["d"], case["seed"])
    loops = case["direction"] == "self-loops"
    norms: list[float | None] = []
    for t in SCALES:
        value, grad = h.value_and_grad(t * U)
        norm = float(np.linalg.norm(grad)) if loops else measured.off_diagonal_norm(grad)
        norms.append(norm if np.isfinite(value) else None)  # LogDet has a domain
    x = np.array(SCALES)
    orders = {
        name: measured.exponent(x[near], [norms[k] for k in np.flatnonzero(near)])
        for name, (low, high) in (("exponent", TINY), ("exponent_usual", USUAL))
        for near in [(low * 0.99 <= x) & (x <= high * 1.01)]
    }
    edges = int(np.count_nonzero(U))
    return {"norm": measured.rounded(norms), "edges": edges, "limit": norms[0], **orders}


def direction(kind: str, d: int, seed: int) -> Array:
    """Return U: dense, sparse with a cycle, acyclic, or dense with self-loops.

    Examples
    --------
    >>> from daglock.graph import is_dag
    >>> [is_dag(direction(kind, 6, 0)) for kind in DIRECTIONS]
    [False, False, True, False]
    """
    generator = np.random.default_rng(seed)
    U = generator.standard_normal((d, d))
    if kind == "self-loops":
        return U
    if kind == "sparse":
        U *= generator.random((d, d)) < 1.5 / d
        U[0, 1], U[1, 0] = 1.0, -0.5
    if kind == "dag":
        U = np.triu(U, 1)
    return np.asarray(U * (1.0 - np.eye(d)))


def tables(records: Sequence[Record]) -> list[Table]:
    """Exponents by direction; for dense ones also at usual weights."""
    rows = [
        [
            "constraint",
            "dense",
            "sparse with a cycle",
            "acyclic",
            "dense, with self-loops",
            "dense, at weights 1e-4 to 1e-2",
        ]
    ]
    for label in LABELS:
        if not measured.where(records, constraint=label):
            continue
        cells = []
        for kind in DIRECTIONS:
            found = measured.where(records, constraint=label, direction=kind)
            zero = bool(found) and all(r.result["limit"] == 0.0 for r in found)
            cells.append(
                "zero throughout" if zero else interval(exponents(records, label, kind, "exponent"))
            )
        cells.append(interval(exponents(records, label, "dense", "exponent_usual")))
        rows.append([label, *cells])
    return [
        Table(
            "Exponent p of ‖∇h(tU)‖ ~ t^p",
            rows,
            "Fitted between t = 1e-16 and 1e-12, below ε = 1e-8 and δ = 1e-7, but for the last "
            "column. L1-synergy (A2) asks for p = 0. Ranges are over sizes and seeds.",
        )
    ]


def figures(records: Sequence[Record]) -> Mapping[str, Figure]:
    """Draw Exp 2a and 2b along one dense direction."""
    if not measured.where(records, direction="dense"):
        return {}
    figure, axes = panels(2, height=3.6)
    groups = {
        "Exp 2a: standard constraints": STANDARD,
        "Exp 2b: hybrid and smoothed": (*HYBRID, *SMOOTHED, *CENTRED),
    }
    for ax, (title, group) in zip(axes, groups.items(), strict=True):
        for label in group:
            _draw(ax, records, label, "dense", measured.mark(label, len(SCALES)))
        ax.set(xscale="log", yscale="log", title=title, ylim=(1e-50, 1e14))
        ax.set_xlabel("weight magnitude t (W = tU)")
    loops = {"color": measured.mark("S-AHOC")["color"], "linestyle": ":", "linewidth": 1.5}
    _draw(axes[1], records, "S-AHOC", "self-loops", {**loops, "label": "S-AHOC with self-loops"})
    for ax in axes:
        ax.legend(frameon=False, fontsize=7, loc="lower right")
    axes[0].set_ylabel("gradient norm ‖∇h‖")
    return {"origin": figure}


def _draw(ax: Any, records: Sequence[Record], label: str, kind: str, style: Any) -> None:
    """Draw one constraint along the first direction of a kind."""
    found = [
        record
        for record in measured.where(records, constraint=label, direction=kind)
        if "epsilon" not in record.case
    ]
    for record in found[:1]:
        norms = [np.nan if norm is None else norm for norm in record.result["norm"]]
        ax.plot(SCALES, norms, **style)


EXPERIMENT = Experiment(
    name="origin",
    title="Gradients at small weights (Exp 2a, 2b)",
    source="Exp 2a and 2b, section 4.2 and appendix; theorems on AAC, AHOC and S-AHOC",
    cases=cases,
    run=run,
    tables=tables,
    figures=figures,
    verdicts=verdicts,
    smallest=(
        {"direction": "dense", "d": 6, "seed": 0, "constraint": "Exp"},
        {"direction": "dense", "d": 6, "seed": 0, "constraint": "S-AHOC"},
        {"direction": "self-loops", "d": 6, "seed": 0, "constraint": "S-AHOC"},
    ),
)
