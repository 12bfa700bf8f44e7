"""Exp 1: the gradient of each constraint as the spectral radius of W∘W tends to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock.typing import Array, Constraint
from daglock_evaluation.experiments import cycles_claims, cycles_search, measured
from daglock_evaluation.experiments.cycles_claims import (
    LABELS,
    largest_gradients,
    orders_at_one,
    skewed_order,
)
from daglock_evaluation.experiments.cycles_search import SEARCHED
from daglock_evaluation.experiments.experiment import Case, Experiment, Record, Result, Verdict
from daglock_evaluation.experiments.measured import constraint, interval
from daglock_evaluation.experiments.phrases import short, span
from daglock_evaluation.publish.figures import panels
from daglock_evaluation.publish.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAPS = tuple(float(10.0**-k) for k in np.arange(0.5, 12.01, 0.5))  # 1 − ρ
RADII = tuple(float(r) for r in np.logspace(-4, 4, 64))
LARGEST_WEIGHTS = tuple(float(a) for a in np.logspace(0, 3, 25))
PATHS = {
    "towards": "1 − ρ(W∘W)",
    "radius": "ρ(W∘W)",
    "skewed": "largest weight, ρ(W∘W) = 0.5",
}


SHORT = {"path": "search", "graph": "sparse"}


def cases(quick: bool) -> list[Case]:
    """All constraints on rings and dense graphs; skewed cycles; runs of Prox-LS."""
    sizes, seeds = ((3, 10), 1) if quick else ((3, 10, 30), 5)
    graphs = [("ring", d, 0) for d in sizes]
    graphs += [("dense", d, seed) for d in sizes for seed in range(seeds)]
    found: list[Case] = [
        {"path": path, "graph": graph, "d": d, "seed": seed, "constraint": label}
        for path in ("towards", "radius")
        for graph, d, seed in graphs
        for label in LABELS
    ]
    found += [
        {"path": "skewed", "graph": "ring", "d": d, "seed": 0, "constraint": label}
        for d in sizes
        for label in LABELS
    ]
    d, seeds, outer = (6, 1, 10) if quick else (10, 5, 100)
    found += [
        {**SHORT, "d": d, "max_outer": outer, "seed": seed, "constraint": label}
        for seed in range(seeds)
        for label in SEARCHED
    ]
    return found


def run(case: Case) -> Result:
    """Follow one constraint along one path, or through a run of Prox-LS."""
    if case["path"] == "search":
        return cycles_search.run_search(case)
    h = constraint(case["constraint"])
    if case["path"] == "skewed":
        x = LARGEST_WEIGHTS
        points = [skewed_ring(case["d"], a) for a in x]
    else:
        unit = unit_radius(case["graph"], case["d"], case["seed"])
        x = GAPS if case["path"] == "towards" else RADII
        radii = 1.0 - np.array(x) if case["path"] == "towards" else np.array(x)
        points = [np.sqrt(radius) * unit for radius in radii]
    return {"x": measured.rounded(x), "norm": measured.rounded([_norm(h, W) for W in points])}


def unit_radius(graph: str, d: int, seed: int) -> Array:
    """Return a ring or a dense matrix without self-loops whose W∘W has spectral radius one.

    Examples
    --------
    >>> W = unit_radius("dense", 5, 0)
    >>> round(float(np.abs(np.linalg.eigvals(W * W)).max()), 12)
    1.0
    """
    if graph == "ring":
        return np.roll(np.eye(d), 1, axis=1)
    W = np.random.default_rng(seed).standard_normal((d, d)) * (1.0 - np.eye(d))
    radius = float(np.abs(np.linalg.eigvals(W * W)).max())
    return np.asarray(W / np.sqrt(radius))


def skewed_ring(d: int, largest: float, radius: float = 0.5) -> Array:
    """Return a ring of weights ``largest`` but one, which is so small that ρ(W∘W) = radius.

    Examples
    --------
    >>> W = skewed_ring(3, 10.0)
    >>> round(float(np.abs(np.linalg.eigvals(W * W)).max()), 9)
    0.5
    """
    W = largest * np.roll(np.eye(d), 1, axis=1)
    W[d - 1, 0] = np.exp(0.5 * d * np.log(radius) - (d - 1) * np.log(largest))
    return W


def _norm(h: Constraint, W: Array) -> float | None:
    """Norm of the gradient; None outside the domain, and where it overflows."""
    value, grad = h.value_and_grad(W)
    norm = measured.off_diagonal_norm(grad)
    return norm if np.isfinite(value) and norm < 1e300 else None


def tables(records: Sequence[Record]) -> list[Table]:
    """Orders of divergence, gradients at the end, growth beyond ρ = 1."""
    rows = [
        [
            "constraint",
            "p of ‖∇h‖ ~ (1−ρ)^−p",
            "‖∇h‖ at 1−ρ = 1e-12",
            "largest for ρ up to 1e4",
            "growth with the largest weight, ρ = 0.5",
        ]
    ]
    for label in LABELS:
        found = measured.where(records, path="towards", constraint=label)
        if not found:
            continue
        ends = [r.result["norm"][-1] for r in found if r.result["norm"][-1] is not None]
        beyond = measured.where(records, path="radius", constraint=label)
        defined = all(record.result["norm"][-1] is not None for record in beyond)
        tops = largest_gradients(records, label)
        skewed = [skewed_order(r) for r in measured.where(records, path="skewed", constraint=label)]
        rows.append(
            [
                label,
                interval(orders_at_one(records, label)),
                span(ends),
                (short(max(tops)) if defined else "overflows, or not defined") if tops else "–",
                ", ".join(f"a^{short(p)}" for p in skewed if p is not None) or "–",
            ]
        )
    return [
        Table(
            "Gradient norm near a cycle and beyond",
            rows,
            "Ranges are over rings and dense graphs, sizes and seeds. Last column: a ring with "
            "weights a but one, one entry for each size.",
        )
    ]


def figures(records: Sequence[Record]) -> Mapping[str, Figure]:
    """Draw the gradient norm towards ρ = 1, over all ρ, and on skewed rings."""
    if not records:
        return {}
    figure, axes = panels(3, height=3.3)
    for ax, (path, name) in zip(axes, PATHS.items(), strict=True):
        for label in LABELS:
            _draw(ax, label, _pick(measured.where(records, path=path, constraint=label)))
        ax.set(xscale="log", yscale="log", xlabel=name)
        ax.tick_params(labelsize=8)
    axes[0].invert_xaxis()
    axes[0].set_ylabel("gradient norm ‖∇h‖")
    axes[1].axvline(1.0, color="#7F7F7F", linewidth=0.8, linestyle=":")
    axes[1].set_ylim(1e-8, 1e12)
    drawn = [ax for ax in axes if ax.lines]
    handles = drawn[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=4)
    return {"cycles": figure}


def _pick(curves: Sequence[Record]) -> list[Record]:
    """Return the dense graph of ten nodes where there is one, else the first of the largest."""
    best = sorted(curves, key=lambda r: (r.case["graph"] != "dense", r.case["d"] != 10))
    return best[:1]


def _draw(ax: Any, label: str, curves: Sequence[Record]) -> None:
    """Draw one constraint."""
    for record in curves:
        x = record.result["x"]
        y = [np.nan if value is None else value for value in record.result["norm"]]
        ax.plot(x, y, **measured.mark(label, len(x)))
        ax.set_title(f"{record.case['graph']} graph, d = {record.case['d']}", fontsize=9)


def verdicts(records: Sequence[Record]) -> list[Verdict]:
    """Judge Exp 1, and the safety net of the line search."""
    return [*cycles_claims.verdicts(records), *cycles_search.verdicts(records)]


EXPERIMENT = Experiment(
    name="cycles",
    title="Gradients near a cycle (Exp 1)",
    source="Exp 1, section 4.2 and appendix; appendix D on safety nets",
    cases=cases,
    run=run,
    tables=tables,
    figures=figures,
    verdicts=verdicts,
    smallest=(
        {"path": "towards", "graph": "ring", "d": 3, "seed": 0, "constraint": "LogDet"},
        {"path": "towards", "graph": "ring", "d": 3, "seed": 0, "constraint": "Exp"},
        {"path": "radius", "graph": "ring", "d": 3, "seed": 0, "constraint": "S-AHOC"},
        {"path": "skewed", "graph": "ring", "d": 3, "seed": 0, "constraint": "Exp"},
        *({**SHORT, "d": 5, "seed": 0, "max_outer": 3, "constraint": label} for label in SEARCHED),
    ),
)
