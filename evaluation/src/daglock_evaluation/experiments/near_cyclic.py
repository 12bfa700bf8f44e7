"""Experiment 4: data from a cycle with ρ(W∘W) just below one.

ρ(W∘W) is the same for a cycle of three positive weights and for one with a sign changed, but the
data are not: X = Z (I − W)⁻¹ and det(I − W) = 1 − w₁w₂w₃, which is 6e-6 for the one and 2 for the
other. Both are run, on the scale of the data and standardised, and so is the same graph without
one of its edges, a plain DAG: what comes from the near-cycle can then be told from what comes from
the scale and from what is always so. Of a true cycle the best DAG leaves out one of three edges
(SHD 1), the empty graph all (SHD 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from daglock_evaluation.experiments.experiment import Experiment, Outcome, Record, Verdict
from daglock_evaluation.experiments.methods import ALPHA, DELTA
from daglock_evaluation.experiments.near_cyclic_figures import figures
from daglock_evaluation.experiments.near_cyclic_runs import (
    ALPHAS,
    BASELINES,
    DELTAS,
    FAMILY,
    FEASIBLE,
    LAM,
    METHODS,
    PATHS,
    RADII,
    SIGNS,
    N,
    cases,
    feasible,
    run,
    solves,
)
from daglock_evaluation.experiments.phrases import share, short, span
from daglock_evaluation.publish.tables import Table


def tables(records: Sequence[Record]) -> list[Table]:
    """Return how each method ended, and the curvatures."""
    head = ("cycle", "data", "method", "status", "DAG", "h", "ρ(W∘W)", "SHD", "steps")
    rows: list[Sequence[str]] = [head]
    for sign, words in SIGNS.items():
        for scale in ("raw", "standardised"):
            for method in METHODS:
                found = [r.result for r in solves(records, sign, scale, [method])]
                if not found:
                    continue
                rows.append(
                    (
                        words,
                        scale,
                        method,
                        ", ".join(sorted({r["status"].replace("_", " ") for r in found})),
                        share(r["is_dag"] for r in found),
                        span(r["h"] for r in found),
                        span(r["radius"] for r in found),
                        span(r["shd"] for r in found),
                        span(r.get("n_iter") for r in found),
                    )
                )
    note = (
        "h is each method's own constraint, without smoothing. SHD of the empty graph: 3; of the "
        "best DAG: 1; with one edge removed 2 and 0. 'a of b' counts seeds, 'a to b' spans them."
    )
    made = [Table("Data from a near-cyclic graph, three nodes, λ₁ = 0.1", rows, note)]
    curved = [r for r in records if r.case["kind"] == "curvature"]
    if curved:
        body = [(r.case["constraint"], *(short(c) for c in r.result["condition"])) for r in curved]
        top = ("constraint", *(f"ρ = {radius}" for radius in RADII))
        title = "Condition number of the Hessian of h on the edges of the cycle"
        made.append(Table(title, [top, *body]))
    return made


def _reduction(records: Sequence[Record]) -> list[float]:
    """Return by which factor h fell from its largest value."""
    return [r.result["h"] / r.result["h_largest"] for r in records if r.result["h"] is not None]


def verdicts(records: Sequence[Record]) -> list[Verdict]:
    """Judge who converges, why, and whether continuation helps."""
    made = []
    family, baselines = solves(records, 1, "raw", FAMILY), solves(records, 1, "raw", BASELINES)
    if family and baselines:
        made += [_who(family, baselines), _robust(records, family, baselines)]
    curved = {r.case["constraint"]: r for r in records if r.case["kind"] == "curvature"}
    if family and "S-AHOC" in curved and solves(records, -1, "raw", FAMILY):
        made.append(_why(records, curved))
    paths = solves(records, 1, "raw", PATHS)
    if paths:
        made.append(_remedy(records, paths))
    return made


def _who(family: Sequence[Record], baselines: Sequence[Record]) -> Verdict:
    failed = not any(map(feasible, family))
    succeeded = all(map(feasible, baselines))
    progress = [r for r in baselines if r.case["method"] != "DAGMA"]
    ahead = max(_reduction(progress), default=1.0) < min(_reduction(family), default=0.0)
    outcome, conclusion = Outcome.NOT_CONFIRMED, "This is not what the paper describes."
    if failed and succeeded:
        outcome, conclusion = Outcome.CONFIRMED, "This is what the paper describes."
    elif failed and ahead:
        outcome = Outcome.CORRECTED
        conclusion = (
            "The order that the paper describes is there, but "
            f"{share(not feasible(r) for r in baselines)} baseline runs miss their tolerance as "
            f"well, and {share(r.result['is_dag'] for r in baselines)} return a DAG: they reduce "
            "the violation and do not remove it."
        )
    ends = "; ".join(
        f"{r.case['method']} {r.result['status'].replace('_', ' ')}, h = {short(r.result['h'])}"
        for r in [*family, *baselines]
        if r.case["seed"] == family[0].case["seed"]
    )
    return Verdict(
        claim="On a near-cyclic graph (ρ(W∘W) = 0.999996, three nodes) the AHOC family does not "
        "converge, while AAC, EXP and DAGMA do (section 4.6, Experiment 4 and its figure).",
        printed="AHOC family fails; AAC and NOTEARS reduce the violation",
        measured=f"h within {short(FEASIBLE)}: AHOC family {share(map(feasible, family))} runs, "
        f"baselines {share(map(feasible, baselines))}",
        outcome=outcome,
        evidence=f"A cycle with positive weights, λ₁ = {LAM}, n = {N}, from W = 0. First seed: "
        f"{ends}. h fell from its largest value by factors {span(_reduction(family))} in the AHOC "
        f"family and {span(_reduction(progress))} for EXP and AAC. {conclusion} A small h is not "
        "always a small cycle: ρ(W∘W), which is the same for all constraints, ends at "
        f"{_radius(progress, 'EXP [Adam]')} for EXP and {_radius(progress, 'AAC [Prox-LS]')} for "
        f"AAC, whose h also falls when ‖W‖_F grows, and at {_radius(family, *FAMILY)} in the AHOC "
        "family.",
    )


def _radius(records: Sequence[Record], *methods: str) -> str:
    """Write ρ(W∘W) at the end for some methods."""
    return span(r.result["radius"] for r in records if r.case["method"] in methods)


def _robust(
    records: Sequence[Record], family: Sequence[Record], baselines: Sequence[Record]
) -> Verdict:
    everywhere = {
        name: [feasible(r) for r in solves(records, methods=methods)]
        for name, methods in (("family", FAMILY), ("baselines", BASELINES))
    }
    rate = {name: np.mean(flags) for name, flags in everywhere.items()}
    here = np.mean([feasible(r) for r in family]) - np.mean([feasible(r) for r in baselines])
    better = rate["family"] > rate["baselines"] and here >= 0
    return Verdict(
        claim="Results on near-cyclic graphs suggest robust performance in practice compared to "
        "the baselines (section 5, Theoretical Assumptions).",
        printed="no number; section 4.6 says the opposite",
        measured=f"h within {short(FEASIBLE)} on all data of this experiment: AHOC family "
        f"{share(everywhere['family'])} runs, baselines {share(everywhere['baselines'])}",
        outcome=Outcome.CONFIRMED if better else Outcome.NOT_CONFIRMED,
        evidence="Counted over all data that were run, the DAG included. The "
        "sentence in section 5 and the result in section 4.6 of the paper do not go together; "
        "what was measured agrees with " + ("the former." if better else "the latter."),
    )


def _why(records: Sequence[Record], curved: Mapping[str, Record]) -> Verdict:
    at = {name: r.result["condition"] for name, r in curved.items()}
    ours, barrier = at["S-AHOC"], at.get("LogDet", [None])
    family = {sign: solves(records, sign, "raw", FAMILY) for sign in SIGNS}
    rest = {sign: solves(records, sign, "raw", BASELINES) for sign in SIGNS}
    grows = ours[-1] > 100.0 * ours[1]
    alone = not any(map(feasible, family[1])) and all(map(feasible, family[-1] + family[0]))
    outcome = Outcome.judge(grows and alone, partly=grows)
    described = "; ".join(
        f"{words}: AHOC family {share(map(feasible, family[sign]))}, with ρ(W∘W) at the end "
        f"{span(r.result['radius'] for r in family[sign])}, baselines "
        f"{share(map(feasible, rest[sign]))}, condition number of the covariance "
        f"{span(r.result['condition'] for r in family[sign])}, largest variance "
        f"{span(r.result['largest_variance'] for r in family[sign])}"
        for sign, words in SIGNS.items()
        if family[sign]
    )
    return Verdict(
        claim="The reason is curvature: as ρ(W∘W) → 1 the condition number of the Hessian of "
        "AHOC diverges (appendix on near-cyclic instability).",
        printed="no number",
        measured=f"condition number for S-AHOC on the cycle {short(ours[1])} at ρ = {RADII[1]} "
        f"and {short(ours[-1])} at ρ = {RADII[-1]}; for the log-determinant {short(barrier[-1])}",
        outcome=outcome,
        evidence="Along the scaled cycle the Hessian of S-AHOC on its edges has a norm of "
        f"{span(curved['S-AHOC'].result['norm'])} and a condition number of {span(ours)}; that of "
        f"the log-determinant has a condition number of {span(barrier)}. A cycle with one sign "
        "changed has the same W∘W, but det(I − W) = 1 − w₁w₂w₃ is 2 and not 6e-6. Runs that "
        f"bring h within tolerance, raw data: {described}. The Hessian of the loss is the "
        "covariance: what is ill-conditioned in this test is the data.",
    )


def _remedy(records: Sequence[Record], paths: Sequence[Record]) -> Verdict:
    helped, all_paths = list(map(feasible, paths)), solves(records, methods=PATHS)
    outcome = Outcome.judge(all(helped), partly=any(helped))
    fixed = solves(records, methods=["SPG-AHOC"])
    engine = solves(records, methods=["daglock"])
    said = [r for r in engine if r.result["warned"]]
    return Verdict(
        claim="Adjusting δ or α during the run may be what such cases need (section 5, Extreme "
        "Geometry).",
        printed="future work",
        measured=f"continuation, positive cycle, raw data: h within {short(FEASIBLE)} in "
        f"{share(helped)} runs; on all data {share(map(feasible, all_paths))}, fixed δ and α "
        f"{share(map(feasible, fixed))}",
        outcome=outcome,
        evidence=f"δ from {DELTAS[0]:g} to {short(DELTA)} in {len(DELTAS) + 1} outer iterations, "
        f"and α from {ALPHAS[0]:g} to {ALPHA:g} in {len(ALPHAS) + 1}. A DAG comes out of "
        f"{share(r.result['is_dag'] for r in all_paths)} runs with continuation and "
        f"{share(r.result['is_dag'] for r in fixed)} without. The engine returns a DAG whose "
        f"certificate verifies on {share(r.result['is_dag'] for r in engine)} of these tables; on "
        f"cycles its SHD is {span(r.result['shd'] for r in engine if r.case['sign'])} (empty graph "
        f"3, best possible 1), and on {len(said)} tables it says that the columns determine each "
        "other so nearly that a cause cannot be told.",
    )


EXPERIMENT = Experiment(
    name="near_cyclic",
    title="Near-cyclic stress test (Experiment 4)",
    source="Section 4.6, Experiment 4; appendices on near-cyclic instability and its plot",
    cases=cases,
    run=run,
    tables=tables,
    figures=figures,
    verdicts=verdicts,
    smallest=(
        {"kind": "curvature", "constraint": "S-AHOC"},
        {
            "kind": "solve",
            "method": "SPG-AHOC",
            "max_inner": 20,
            "sign": 1,
            "scale": "raw",
            "seed": 0,
            "lam": LAM,
            "n": N,
        },
    ),
)
