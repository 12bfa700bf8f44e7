"""What became of the claims on the Sachs data (section 4.5 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from daglock_evaluation.experiments.experiment import Outcome, Record, Verdict
from daglock_evaluation.experiments.phrases import short
from daglock_evaluation.experiments.scoring import matching, point_of

SPG = "SPG-AHOC"
BASELINES = ("EXP [Adam]", "AAC [Prox-LS]")
ENGINE = "daglock"
# Table 4: λ₁, SHD and h by method.
PRINTED: Mapping[str, tuple[float, int, str]] = {
    "EXP [Adam]": (1.0, 19, "1.5e-13"),
    "AAC [Prox-LS]": (0.5, 19, "9.0e-9"),
    SPG: (1.0, 19, "0.0"),
}
# Published for the 853 rows against the 17 edges, as printed by the authors.
LITERATURE = {
    "exact BIC optimum": 11,
    "RL-BIC2": 11,
    "CAM": 12,
    "GraN-DAG": 13,
    "DirectLiNGAM": 14,
    "DAG-GNN": 16,
    "NOTEARS": 19,
}
# The empty graph misses all edges of a truth.
EMPTY = {17: 17, 20: 20}


def verdicts(records: Sequence[Record]) -> list[Verdict]:
    """Judge the claims; none where the runs behind them are missing."""
    printed = matching(records, data="pooled", scale="standardised", method=SPG, lam=1.0)
    if not printed or not matching(records, data="observational", method=ENGINE):
        return []
    return [_printed(records), _acyclic(records), _state_of_the_art(records)]


def _printed(records: Sequence[Record]) -> Verdict:
    """Judge the SHD of 19 at the printed λ₁, all 7466 rows."""
    parts, reached = [], []
    for scale in ("standardised", "raw"):
        for method, (lam, _, _) in PRINTED.items():
            at = {"data": "pooled", "scale": scale, "method": method, "lam": lam}
            for record in matching(records, **at):
                point = point_of(record.result)
                reached.append((method, scale, point))
                parts.append(
                    f"{method}, λ₁ = {lam:g}, {scale}: {point['nnz']} non-zeros, SHD "
                    f"{point['shd']} / {point['shd_20']} as it comes out, {point['shd_cut']} / "
                    f"{point['shd_cut_20']} after the cut at 0.3"
                )
    spg = [point for method, scale, point in reached if method == SPG and scale == "standardised"]
    rest = [point for method, scale, point in reached if method != SPG and scale == "standardised"]
    ours, empty = _least(spg), spg[0]["nnz"] == 0
    match = bool(rest) and ours <= min(_least([point]) for point in rest)
    outcome = Outcome.judge(match and ours < EMPTY[17], partly=match)
    return Verdict(
        claim="On the Sachs data (7466 rows) SPG-AHOC with λ₁ = 1 has SHD 19, as good as the best "
        "baselines (section 4.5, Table 4).",
        printed="19 for EXP (λ₁ = 1), AAC (λ₁ = 0.5) and SPG-AHOC (λ₁ = 1)",
        measured="; ".join(
            f"{method} {point['shd_cut']} / {point['shd_cut_20']}"
            for method, scale, point in reached
            if scale == "standardised"
        )
        + " (17 / 20 edges, standardised, cut at 0.3); empty graph 17 / 20",
        outcome=outcome,
        evidence=f"SHD to the graph with 17 and to that with 20 edges. {'. '.join(parts)}. "
        + (
            "On standardised columns λ₁ = 1 exceeds every correlation, and SPG-AHOC returns the "
            "empty graph it started from. "
            if empty
            else ""
        )
        + "The paper does not say which graph it scores against; 19 is worse than the empty graph "
        "is against the 17 edges (17) and against the 18 of another version in use (18), which "
        "has a cycle and is not scored here.",
    )


def _least(points: Sequence[Mapping[str, Any]]) -> int:
    """Return the smallest SHD to the 17 edges, with or without the cut."""
    return min(int(min(point["shd"], point["shd_cut"])) for point in points)


def _acyclic(records: Sequence[Record]) -> Verdict:
    """Judge the claim that h is 0.0 where the baselines stay above it."""
    runs = matching(records, data="pooled", method=SPG)
    dags = [r for r in runs if point_of(r.result)["is_dag"]]
    full = [r for r in dags if point_of(r.result)["nnz"]]
    parts = [
        f"λ₁ = {r.case['lam']:g}, {r.case['scale']}: h = {short(point_of(r.result)['h'])}, "
        f"{point_of(r.result)['nnz']} non-zeros"
        for r in runs
    ]
    others = [
        f"{r.case['method']} h = {short(point_of(r.result)['h'])}"
        for m in BASELINES
        for r in matching(records, data="pooled", scale="standardised", method=m)
        if r.case["lam"] == PRINTED[m][0]
    ]
    outcome = Outcome.judge(len(full) == len(runs), partly=dags)
    return Verdict(
        claim="On the Sachs data SPG-AHOC reaches h(W) = 0.0 while the baselines stay near the "
        "boundary (section 4.5, Table 4).",
        printed="h: SPG-AHOC 0.0, AAC 9.0e-9, EXP 1.5e-13",
        measured=f"{len(dags)} of {len(runs)} runs of SPG-AHOC give a DAG, {len(full)} of them "
        "with edges",
        outcome=outcome,
        evidence=f"SPG-AHOC on 7466 rows: {'; '.join(parts)}. "
        + (f"Baselines at the printed λ₁, standardised: {'; '.join(others)}. " if others else "")
        + "h is exactly zero where the graph has no cycle; the empty graph has none.",
    )


def _state_of_the_art(records: Sequence[Record]) -> Verdict:
    """Judge the claim of state-of-the-art accuracy on real data, by the sound protocol."""
    best: dict[str, int] = {}
    for record in matching(records, data="observational", scale="standardised"):
        value = point_of(record.result).get("cpdag_shd")
        if value is not None:
            name = record.case["method"]
            best[name] = min(value, best.get(name, value))
    ours = best.get(SPG, EMPTY[17])
    known = min(LITERATURE.values())
    won = ours <= known and all(ours <= best[m] for m in BASELINES if m in best)
    listed = ", ".join(f"{name} {value}" for name, value in sorted(best.items(), key=_by_value))
    pooled = [
        point_of(r.result)
        for r in matching(records, data="pooled", scale="standardised", method=ENGINE)
    ]
    mixed = (
        f" On all 7466 rows daglock finds {pooled[0]['nnz']} edges and scores "
        f"{pooled[0]['cpdag_shd']}, worse than the empty graph: the table mixes interventions, "
        "which one graph for all rows does not describe."
        if pooled and pooled[0]["cpdag_shd"] > EMPTY[17]
        else ""
    )
    return Verdict(
        claim="SPG-AHOC is state of the art on real data (section 1, contributions; section 4.5).",
        printed="SHD 19",
        measured=f"853 rows, distance to the class of the 17 edges: SPG-AHOC {ours}, daglock "
        f"{best[ENGINE]}, best published {known}, empty graph {EMPTY[17]}",
        outcome=Outcome.CONFIRMED if won else Outcome.NOT_CONFIRMED,
        evidence="853 rows of one experiment, standardised, best over λ₁ for the methods that have "
        f"it (chosen knowing the truth), distance between equivalence classes: {listed}. daglock "
        "and FLOP have no λ₁ to choose. Published for these rows: "
        f"{', '.join(f'{name} {value}' for name, value in LITERATURE.items())}.{mixed}",
    )


def _by_value(pair: tuple[str, int]) -> int:
    return pair[1]
