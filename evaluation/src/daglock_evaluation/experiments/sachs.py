"""The Sachs data (section 4.5, Table 4): the paper's protocol, and a sound one.

The paper takes all 7466 rows, which stack nine experiments, most of them interventions, and does
not say which graph it scores against nor on which scale. The sound protocol takes the 853 rows of
the experiment without a targeted intervention. Both are scored against the two acyclic graphs in
use, with 17 and 20 edges, edge by edge and between equivalence classes, beside the empty graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from daglock.datasets import load_sachs
from daglock_evaluation.experiments.drawing import Figure, line, mark_of, ticks
from daglock_evaluation.experiments.evidence import Runs, experiment, grid, price, prose, table
from daglock_evaluation.experiments.experiment import (
    Case,
    Outcome,
    Quantities,
    Result,
    Verdict,
    point_of,
)
from daglock_evaluation.experiments.methods import Limits, result_of, run_method, stable_lam
from daglock_evaluation.harness.figures import COLOURS, legend, panels
from daglock_evaluation.harness.numbers import short
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods.paper import PAPER

SPG, ENGINE = "SPG-AHOC", "daglock"
BASELINES = ("EXP [Adam]", "AAC [Prox-LS]")
ROWS = {"pooled": "7466 rows", "observational": "853 rows"}
SWEPT = (*BASELINES, "AHOC [Prox-LS]", SPG)
# λ₁ by scale; raw variances reach 400,000, so that the paper's λ₁ are nearly nothing there.
GRID = {"standardised": (0.01, 0.05, 0.1, 0.5, 1.0), "raw": (0.5, 1.0)}
# DAGMA takes minutes where λ₁ is so large that its matrix tends to zero.
DAGMA_GRID = {"standardised": (0.01, 0.05, 0.1), "raw": (0.05,)}
BESIDE = (ENGINE, "daglock (equal)", "sortnregress", "FLOP", "dagma package", "empty graph")
# CPU seconds of one run; none should need them.
LIMIT = 60
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
EMPTY = 17  # edges that the empty graph misses


def cases(quick: bool) -> list[Case]:
    """Return both tables on both scales, or on one scale with fewer methods and λ₁."""
    found: list[Case] = []
    beside = tuple(m for m in BESIDE if not quick or m != "dagma package")
    swept = tuple(m for m in SWEPT if not quick or m != "AHOC [Prox-LS]")
    for data in ROWS:
        for scale in ("standardised",) if quick else ("standardised", "raw"):
            lams = (0.1, 1.0) if quick else GRID[scale]
            found += grid(data=data, scale=scale, method=beside, lam=None)
            found += grid(data=data, scale=scale, method=swept, lam=lams)
            if not quick:
                found += grid(data=data, scale=scale, method="DAGMA", lam=DAGMA_GRID[scale])
    return found


def run(case: Case) -> Result:
    """Run one method with one λ₁ on one of the tables."""
    sachs = load_sachs(case["data"])
    X = sachs.data - sachs.data.mean(axis=0)
    if case["scale"] == "standardised":
        X = X / X.std(axis=0)
    estimate = run_method(case["method"], X, lam=case["lam"], limits=Limits(cpu_seconds=LIMIT))
    truths = (np.asarray(truth, dtype=np.float64) for truth in (sachs.truth_17, sachs.truth_20))
    first, second = (result_of(estimate, truth) for truth in truths)
    other = {f"{name}_20": point_of(second).get(name) for name in ("shd", "shd_cut", "cpdag_shd")}
    return {**first, **other, "stable_lam": stable_lam(X)}


QUANTITIES: Quantities = {
    "least": lambda r: min(r["shd"], r["shd_cut"]),
    "table": lambda r: (list(ROWS).index(r["data"]), list(GRID).index(r["scale"])),
    "place": lambda r: ((*PAPER, *BESIDE).index(r["method"]), r["lam"] or 0.0),
}


def tables(runs: Runs) -> list[Table]:
    """Return one table for each data set and scale, and what others have published."""
    made = [_table(found) for found in runs.grouped("table") if found.where()]
    literature = [("method", "SHD"), *((name, str(shd)) for name, shd in LITERATURE.items())]
    note = (
        "As printed by their authors, who do not all count in the same way. The exact optimum of "
        "the linear-Gaussian BIC is scored between equivalence classes. The empty graph has 17."
    )
    published = Table("Figures from the literature: 853 rows, 17 edges", literature, note)
    return [*made, published]


def _table(found: Runs) -> Table:
    """Return the runs on one data set and scale, those that were skipped included."""
    data, scale = found[0]["data"], found[0]["scale"]

    def cell(name: str, one: Runs) -> str:
        value = one[0][name]
        if isinstance(value, bool):
            return "yes" if value else "no"
        return "–" if value is None else str(value)

    def paper(one: Runs) -> str:
        lam, shd, h = PRINTED.get(one[0]["method"], (0.0, 0, ""))
        same = data == "pooled" and lam == one[0]["lam"]
        return f"{shd} (h = {h})" if same else "–"

    counted = (
        *(("NNZ", "nnz"), ("DAG", "is_dag"), ("SHD to 17", "shd"), ("to 20", "shd_20")),
        *(("> 0.3: NNZ", "nnz_cut"), ("SHD to 17", "shd_cut"), ("to 20", "shd_cut_20")),
        *(("class SHD to 17", "cpdag_shd"), ("to 20", "cpdag_shd_20")),
    )
    return table(
        f"Sachs, {ROWS[data]}, {scale}",
        found.grouped("place"),
        ("method", "method"),
        ("λ₁", price),
        ("how it ended", lambda g: g[0]["ending"]),
        ("h", lambda g: g.span("h")),
        *((head, partial(cell, name)) for head, name in counted),
        ("paper prints", paper),
        note="“> 0.3”: after weights below 0.3 were dropped by hand. Class SHD: between "
        "equivalence classes, of the graph as it comes out or else after the cut; – where neither "
        "is acyclic. The paper's stability condition asks for λ₁ ≥ "
        f"{short(max(found.all('stable_lam')))}. sortnregress needs columns of different variance.",
    )


def _along_lam(runs: Runs) -> Figure:
    """Draw the SHD after the cut against λ₁, one panel for each table."""
    figure, axes = panels(2, height=3.4)
    standardised = runs.where(scale="standardised")
    drawn = standardised.where(method=(*SWEPT, "DAGMA")).all("shd_cut")
    drawn += standardised.where(method=ENGINE).all("shd")
    for axis, (data, name) in zip(axes, ROWS.items(), strict=True):
        axis.axhline(EMPTY, color=COLOURS["grey"], linestyle="--", label="empty graph")
        for k, method in enumerate((*SWEPT, "DAGMA")):
            found = standardised.where(data=data, method=method)
            points = sorted((r["lam"], r["shd_cut"]) for r in found)
            # apart, where values are equal
            line(axis, ((lam * 1.05 ** (k - 2), shd) for lam, shd in points), **mark_of(method))
        for shd in standardised.where(data=data, method=ENGINE).all("shd"):
            axis.axhline(shd, color="black", linewidth=1.2, label="daglock (no λ₁, no cut)")
        ticks(axis, sorted({r["lam"] for r in runs if r["lam"] is not None}))
        axis.set(xlabel="λ₁", title=f"{name}, standardised", ylim=(0, 1.05 * max([18, *drawn])))
    axes[0].set_ylabel("SHD to the 17 edges, cut at 0.3")
    legend(figure, axes[:1], "upper", 4)
    return figure


def _best(runs: Runs) -> dict[str, int]:
    """Return the best class SHD over λ₁ of each method, 853 rows, standardised, sorted."""
    known = runs.where(data="observational", scale="standardised")
    known = known.but(lambda r: r["cpdag_shd"] is None)
    methods = dict.fromkeys(known.all("method"))
    best = {m: min(known.where(method=m).all("cpdag_shd")) for m in methods}
    return dict(sorted(best.items(), key=lambda pair: pair[1]))


def _classes(runs: Runs) -> Figure:
    """Draw the best class SHD over λ₁ on 853 rows, and what others have published."""
    best = {name: value for name, value in _best(runs).items() if name != "empty graph"}
    figure, (axis,) = panels(1, height=0.9 + 0.24 * (len(best) + len(LITERATURE)))
    axis.axvline(EMPTY, color=COLOURS["grey"], linestyle="--", label="empty graph")
    for row, (name, value) in enumerate(best.items()):
        axis.plot(value, row, marker="o", color=mark_of(name)["color"], markersize=7)
    for row, value in enumerate(LITERATURE.values(), len(best)):
        axis.plot(value, row, marker="o", color="black", markerfacecolor="white", markersize=6)
    names = [*best, *(f"{name} (published)" for name in LITERATURE)]
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.set_xlim(0, 21)
    axis.set_xticks(range(0, 21, 5))
    axis.set_xlabel("distance to the class of the 17 edges, 853 rows, standardised; best over λ₁")
    axis.legend(loc="lower left")
    axis.grid(axis="y", visible=False)
    return figure


def _complete(runs: Runs) -> Runs:
    """Return all runs where those behind the claims are there."""
    printed = runs.where(data="pooled", scale="standardised", method=SPG, lam=1.0)
    return runs if printed and runs.where(data="observational", method=ENGINE) else Runs()


def _printed(runs: Runs) -> Verdict:
    reached = Runs(
        record
        for scale in ("standardised", "raw")
        for method, (lam, _, _) in PRINTED.items()
        for record in runs.where(data="pooled", scale=scale, method=method, lam=lam)
    )
    parts = [
        f"{r['method']}, λ₁ = {r['lam']:g}, {r['scale']}: {r['nnz']} non-zeros, SHD {r['shd']} / "
        f"{r['shd_20']} as it comes out, {r['shd_cut']} / {r['shd_cut_20']} after the cut at 0.3"
        for r in reached
    ]
    standardised = reached.where(scale="standardised")
    spg, rest = standardised.where(method=SPG), standardised.where(method=BASELINES)
    ours = min(spg.all("least"))
    match = bool(rest) and ours <= min(rest.all("least"))
    shown = "; ".join(f"{r['method']} {r['shd_cut']} / {r['shd_cut_20']}" for r in standardised)
    return Verdict(
        claim="On the Sachs data (7466 rows) SPG-AHOC with λ₁ = 1 has SHD 19, as good as the best "
        "baselines (section 4.5, Table 4).",
        printed="19 for EXP (λ₁ = 1), AAC (λ₁ = 0.5) and SPG-AHOC (λ₁ = 1)",
        measured=f"{shown} (17 / 20 edges, standardised, cut at 0.3); empty graph 17 / 20",
        outcome=Outcome.judge(match and ours < EMPTY, partly=match),
        evidence=prose(
            f"SHD to the graph with 17 and to that with 20 edges. {'. '.join(parts)}. ",
            spg[0]["nnz"] == 0
            and "On standardised columns λ₁ = 1 exceeds every correlation, and SPG-AHOC returns "
            "the empty graph it started from. ",
            "The paper does not say which graph it scores against; 19 is worse than the empty "
            "graph is against the 17 edges (17) and against the 18 of another version in use (18), "
            "which has a cycle and is not scored here.",
        ),
    )


def _acyclic(runs: Runs) -> Verdict:
    pooled = runs.where(data="pooled")
    spg = pooled.where(method=SPG)
    dags = spg.that("is_dag")
    full = dags.that("nnz")
    parts = [
        f"λ₁ = {r['lam']:g}, {r['scale']}: h = {short(r['h'])}, {r['nnz']} non-zeros" for r in spg
    ]
    others = [
        f"{m} h = {short(h)}"
        for m in BASELINES
        for h in pooled.where(scale="standardised", method=m, lam=PRINTED[m][0]).all("h")
    ]
    return Verdict(
        claim="On the Sachs data SPG-AHOC reaches h(W) = 0.0 while the baselines stay near the "
        "boundary (section 4.5, Table 4).",
        printed="h: SPG-AHOC 0.0, AAC 9.0e-9, EXP 1.5e-13",
        measured=f"{len(dags)} of {len(spg)} runs of SPG-AHOC give a DAG, {len(full)} of them with "
        "edges",
        outcome=Outcome.judge(len(full) == len(spg), partly=dags),
        evidence=prose(
            f"SPG-AHOC on 7466 rows: {'; '.join(parts)}. ",
            others and f"Baselines at the printed λ₁, standardised: {'; '.join(others)}. ",
            "h is exactly zero where the graph has no cycle; the empty graph has none.",
        ),
    )


def _state_of_the_art(runs: Runs) -> Verdict:
    best = _best(runs)
    ours, known = best.get(SPG, EMPTY), min(LITERATURE.values())
    won = ours <= known and all(ours <= best[m] for m in BASELINES if m in best)
    pooled = runs.where(data="pooled", scale="standardised", method=ENGINE)
    return Verdict(
        claim="SPG-AHOC is state of the art on real data (section 1, contributions; section 4.5).",
        printed="SHD 19",
        measured=f"853 rows, distance to the class of the 17 edges: SPG-AHOC {ours}, daglock "
        f"{best[ENGINE]}, best published {known}, empty graph {EMPTY}",
        outcome=Outcome.judge(won),
        evidence=prose(
            "853 rows of one experiment, standardised, best over λ₁ for the methods that have it "
            f"(chosen knowing the truth), distance between equivalence classes: {_listed(best)}. "
            "daglock and FLOP have no λ₁ to choose. Published for these rows: "
            f"{_listed(LITERATURE)}.",
            pooled
            and pooled[0]["cpdag_shd"] > EMPTY
            and f" On all 7466 rows daglock finds {pooled[0]['nnz']} edges and scores "
            f"{pooled[0]['cpdag_shd']}, worse than the empty graph: the table mixes interventions, "
            "which one graph for all rows does not describe.",
        ),
    )


def _listed(distances: Mapping[str, int]) -> str:
    """Write names with their distances."""
    return ", ".join(f"{name} {value}" for name, value in distances.items())


EXPERIMENT = experiment(
    "sachs",
    "Protein signalling: the Sachs data",
    "section 4.5, Table 4",
    *(cases, run, tables),
    figures={"sachs": _along_lam, "sachs_class": _classes},
    quantities=QUANTITIES,
    claims=[_printed, _acyclic, _state_of_the_art],
    judged_on=_complete,
)
