"""Experiment 4: data from a cycle with ρ(W∘W) just below one.

ρ(W∘W) is the same for a cycle of three positive weights and for one with a sign changed, but the
data are not: X = Z (I − W)⁻¹ and det(I − W) = 1 − w₁w₂w₃, which is 6e-6 for the one and 2 for the
other. Both are run, on the scale of the data and standardised, and so is the same graph without
one of its edges, a plain DAG: what comes from the near-cycle can then be told from what comes from
the scale and from what is always so. Of a true cycle the best DAG leaves out one of three edges
(SHD 1), the empty graph all (SHD 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from daglock_evaluation.experiments.drawing import MARKS, NORM, Figure, look
from daglock_evaluation.experiments.evidence import Runs, experiment, need, table
from daglock_evaluation.experiments.experiment import Outcome, Quantities, Verdict
from daglock_evaluation.experiments.near_cyclic_runs import (
    ALPHAS,
    BASELINES,
    DELTAS,
    FAMILY,
    LAM,
    METHODS,
    PATHS,
    RADII,
    SIGNS,
    N,
    cases,
    run,
)
from daglock_evaluation.harness.figures import COLOURS, legend, panels
from daglock_evaluation.harness.numbers import short, span
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods.paper import ALPHA, DELTA, SMALL_EPSILON

FEASIBLE = 1e-6  # the loosest tolerance on h of the methods here, that of DAGMA
SCALES = ("raw", "standardised")
_FLOORS = {"h": 1e-10, "radius": 1e-5, "norm": 1e-2}
_LOOKS: dict[str, dict[str, Any]] = {
    **MARKS,
    SMALL_EPSILON: look("sky", "P", linestyle="--"),
    "SPG, δ path": look("blue", "<", linestyle="--"),
    "SPG, α path": look("blue", ">", linestyle=":"),
    "ProxLinear": look("black", "p", linestyle="--"),
}


QUANTITIES: Quantities = {
    "feasible": lambda r: r["is_dag"] or (r["h"] is not None and r["h"] <= FEASIBLE),
    "infeasible": lambda r: not r["feasible"],
    # by which factor h fell from its largest value
    "reduction": lambda r: None if r["h"] is None else r["h"] / r["h_largest"],
}


def tables(runs: Runs) -> list[Table]:
    """Return how each method ended, and the curvatures."""
    solved = runs.where(kind="solve")

    def condition(k: int, found: Runs) -> str:
        return short(found[0]["condition"][k])

    return [
        table(
            "Data from a near-cyclic graph, three nodes, λ₁ = 0.1",
            (
                solved.where(sign=sign, scale=scale, method=method)
                for sign in SIGNS
                for scale in SCALES
                for method in METHODS
            ),
            ("cycle", lambda g: SIGNS[g[0]["sign"]]),
            ("data", "scale"),
            ("method", "method"),
            ("status", lambda g: g.statuses()),
            ("DAG", lambda g: g.share("is_dag")),
            ("h", lambda g: g.span("h")),
            ("ρ(W∘W)", lambda g: g.span("radius")),
            ("SHD", lambda g: g.span("shd")),
            ("steps", lambda g: g.span("n_iter")),
            note="h is each method's own constraint, without smoothing. SHD of the empty graph: 3; "
            "of the best DAG: 1; with one edge removed 2 and 0. 'a of b' counts seeds, 'a to b' "
            "spans them.",
        ),
        table(
            "Condition number of the Hessian of h on the edges of the cycle",
            runs.where(kind="curvature").each(),
            ("constraint", "constraint"),
            *((f"ρ = {radius}", partial(condition, k)) for k, radius in enumerate(RADII)),
        ),
    ]


def _draw_lines(labels: Mapping[str, str], runs: Runs) -> Figure:
    """Draw some quantities against the iteration, a line for each method."""
    shown = need(runs.where(kind="solve", sign=1, scale="raw").that("trajectory"))
    runs = shown.where(seed=min(shown.settings("seed")))
    figure, axes = panels(len(labels), height=3.4)
    for axis, (name, label) in zip(axes, labels.items(), strict=True):
        for record in runs:
            way, method = record["trajectory"], record["method"]
            if name in way:
                x, y = (np.asarray(way[key], dtype=float) for key in ("iteration", name))
                mark = {"label": method, **_LOOKS[method], "markersize": 4, "linewidth": 1.2}
                axis.plot(x + 1.0, y, **mark, markevery=(0.1, 0.25))
        axis.set(xscale="log", yscale="log", xlabel="iteration + 1", ylabel=label)
        if name in _FLOORS:
            axis.set_ylim(bottom=_FLOORS[name])
        if name == "radius":
            axis.axhline(1.0, color="black", linewidth=0.6)
    legend(figure, axes[:1], "lower", 3, size=9)
    return figure


def _draw_ends(runs: Runs) -> Figure:
    """Draw the last h of every method on every kind of data."""
    solved = need(runs.where(kind="solve"))
    floor = 1e-14
    methods = [m for m in METHODS if solved.where(method=m)]
    scales = solved.settings("scale")
    places = {1: (-0.22, "vermilion", "o"), -1: (0.0, "blue", "s"), 0: (0.22, "green", "^")}
    figure, axes = panels(len(scales), height=3.4)
    for axis, scale in zip(axes, scales, strict=True):
        for sign, (shift, colour, marker) in places.items():
            found = solved.where(sign=sign, scale=scale).but(lambda r: r["h"] is None)
            x = [max(h, floor) for h in found.all("h")]
            y = [methods.index(method) + shift for method in found.all("method")]
            mark: dict[str, Any] = {"color": COLOURS[colour], "label": SIGNS[sign]}
            axis.plot(x, y, marker, **mark, alpha=0.8, markersize=4)
        axis.axvline(FEASIBLE, color="black", linewidth=0.6, label=f"tolerance {short(FEASIBLE)}")
        axis.set(xscale="log", xlabel="h at the end (0 drawn at 1e-14)")
        axis.set_title(f"{scale} data")
        axis.set_xlim(0.3 * floor, 10.0)
        axis.set_yticks(range(len(methods)), methods if scale == "raw" else [""] * len(methods))
        axis.invert_yaxis()
    legend(figure, axes[:1], "lower", 4, size=9)
    return figure


def _raw(runs: Runs, methods: tuple[str, ...], sign: int = 1) -> Runs:
    """Return the runs of some methods on one kind of cycle, on the scale of the data."""
    return runs.where(kind="solve", sign=sign, scale="raw", method=methods)


def _who(runs: Runs) -> Verdict:
    family, baselines = need(_raw(runs, FAMILY)), need(_raw(runs, BASELINES))
    failed, succeeded = not any(family.all("feasible")), all(baselines.all("feasible"))
    progress = baselines.where(method=BASELINES[:2])
    fell = max(progress.values("reduction"), default=1.0)
    ahead = fell < min(family.values("reduction"), default=0.0)
    outcome = Outcome.judge(failed and succeeded, partly=failed and ahead)
    conclusion = {
        Outcome.CONFIRMED: "This is what the paper describes.",
        Outcome.CORRECTED: "The order that the paper describes is there, but "
        f"{baselines.share('infeasible')} baseline runs miss their tolerance as well, "
        f"and {baselines.share('is_dag')} return a DAG: they reduce the violation and do not "
        "remove it.",
        Outcome.NOT_CONFIRMED: "This is not what the paper describes.",
    }[outcome]
    ends = "; ".join(
        f"{r['method']} {r['ending']}, h = {short(r['h'])}"
        for r in family.plus(baselines).where(seed=family[0]["seed"])
    )
    exp, aac = (progress.where(method=method).span("radius") for method in BASELINES[:2])
    return Verdict(
        claim="On a near-cyclic graph (ρ(W∘W) = 0.999996, three nodes) the AHOC family does not "
        "converge, while AAC, EXP and DAGMA do (section 4.6, Experiment 4 and its figure).",
        printed="AHOC family fails; AAC and NOTEARS reduce the violation",
        measured=f"h within {short(FEASIBLE)}: AHOC family {family.share('feasible')} runs, "
        f"baselines {baselines.share('feasible')}",
        outcome=outcome,
        evidence=f"A cycle with positive weights, λ₁ = {LAM}, n = {N}, from W = 0. First seed: "
        f"{ends}. h fell from its largest value by factors {family.span('reduction')} in the AHOC "
        f"family and {progress.span('reduction')} for EXP and AAC. {conclusion} A small h is not "
        f"always a small cycle: ρ(W∘W), which is the same for all constraints, ends at {exp} for "
        f"EXP and {aac} for AAC, whose h also falls when ‖W‖_F grows, and at "
        f"{family.span('radius')} in the AHOC family.",
    )


def _robust(runs: Runs) -> Verdict:
    groups = [runs.where(kind="solve", method=methods) for methods in (FAMILY, BASELINES)]
    here = [need(_raw(group, METHODS)) for group in groups]
    family, baselines = (group.mean("feasible") for group in groups)
    better = family > baselines and here[0].mean("feasible") >= here[1].mean("feasible")
    return Verdict(
        claim="Results on near-cyclic graphs suggest robust performance in practice compared to "
        "the baselines (section 5, Theoretical Assumptions).",
        printed="no number; section 4.6 says the opposite",
        measured=f"h within {short(FEASIBLE)} on all data of this experiment: AHOC family "
        f"{groups[0].share('feasible')} runs, baselines {groups[1].share('feasible')}",
        outcome=Outcome.judge(better),
        evidence="Counted over all data that were run, the DAG included. The sentence in section 5 "
        "and the result in section 4.6 of the paper do not go together; what was measured agrees "
        f"with {'the former.' if better else 'the latter.'}",
    )


def _why(runs: Runs) -> Verdict:
    curved = {r["constraint"]: r.result for r in runs.where(kind="curvature")}
    family = {sign: _raw(runs, FAMILY, sign) for sign in SIGNS}
    need("S-AHOC" in curved and family[1] and family[-1])
    ours = curved["S-AHOC"]["condition"]
    barrier = curved["LogDet"]["condition"] if "LogDet" in curved else [None]
    grows = ours[-1] > 100.0 * ours[1]
    elsewhere = family[-1].plus(family[0])
    alone = not any(family[1].all("feasible")) and all(elsewhere.all("feasible"))
    described = "; ".join(
        f"{words}: AHOC family {found.share('feasible')}, with ρ(W∘W) at the end "
        f"{found.span('radius')}, baselines {_raw(runs, BASELINES, sign).share('feasible')}, "
        f"condition number of the covariance {found.span('condition')}, largest variance "
        f"{found.span('largest_variance')}"
        for sign, words in SIGNS.items()
        if (found := family[sign])
    )
    return Verdict(
        claim="The reason is curvature: as ρ(W∘W) → 1 the condition number of the Hessian of AHOC "
        "diverges (appendix on near-cyclic instability).",
        printed="no number",
        measured=f"condition number for S-AHOC on the cycle {short(ours[1])} at ρ = {RADII[1]} and "
        f"{short(ours[-1])} at ρ = {RADII[-1]}; for the log-determinant {short(barrier[-1])}",
        outcome=Outcome.judge(grows and alone, partly=grows),
        evidence="Along the scaled cycle the Hessian of S-AHOC on its edges has a norm of "
        f"{span(curved['S-AHOC']['norm'])} and a condition number of {span(ours)}; that of the "
        f"log-determinant has a condition number of {span(barrier)}. A cycle with one sign changed "
        "has the same W∘W, but det(I − W) = 1 − w₁w₂w₃ is 2 and not 6e-6. Runs that bring h within "
        f"tolerance, raw data: {described}. The Hessian of the loss is the covariance: what is "
        "ill-conditioned in this test is the data.",
    )


def _remedy(runs: Runs) -> Verdict:
    helped = need(_raw(runs, PATHS))
    paths, fixed, engine = (
        runs.where(kind="solve", method=methods) for methods in (PATHS, "SPG-AHOC", "daglock")
    )
    return Verdict(
        claim="Adjusting δ or α during the run may be what such cases need (section 5, Extreme "
        "Geometry).",
        printed="future work",
        measured=f"continuation, positive cycle, raw data: h within {short(FEASIBLE)} in "
        f"{helped.share('feasible')} runs; on all data {paths.share('feasible')}, fixed δ and α "
        f"{fixed.share('feasible')}",
        outcome=Outcome.judge(all(helped.all("feasible")), partly=any(helped.all("feasible"))),
        evidence=f"δ from {DELTAS[0]:g} to {short(DELTA)} in {len(DELTAS) + 1} outer iterations, "
        f"and α from {ALPHAS[0]:g} to {ALPHA:g} in {len(ALPHAS) + 1}. A DAG comes out of "
        f"{paths.share('is_dag')} runs with continuation and {fixed.share('is_dag')} without. The "
        f"engine returns a DAG whose certificate verifies on {engine.share('is_dag')} of these "
        f"tables; on cycles its SHD is {engine.that('sign').span('shd')} (empty graph 3, best "
        f"possible 1), and on {len(engine.that('warned'))} tables it says that the columns "
        "determine each other so nearly that a cause cannot be told.",
    )


EXPERIMENT = experiment(
    "near_cyclic",
    "Near-cyclic stress test (Experiment 4)",
    "Section 4.6, Experiment 4; appendices on near-cyclic instability and its plot",
    *(cases, run, tables),
    figures={
        "near_cyclic": partial(_draw_lines, {"h": "h(W)", "radius": "ρ(W∘W)", "norm": NORM}),
        "near_cyclic_lagrangian": partial(
            _draw_lines, {"lagrangian": "augmented Lagrangian", "penalty": "ρ, weight of h²/2"}
        ),
        "near_cyclic_ends": _draw_ends,
    },
    quantities=QUANTITIES,
    claims=[_who, _robust, _why, _remedy],
)
