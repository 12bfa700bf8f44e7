"""What became of the claims on the sparse benchmark (section 4.3 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daglock_evaluation.experiments.experiment import Outcome, Record, Verdict
from daglock_evaluation.experiments.methods import SMALL_EPSILON
from daglock_evaluation.experiments.scoring import (
    average,
    matching,
    point_of,
    reaches_tolerance,
    spread,
)

BASELINES = ("EXP [Adam]", "AAC [Prox-LS]", "DAGMA")
SPG = "SPG-AHOC"
SMOOTHED = (SPG, SMALL_EPSILON)
AHOC = "AHOC [Prox-LS]"
# λ₁ = ‖∇L(0)‖∞, the smallest that meets the paper's condition of stability (Proposition 2.15).
STABLE = "stable"
# What Table 2 of the paper prints, by method and d; None where it prints "Fail".
PRINTED: Mapping[str, Mapping[int, int | None]] = {
    "EXP [Adam]": {50: 56, 100: 110},
    "AAC [Prox-LS]": {50: 48, 100: 105},
    "DAGMA": {50: 52, 100: 102},
    AHOC: {50: None, 100: None},
    SPG: {50: 50, 100: 100},
}
# Two SHDs agree when they differ by less than this share of the number of edges.
AGREE = 0.15


def verdicts(records: Sequence[Record]) -> list[Verdict]:
    """Judge the claims for the sizes that were run; none where a method is missing."""
    needed = (*BASELINES, AHOC, SPG, "empty graph", "daglock", "sortnregress")
    shown = [d for d in sizes(records) if all(matching(records, d=d, method=m) for m in needed)]
    if not shown:
        return []
    return [
        _baselines(records, shown),
        _state_of_the_art(records, shown),
        _stability(records, shown),
        _barrier(records, shown),
    ]


def sizes(records: Sequence[Record]) -> list[int]:
    """Return the sizes d that were run."""
    return sorted({record.case["d"] for record in records})


def best(records: Sequence[Record], method: str, d: int, name: str) -> list[float]:
    """Return the best number over the grid, one for each graph."""
    by_seed: dict[int, list[float]] = {}
    for record in matching(records, method=method, d=d, standardised=False):
        by_seed.setdefault(record.case["seed"], []).append(point_of(record.result)[name])
    return [min(numbers) for _, numbers in sorted(by_seed.items())]


def _baselines(records: Sequence[Record], shown: Sequence[int]) -> Verdict:
    """Judge whether the printed SHDs of the baselines are what these methods score."""
    gaps, gaps_turned, lines = [], [], []
    for d in shown:
        parts = []
        for method in BASELINES:
            right = best(records, method, d, "shd_cut")
            turned = best(records, method, d, "shd_cut_transposed")
            value = PRINTED[method].get(d)
            reference = d if value is None else value  # sizes that the paper did not run: d, as all
            gaps.append(abs(average(right) - reference) / d)
            gaps_turned.append(abs(average(turned) - reference) / d)
            parts.append(f"{method} {spread(right)} against W, {spread(turned)} against Wᵀ")
        lines.append(f"d = {d}: " + "; ".join(parts))
    outcome = Outcome.judge(max(gaps) <= AGREE, partly=max(gaps_turned) <= AGREE)
    unprinted = (
        "" if set(shown) <= {50, 100} else " For sizes that it does not have, d stands for them."
    )
    return Verdict(
        claim="On sparse graphs with e = d edges the baselines EXP, AAC and DAGMA are left with "
        "an SHD of about d at their best λ₁ (section 4.3, Table 2).",
        printed="d = 50: 56, 48, 52; d = 100: 110, 105, 102",
        measured="; ".join(
            f"d = {d}: "
            + ", ".join(f"{average(best(records, m, d, 'shd_cut')):.3g}" for m in BASELINES)
            + " against W, "
            + ", ".join(
                f"{average(best(records, m, d, 'shd_cut_transposed')):.3g}" for m in BASELINES
            )
            + " against Wᵀ"
            for d in shown
        ),
        outcome=outcome,
        evidence="The same methods on the same kind of data, weights below 0.3 dropped, best over "
        f"the grid of λ₁ for each graph. {'. '.join(lines)}. The printed values differ from the "
        f"SHD against the transpose by at most {max(gaps_turned):.0%} of the number of edges, and "
        f"from that against the true graph by up to {max(gaps):.0%}. Section 4.1 draws data from "
        "X = XWᵀ + Z, where W[i, j] is an effect of j on i; least squares on X − XW estimates the "
        "other orientation. A perfect estimate that is compared with W itself then has every edge "
        "reversed, which counts d. The paper does not say which matrix its SHD compares; this "
        f"would explain its values.{unprinted}",
    )


def _state_of_the_art(records: Sequence[Record], shown: Sequence[int]) -> Verdict:
    """Judge whether SPG-AHOC is as good as the best of the others."""
    parts, short, beaten = [], [], False
    for d in shown:
        variants = [m for m in SMOOTHED if best(records, m, d, "shd")]
        kinds = [(m, kind) for m in variants for kind in ("shd", "shd_cut")]
        ours = min(average(best(records, m, d, kind)) for m, kind in kinds)
        others = {m: average(best(records, m, d, "shd_cut")) for m in BASELINES}
        beaten = beaten or ours > min(others.values())
        spg = "; ".join(
            f"{m} {spread(best(records, m, d, 'shd'))} as it comes out and "
            f"{spread(best(records, m, d, 'shd_cut'))} after the cut at 0.3"
            for m in variants
        )
        baselines = ", ".join(f"{m} {value:.3g}" for m, value in others.items())
        beside = ", ".join(
            f"{m} {spread(best(records, m, d, 'shd'))}"
            for m in ("daglock", "sortnregress", "empty graph")
        )
        parts.append(f"d = {d}: {spg}; {baselines} after the cut; {beside}")
        daglock = average(best(records, "daglock", d, "shd"))
        short.append(
            f"d = {d}: SPG-AHOC {ours:.3g}, best baseline {min(others.values()):.3g}, "
            f"daglock {daglock:.3g}, empty graph {d}"
        )
    settled = [
        (record.case["d"], point_of(record.result))
        for method in SMOOTHED
        for record in matching(records, method=method)
        if record.case["d"] in shown and reaches_tolerance(record.result)
    ]
    standardised = [
        record
        for d in shown
        for record in matching(records, method=SPG, d=d, lam=1.0, standardised=True)
    ]
    n_rest = sum(point_of(record.result)["nnz"] == 0 for record in standardised)
    n_empty = sum(point["nnz"] == 0 for _, point in settled)
    n_better = sum(point["shd"] < d for d, point in settled)
    return Verdict(
        claim="SPG-AHOC reaches the best SHD at d = 100 and a competitive one at d = 50: it is "
        "state of the art (section 4.3, Table 2).",
        printed="SPG-AHOC 50 (d = 50) and 100 (d = 100, the best of the table)",
        measured="; ".join(short),
        outcome=Outcome.NOT_CONFIRMED if beaten else Outcome.CONFIRMED,
        evidence="Best SHD over λ₁ against the true graph; SPG-AHOC at its best over two readings "
        f"of ε, with and without the cut. {'. '.join(parts)}. Of the {len(settled)} runs of "
        f"SPG-AHOC that end with h ≤ 1e-8, {n_empty} return the empty graph and {n_better} one "
        "with a smaller SHD than the empty graph has. The printed 50 and 100 are the numbers of "
        "edges, which is what the empty graph scores. With λ₁ = 1 on standardised columns "
        f"SPG-AHOC returned the empty graph in {n_rest} of {len(standardised)} runs.",
    )


def _stability(records: Sequence[Record], shown: Sequence[int]) -> Verdict:
    """Judge where along λ₁ SPG-AHOC converges, and to what."""
    parts, early, late, n_large, n_better = [], 0, 0, 0, 0
    runs = [r for d in shown for r in matching(records, method=SPG, d=d, standardised=False)]
    lams = sorted({r.case["lam"] for r in runs if r.case["lam"] != STABLE})
    for d in shown:
        for lam in [*lams, STABLE]:
            at = [r for r in runs if r.case["lam"] == lam and r.case["d"] == d]
            if not at:
                continue
            done = [r for r in at if reaches_tolerance(r.result)]
            points = [point_of(r.result) for r in at]
            if lam == STABLE or lam >= 1.0:
                late, n_large = late + len(done), n_large + len(at)
            else:
                early += len(done)
            n_better += sum(point_of(r.result)["shd"] < d for r in done)
            label = "‖∇L(0)‖∞" if lam == STABLE else f"{lam:g}"
            parts.append(
                f"d = {d}, λ₁ = {label}: h ≤ 1e-8 in {len(done)} of {len(at)} runs, "
                f"{spread([point['nnz'] for point in points])} non-zeros, "
                f"{sum(point['is_dag'] for point in points)} acyclic"
            )
    lam_min = spread([r.result["stable_lam"] for r in runs])
    only_late = late and not early
    outcome = Outcome.judge(only_late and late == n_large and n_better, partly=only_late)
    meaning = (
        ""
        if n_better
        else " No run that converges has a smaller SHD than the empty graph: what "
        "the condition keeps stable is the start, W = 0."
    )
    return Verdict(
        claim="SPG-AHOC converges only for λ₁ ≥ 1.0, which is taken to validate the stability "
        "condition λ₁ ≥ ‖∇L(0)‖∞ (section 4.3, Proposition 2.15).",
        printed="converged for λ₁ ≥ 1.0 only",
        measured=f"{early} runs with λ₁ < 1 converged, {late} of {n_large} with λ₁ ≥ 1; "
        f"‖∇L(0)‖∞ = {lam_min}",
        outcome=outcome,
        evidence=f"Converged means an exact h of at most 1e-8. {'. '.join(parts)}. On these data "
        f"the condition asks for λ₁ ≥ {lam_min}.{meaning}",
    )


def _barrier(records: Sequence[Record], shown: Sequence[int]) -> Verdict:
    """Judge whether the hybrid core fails, and whether smoothing helps."""
    runs = {
        m: [r for d in shown for r in matching(records, method=m, d=d, standardised=False)]
        for m in (AHOC, SPG)
    }
    below = {m: [r for r in found if r.case["lam"] != STABLE] for m, found in runs.items()}
    at_rest = [r for r in runs[AHOC] if r.case["lam"] == STABLE]
    failed = {m: [r for r in found if not _is_answer(r)] for m, found in below.items()}
    stalled = sum(r.result["status"] == "line_search_stalled" for r in failed[AHOC])
    rested = sum(_is_answer(r) for r in at_rest)
    helped = len(failed[SPG]) < len(below[SPG])
    fails = len(failed[AHOC]) >= 0.9 * len(below[AHOC])
    outcome = Outcome.judge(fails and helped and not rested, partly=fails)
    return Verdict(
        claim="AHOC with Prox-LS fails completely because its core is not smooth; smoothing the "
        "core removes this barrier (section 4.3, Remark 2.9).",
        printed="AHOC [Prox-LS]: Fail, Fail; SPG-AHOC: converged",
        measured=f"λ₁ < ‖∇L(0)‖∞: AHOC fails in {len(failed[AHOC])} of {len(below[AHOC])} runs, "
        f"SPG-AHOC in {len(failed[SPG])} of {len(below[SPG])}",
        outcome=outcome,
        evidence="A run fails when it ends with h above 1e-8 or with a cycle in its support. Of "
        f"the {len(below[AHOC])} runs of AHOC with λ₁ below ‖∇L(0)‖∞ {len(failed[AHOC])} failed, "
        f"{stalled} of them because no step of the line search decreased the objective. With the "
        f"smoothed core {len(failed[SPG])} of {len(below[SPG])} failed. At λ₁ = ‖∇L(0)‖∞ AHOC "
        f"without smoothing ended at a DAG in {rested} of {len(at_rest)} runs: the empty one, "
        "which SPG-AHOC returns as well.",
    )


def _is_answer(record: Record) -> bool:
    """Whether a run ended within tolerance at a DAG."""
    return reaches_tolerance(record.result) and bool(point_of(record.result)["is_dag"])
