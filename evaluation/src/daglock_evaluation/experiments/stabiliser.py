"""Experiment 7: ‖W‖_F in the first outer loop for several λ₁, with the threshold ‖∇L(0)‖∞.

The paper calls λ₁ ≥ ‖∇L(0)‖∞ the condition of stability. Beside the trajectories, the whole run
of SPG-AHOC and of the non-smooth step (ProxLinear) at the same λ₁ says which of them converge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock.constraints import LogDet
from daglock.losses import LeastSquares
from daglock.metrics import compare
from daglock.moments import Moments
from daglock.penalties import L1, MCP
from daglock.problem import Problem
from daglock.solvers import SPG, ProxLinear
from daglock.typing import Constraint, Penalty, Solver
from daglock_evaluation.experiments.experiment import Case, Experiment, Record, Result
from daglock_evaluation.experiments.methods import ALPHA, compose, sparse_sem
from daglock_evaluation.experiments.phrases import share, short, span
from daglock_evaluation.experiments.scoring import matching
from daglock_evaluation.experiments.stabiliser_claims import FIRST, WHOLE, stable, useful, verdicts
from daglock_evaluation.experiments.style import NORM, THRESHOLD, TRUE_NORM
from daglock_evaluation.experiments.trajectories import rounded, watch
from daglock_evaluation.publish.figures import COLOURS, panels
from daglock_evaluation.publish.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAMS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
# Given as multiples of ‖∇L(0)‖∞: just below it, and at it.
TIMES = (0.99, 1.0)
SCALES = ("raw", "standardised")


def cases(quick: bool) -> list[Case]:
    """Return the first loops, then whole runs, for every λ₁ and both scales."""
    d, seeds = (20, (0,)) if quick else (50, (0, 1, 2))
    lams: list[dict[str, float]] = [{"lam": lam} for lam in LAMS] + [{"times": t} for t in TIMES]
    first = [
        {"method": FIRST, "d": d, "n": 1000, "scale": scale, "seed": seed, **lam}
        for seed in seeds
        for scale in SCALES
        for lam in lams
    ]
    # SPG-AHOC takes its time below the threshold: one seed, in the quick set three λ₁
    long = [
        {**case, "method": "SPG-AHOC"}
        for case in first
        if case["seed"] == 0 and (not quick or case.get("lam") in (0.1, 1.0, 2.0))
    ]
    brief = [{**case, "method": method} for method in WHOLE[1:] for case in first]
    return [*first, *brief, *long]


def run(case: Case) -> Result:
    """Solve, and keep ‖W‖_F on the way."""
    truth, X = sparse_sem(case["d"], case["seed"], case["n"])
    moments = Moments.from_data(X)
    if case["scale"] == "standardised":
        deviation = np.sqrt(np.diag(moments.cov))
        truth = truth * deviation[:, None] / deviation
        moments = moments.standardised()
    loss = LeastSquares(moments)
    threshold = Problem(loss, LogDet(), L1(0.0)).force_at_zero()
    lam = case["lam"] if "lam" in case else case["times"] * threshold
    solver, constraint, penalty = _method(case["method"], lam)
    solution, points = watch(Problem(loss, constraint, penalty), solver)
    found = compare(solution.W, truth)
    return {
        "threshold": rounded([threshold])[0],
        "lam": rounded([lam])[0],
        "truth_norm": rounded([float(np.linalg.norm(truth))])[0],
        "status": solution.status.value,
        "is_dag": solution.is_dag,
        "nnz": solution.n_nonzero,
        "shd": found.shd,
        "shd_empty": found.n_true,
        "n_iter": solution.n_iter,
        "largest_norm": rounded([solution.trace.norm.max()])[0],
        "seconds": solution.seconds,
        "iteration": [p.iteration for p in points],
        "norm": rounded([float(np.linalg.norm(p.W)) for p in points]),
    }


def _method(name: str, lam: float) -> tuple[Solver, Constraint, Penalty]:
    """Return what solves the problem."""
    if name.startswith("ProxLinear"):
        return ProxLinear(), LogDet(alpha=ALPHA), MCP(lam) if name.endswith("MCP") else L1(lam)
    solver, constraint = compose("SPG-AHOC")
    assert isinstance(solver, SPG)
    return (replace(solver, max_outer=1) if name == FIRST else solver), constraint, L1(lam)


def tables(records: Sequence[Record]) -> list[Table]:
    """Return, for every λ₁, the first loop and how the whole runs end."""
    rows: list[Sequence[str]] = [
        ("data", "λ₁", "λ₁ ≥ ‖∇L(0)‖∞", "‖W‖_F in the first loop, largest", "‖W*‖_F", *WHOLE)
    ]
    for scale in SCALES:
        for setting in [{"lam": lam} for lam in LAMS] + [{"times": t} for t in TIMES]:
            found = matching(records, scale=scale, method=FIRST, **setting)
            if not found:
                continue
            ends = [matching(records, scale=scale, method=m, **setting) for m in WHOLE]
            rows.append(
                (
                    scale,
                    f"{setting['times']} ‖∇L(0)‖∞" if "times" in setting else str(setting["lam"]),
                    share(map(stable, found)),
                    span((r.result["largest_norm"] for r in found), 3),
                    span((r.result["truth_norm"] for r in found), 3),
                    *(_end(runs) for runs in ends),
                )
            )
    empty = span(r.result["shd_empty"] for r in records)
    note = (
        "Last columns: how the whole run ends, SHD, and how many of the runs end at a DAG with "
        f"edges. SHD of the empty graph: {empty}."
    )
    return [Table("The first outer loop of SPG-AHOC, and whole runs", rows, note)]


def _end(runs: Sequence[Record]) -> str:
    """Say how whole runs ended."""
    if not runs:
        return "–"
    words = sorted({r.result["status"].replace("_", " ") for r in runs})
    distance = span((r.result["shd"] for r in runs), 3)
    return f"{', '.join(words)}; SHD {distance}; {share(map(useful, runs))}"


def figures(records: Sequence[Record]) -> Mapping[str, Figure]:
    """Draw ‖W‖_F along the first loop, and at its largest against λ₁."""
    first = matching(records, method=FIRST)
    if not first:
        return {}
    import matplotlib

    figure, axes = panels(3, height=3.4)
    colours = matplotlib.colormaps["viridis"]
    seed = min(r.case["seed"] for r in first)
    for axis, scale in zip(axes, SCALES, strict=False):
        shown = matching(first, scale=scale, seed=seed)
        shown.sort(key=lambda r: float(r.result["lam"]))
        for k, record in enumerate(shown):
            result = record.result
            end = max(result["iteration"][-1], 300)  # W rests where the loop ended
            x, y = [*result["iteration"], end], [*result["norm"], result["norm"][-1]]
            look: dict[str, Any] = {"color": colours(k / max(len(shown) - 1, 1))}
            look["linestyle"] = "--" if stable(record) else "-"
            axis.plot(np.add(x, 1), y, **look)
            if not stable(record) and record.case.get("times") is None:
                label = f"{'λ₁ = ' if k == 0 else ''}{short(result['lam'])}"
                axis.text(1.1 * end, y[-1], label, va="center", fontsize=8)
        if shown:
            result = shown[0].result
            axis.axhline(result["truth_norm"], color="black", linestyle=":", linewidth=1.0)
            axis.text(5000.0, result["truth_norm"], TRUE_NORM, va="bottom", ha="right", fontsize=8)
            axis.text(1.0, 0.02 * result["truth_norm"], f"   λ₁ ≥ {THRESHOLD}", fontsize=8)
            title = f"{scale}, {THRESHOLD} = {short(result['threshold'])}"
            axis.set_title(title, fontsize=9)
        axis.set(xscale="log", xlabel="iteration + 1", ylabel=NORM, xlim=(0.9, 6000.0))
        axis.margins(y=0.12)
    for scale, colour, marker in (("raw", "blue", "o"), ("standardised", "orange", "s")):
        found = matching(first, scale=scale)
        share_of = [r.result["lam"] / r.result["threshold"] for r in found]
        y = [r.result["largest_norm"] / r.result["truth_norm"] for r in found]
        axes[2].plot(share_of, y, marker, color=COLOURS[colour], label=scale, markersize=4)
    axes[2].axvline(1.0, color="black", linewidth=0.8)
    axes[2].set(xscale="log", xlabel=f"λ₁ / {THRESHOLD}", ylabel=f"largest {NORM} / {TRUE_NORM}")
    axes[2].set_title("where the loop goes", fontsize=9)
    axes[2].legend(loc="lower left", handletextpad=0.2)
    return {"stabiliser": figure}


_SMALL = {"method": FIRST, "d": 6, "n": 200, "scale": "raw", "seed": 0}
EXPERIMENT = Experiment(
    name="stabiliser",
    title="λ₁ as a stabiliser (Experiment 7)",
    source="Section 4.8, Proposition 2.15, appendix with the trajectories",
    cases=cases,
    run=run,
    tables=tables,
    figures=figures,
    verdicts=verdicts,
    smallest=({**_SMALL, "lam": 0.5}, {**_SMALL, "times": 1.0}),
)
