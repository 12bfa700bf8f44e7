"""Table 1, the three axioms, and the figure of the two instabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from daglock.diagnostics import boundedness, measure_axioms
from daglock.graph import is_dag
from daglock.typing import Array
from daglock_evaluation.experiments import measured
from daglock_evaluation.experiments.axioms_claims import (
    AXIOMS,
    PRINTED,
    SIGN,
    holds,
    of_part,
    verdicts,
)
from daglock_evaluation.experiments.experiment import Case, Experiment, Record, Result
from daglock_evaluation.experiments.measured import EPSILON, LABELS, constraint, finite, interval
from daglock_evaluation.experiments.phrases import short
from daglock_evaluation.publish.figures import panels
from daglock_evaluation.publish.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WEIGHTS = tuple(float(w) for w in np.logspace(-10, 3, 105))
# A cycle 0 ⇄ 1 with ρ(W∘W) = w² and an edge that leaves it: nothing about it is symmetric.
SECTION = np.array([[0.0, 2.0, 0.0], [0.5, 0.0, 1.0], [0.0, 0.0, 0.0]])
# Towards the edge of LogDet's domain, which it reaches at w = 1.
NEAR_ONE = tuple(float(1.0 - 10.0**-k) for k in np.arange(1.5, 9.0, 0.5))


def cases(quick: bool) -> list[Case]:
    """Axioms by size and seed; all small graphs; bounds by ε; the section for the figure."""
    sizes, seeds, nodes = ((3, 6), 1, 3) if quick else ((3, 6, 15), 5, 4)
    found: list[Case] = [{"part": "section", "constraint": label} for label in LABELS]
    found += [
        {"part": "bound", "constraint": label, "epsilon": epsilon}
        for label in ("AAC", "AHOC")
        for epsilon in (1.0, 1e-2, 1e-4, 1e-6, 1e-8)
    ]
    found += [{"part": "graphs", "constraint": label, "nodes": nodes} for label in LABELS]
    found += [
        {"part": "axioms", "constraint": label, "d": d, "seed": seed}
        for d in sizes
        for seed in range(seeds)
        for label in LABELS
    ]
    return found


def run(case: Case) -> Result:
    """Measure one constraint."""
    h = constraint(case["constraint"], **measured.settings_of(case))
    if case["part"] == "section":
        grid = sorted({*WEIGHTS, *NEAR_ONE})
        pairs = [h.value_and_grad(w * SECTION) for w in grid]
        norms = [
            measured.off_diagonal_norm(grad) if np.isfinite(value) else None
            for value, grad in pairs
        ]
        # A gradient that left the range of double precision stays at its largest number.
        kept = [None if norm is None or norm > 1e300 else norm for norm in norms]
        return {"weight": grid, "norm": measured.rounded(kept)}
    if case["part"] == "bound":
        bound = boundedness(h)
        return {"largest_gradient": bound.largest_gradient, "grows": bound.grows}
    if case["part"] == "graphs":
        return _all_graphs(case)
    axioms = measure_axioms(h, d=case["d"], rng=case["seed"])
    return {
        "holds": list(axioms.verdict),
        "largest_on_dags": axioms.correctness.largest_on_dags,
        "smallest_on_cycles": axioms.correctness.smallest_on_cycles,
        "exponent": finite(axioms.synergy.exponent),
        "exponent_with_loops": finite(axioms.synergy.exponent_with_loops),
        "largest_value": finite(axioms.boundedness.largest_value),
        "largest_gradient": finite(axioms.boundedness.largest_gradient),
        "grows": axioms.boundedness.grows,
    }


def graphs(nodes: int) -> Iterator[Array]:
    """Yield the 0/1 matrices of all directed graphs on so many nodes.

    Examples
    --------
    >>> sum(is_dag(A) for A in graphs(3)), sum(1 for _ in graphs(3))
    (25, 64)
    """
    places = list(permutations(range(nodes), 2))
    for code in range(2 ** len(places)):
        A = np.zeros((nodes, nodes))
        for bit, place in enumerate(places):
            A[place] = code >> bit & 1
        yield A


def _all_graphs(case: Case) -> Result:
    """Count on all graphs where h is zero, and whether these are the DAGs."""
    h = constraint(case["constraint"])
    W = np.random.default_rng(0).uniform(0.1, 0.3, (case["nodes"], case["nodes"]))
    zeros = dags = mistaken = 0
    for A in graphs(case["nodes"]):
        zero, acyclic = h.value(A * W) == 0.0, is_dag(A)
        zeros, dags, mistaken = zeros + zero, dags + acyclic, mistaken + (zero != acyclic)
    return {"zeros": zeros, "dags": dags, "mistaken": mistaken}


def tables(records: Sequence[Record]) -> list[Table]:
    """Table 1 beside its measurement, and the numbers behind it."""
    compared = [["constraint", *(f"{a}, {who}" for a in AXIOMS for who in ("paper", "measured"))]]
    detail = [
        [
            "constraint",
            "largest h on a DAG",
            "exponent p of ‖∇h(tU)‖ ~ t^p",
            "p with self-loops",
            "largest gradient",
        ]
    ]
    for label in LABELS:
        ours = holds(records, label)
        if ours is None:
            continue
        printed = PRINTED.get(label)
        cells = [
            cell
            for k in range(3)
            for cell in ("–" if printed is None else SIGN[printed[k]], SIGN[ours[k]])
        ]
        compared.append([label, *cells])
        found = of_part(records, "axioms", label)
        gradients = measured.values(found, "largest_gradient")
        detail.append(
            [
                label,
                short(max(measured.values(found, "largest_on_dags")), 2),
                interval(measured.values(found, "exponent")),
                interval(measured.values(found, "exponent_with_loops")),
                short(max(gradients)) if ours[2] else "unbounded",
            ]
        )
    return [
        Table(
            "Table 1, as printed and as measured",
            compared,
            "A1 correctness, A2 L1-synergy, A3 boundedness; the diagonal of W is zero. "
            "✓ means that nothing was found against it.",
        ),
        Table(
            "What was measured",
            detail,
            f"A2 asks for p = 0. AAC and AHOC with ε = {short(EPSILON)}, smoothing with "
            "δ = 1e-7, α = 0.5; ranges are over sizes and seeds.",
        ),
    ]


def figures(records: Sequence[Record]) -> Mapping[str, Figure]:
    """Draw the figure of the two instabilities, on a cycle of two nodes and an edge."""
    if not measured.where(records, part="section"):
        return {}
    figure, axes = panels(2, height=3.4)
    groups = (measured.STANDARD, (*measured.HYBRID, *measured.SMOOTHED, measured.CENTRED[1]))
    for ax, group, title in zip(
        axes, groups, ("Standard constraints", "Hybrid-order constraints"), strict=True
    ):
        for label in group:
            for record in of_part(records, "section", label):
                x, y = record.result["weight"], record.result["norm"]
                shown = [np.nan if value is None else value for value in y]
                ax.plot(x, shown, **measured.mark(label, len(x)))
        ax.set(xscale="log", yscale="log", xlim=(1e-10, 1e3), ylim=(1e-24, 1e12), title=title)
        ax.set_xlabel("scale w of the weights (2w, w/2 on a cycle)")
        ax.axvline(1.0, color="#7F7F7F", linewidth=0.8, linestyle=":")
        beside = {"loc": "lower left", "bbox_to_anchor": (0.1, 0.0)}  # not on the line at w = 1
        ax.legend(fontsize=7.5, **(beside if len(group) > 3 else {"loc": "upper left"}))
    axes[0].set_ylabel("gradient norm ‖∇h‖")
    axes[0].text(3e-10, 1e-19, "Type I:\nvanishes", fontsize=8)
    axes[0].text(0.3, 3e8, "Type II:\nexplodes", fontsize=8, ha="right")
    return {"axioms": figure}


EXPERIMENT = Experiment(
    name="axioms",
    title="The three axioms and the two instabilities",
    source="Table 1; figure of the two instabilities, section 2.2",
    cases=cases,
    run=run,
    tables=tables,
    figures=figures,
    verdicts=verdicts,
    smallest=(
        {"part": "axioms", "constraint": "S-AHOC", "d": 3, "seed": 0},
        {"part": "graphs", "constraint": "Exp", "nodes": 3},
        {"part": "section", "constraint": "S-AHOC"},
        {"part": "section", "constraint": "LogDet"},
    ),
)
