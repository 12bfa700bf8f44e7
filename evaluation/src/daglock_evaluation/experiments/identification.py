"""Finite-time identification: when the support stops changing, and whether it is the true one.

K is the first iteration from which on the support is the same in every later one. Beside it: the
assumptions of the recovery theorem on every synthetic data set of the reproduction, one step from
the true support, and the paper's picture of two weights, drawn from real runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from daglock_evaluation.experiments.drawing import MARKS, Figure, look
from daglock_evaluation.experiments.evidence import Runs, experiment, need, table
from daglock_evaluation.experiments.experiment import Quantities, Record
from daglock_evaluation.experiments.identification_claims import (
    CLAIMS,
    critical_radius,
    evaluated_runs,
)
from daglock_evaluation.experiments.identification_runs import (
    DELTA_GRID,
    ER_SIZES,
    PLACES,
    PORTRAIT,
    STAR_LAMS,
    cases,
    run,
)
from daglock_evaluation.harness.figures import COLOURS, legend, panels
from daglock_evaluation.harness.numbers import short, span
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods.paper import SMALL_EPSILON

_LOOKS: dict[str, dict[str, Any]] = {
    **MARKS,
    "ProxLinear": look("black", "p"),
    "ProxLinear, L1": look("grey", "p"),
    "ProxLinear, MCP": look("black", "p"),
    SMALL_EPSILON: look("sky", "P"),
}


QUANTITIES: Quantities = {
    "true": lambda r: r["shd"] == 0,
    "broken": lambda r: r["status"] in ("line_search_stalled", "numerical_failure", "left_domain"),
    "near": lambda r: r["shd_cut"] < 0.15 * r["d"],
    "full": lambda r: r["nnz"] == r["d"] * (r["d"] - 1),
    "zeros": lambda r: 1.0 - r["nnz"] / (r["d"] * (r["d"] - 1)),
    "last_forward": lambda r: r["end"][0],  # the weights of 0 → 1 and of 1 → 0
    "last_reverse": lambda r: abs(r["end"][1]),
    "no_reverse": lambda r: not r["last_reverse"],
    "holds": lambda r: _positive(r["raw.gamma"]),
    "holds_standardised": lambda r: _positive(r["standardised.gamma"]),
    "holds_before": lambda r: _positive(r["raw.gamma_before"]),
    # the λ₁ that is needed over the one that beta-min allows
    "excess": lambda r: r["raw.force"] / r["raw.largest_lam"],
    "excess_standardised": lambda r: r["standardised.force"] / r["standardised.largest_lam"],
    "reversed_share": lambda r: r["population.spg.reversed"] / r["population.edges"],
}


def tables(runs: Runs) -> list[Table]:
    """Return supports along the way, the assumptions, steps from the truth, two variables."""

    def stop(found: Runs) -> str:
        unit = " stages" if found[0]["method"] == "daglock" else ""
        return f"{found[0]['K']} of {found[0]['n_iter']}{unit}"

    def star(lam: str, place: str, found: Runs) -> str:
        kept = [delta for record in found for delta in record["kept"][lam][place]]
        n = sum(critical_radius(record, lam, place) is not None for record in found)
        return f"{n} of {len(found)}; {span(kept)}" if kept else "none"

    def one(record: Record, kind: str) -> Record:
        return Record({"kind": kind, "d": record["d"]}, record[kind])

    return [
        table(
            "When the support stops changing",
            runs.where(kind="trajectory").each(),
            *((name, name) for name in ("d", "seed", "method")),
            ("λ₁", lambda g: g.span("lam")),
            ("status", lambda g: g[0]["ending"]),
            ("DAG", lambda g: "yes" if g[0]["is_dag"] else "no"),
            ("K of steps", stop),
            ("non-zeros", "nnz"),
            ("SHD", "shd"),
            ("least SHD on the way", lambda g: g.spread("shd_best", 9)),
            ("signs", lambda g: "all right" if g[0]["signs"] else "not all"),
            ("|w| > 0.3: K", lambda g: g.spread("K_cut", 9)),
            ("SHD after it", lambda g: g.spread("shd_cut", 9)),
            ("empty", "shd_empty"),
            note="K is the first step from which on the support does not change; where it is the "
            "number of steps, it changed in the last one. 'Signs' asks for zeros where the truth "
            "is zero. The engine counts the values of μ in its continuous stage; its SHD is that "
            "of its end.",
        ),
        table(
            "The assumptions of the recovery theorem",
            _graphs(runs),
            ("graph", lambda g: f"{g[0]['graph']}, d = {g[0]['d']}"),
            ("data sets", len),
            ("κ", lambda g: g.span("raw.kappa")),
            ("γ", lambda g: g.span("raw.gamma")),
            ("γ > 0", lambda g: g.share("holds")),
            ("γ, standardised", lambda g: g.span("standardised.gamma")),
            ("γ > 0 there", lambda g: g.share("holds_standardised")),
            ("min |w|", lambda g: g.span("raw.weakest")),
            ("λ₁ allowed by beta-min", lambda g: g.span("raw.largest_lam")),
            ("λ₁ needed off the edges", lambda g: g.span("raw.force")),
            ("both possible", lambda g: g.share("raw.feasible")),
            note="n = 1000, at the true weights, raw data but for two columns.",
        ),
        table(
            "The critical radius δ*: at the truth, and around it",
            (
                Runs(Record({"lam": lam, "place": place}, {"kept": r["kept"]}) for r in er)
                for er in [evaluated_runs(runs)[0]]
                for lam in STAR_LAMS
                for place in PLACES
            ),
            ("λ₁", "lam"),
            ("where", "place"),
            ("δ* exists; δ that keep the support", lambda g: star(g[0]["lam"], g[0]["place"], g)),
            note="Erdős–Rényi data sets. One step of SPG from W* itself, or from points at this "
            "distance in every edge, or in every entry, must end at the support of W*. δ* exists "
            f"where that holds for every δ from some one down to {short(min(DELTA_GRID))}. λ₁ is "
            "what beta-min allows, 0.1, 1, just above what is needed off the edges ('force'), and "
            "twice that.",
        ),
        table(
            "From the true support",
            (
                Runs(one(record, kind) for record in group if kind in record.result)
                for kind in ("population", "sample")
                for group in _graphs(runs)
            ),
            ("covariance", "kind"),
            ("d", "d"),
            ("true edges", lambda g: g.span("edges", 3)),
            ("SPG-AHOC, one step: entered", lambda g: g.span("spg.entered", 3)),
            ("of them reversed edges", lambda g: g.span("spg.reversed", 3)),
            ("ProxLinear to its end: entered", lambda g: g.span("repaired.entered", 3)),
            ("of them reversed edges", lambda g: g.span("repaired.reversed", 3)),
            ("lost", lambda g: g.span("repaired.lost")),
            ("support kept", lambda g: g.share("repaired_always_kept")),
            note="From the least-squares fit on the true parents. SPG-AHOC: λ₁ as large as "
            "beta-min allows, δ = 1e-7, one step. ProxLinear: MCP, 3λ = 0.9 min |w|, μ = 1000.",
        ),
        table(
            "Two variables, 0 → 1 with weight 0.8, λ₁ = 0.1: where the weights end",
            (runs.where(kind="portrait", method=method) for method in PORTRAIT),
            ("method", "method"),
            ("starts", len),
            ("steps", lambda g: g.span("n_iter", 3)),
            ("K", lambda g: g.span("K", 3)),
            ("0 → 1", lambda g: g.span("last_forward", 3)),
            ("1 → 0", lambda g: g.span("last_reverse", 3)),
            ("DAG", lambda g: g.share("is_dag")),
        ),
    ]


def _graphs(runs: Runs) -> list[Runs]:
    """Return the runs on each kind of graph with assumptions, in order."""
    found = runs.where(kind="assumptions")
    groups = [found.where(graph="ER1", d=d) for d in ER_SIZES]
    return [group for group in (*groups, found.where(graph="near-cyclic")) if group]


def _positive(gamma: float | None) -> bool:
    """Whether γ > 0, up to rounding."""
    return (gamma or -1.0) > 1e-9


def _draw_portrait(runs: Runs) -> Figure:
    """Draw the plane of the two weights, and the reverse one along the way."""
    runs = need(runs.where(kind="portrait"))
    figure, (plane, size) = panels(2, height=3.4)
    floor = 1e-10
    for method in PORTRAIT:
        shown = runs.where(method=method)
        followed = shown[min(1, len(shown) - 1)] if shown else None  # the first starts at zero
        mark = {**_LOOKS[method], "label": method}
        for record in [followed] if followed and method == "DAGMA" else shown:
            x, y = record["forward"], record["backward"]
            plane.plot(x, y, **mark, markevery=[len(x) - 1], linewidth=0.9, alpha=0.8)
            plane.plot(x[0], y[0], ".", color="black", markersize=4)
            if record is followed:
                at = np.maximum(np.abs(np.asarray(y, dtype=float)), floor)
                steps = np.add(record["iteration"], 1)
                size.plot(steps, at, **mark, markevery=(0.1, 0.3), markersize=4)
            mark["label"] = None
    plane.axhline(0.0, color="black", linewidth=0.6)
    plane.set(xlabel="weight of 0 → 1 (true: 0.8)", ylabel="weight of 1 → 0 (true: 0)")
    for delta in runs.values("delta")[:1]:
        size.axhline(delta, color="black", linewidth=0.8, linestyle=":")
        size.text(5.0, delta, "δ", va="bottom")
    size.set(xscale="log", yscale="log", xlabel="iteration + 1")
    size.set_ylabel("|weight of 1 → 0|, zero drawn at 1e-10")
    size.set_ylim(0.5 * floor, 2.0)
    legend(figure, [plane], "lower", 4, size=9)
    return figure


def _draw_supports(runs: Runs) -> Figure:
    """Draw a line from the first to the last step of each run on one table, with a mark at K."""
    runs = need(runs.where(kind="trajectory")).by("d", "seed")[0]
    figure, (axis,) = panels(1, height=3.6)
    names = []
    for k, record in enumerate(runs):
        mark, end = _LOOKS[record["method"]], record["n_iter"] + 1
        colour = mark["color"]
        axis.plot([1, end], [k, k], color=colour, linewidth=1.2)
        face = colour if record["true"] else "white"
        axis.plot(record["K"] + 1, k, mark["marker"], color=colour, mfc=face, markersize=7)
        text = f"{record['nnz']} non-zeros, SHD {record['shd']}"
        axis.text(1.3 * end, k, text, va="center", fontsize=8)
        lam = "" if record["lam"] is None else f", λ₁ = {short(record['lam'])}"
        names.append(f"{record['method']}{lam}")
    axis.set_yticks(range(len(names)), names)
    axis.invert_yaxis()
    axis.set(xscale="log", xlabel="iteration + 1 (daglock: value of μ)")
    axis.set_xlim(0.8, 100.0 * (max(runs.all("n_iter")) + 1))
    d, empty = runs[0]["d"], runs[0]["shd_empty"]
    title = f"K, filled if the support is the true one (d = {d}, empty graph: SHD {empty})"
    axis.set_title(title, fontsize=10)
    return figure


def _draw_assumptions(runs: Runs) -> Figure:
    """Draw γ, and what λ₁ is needed over what is allowed."""
    graphs = need(_graphs(runs))
    figure, (gamma, lam) = panels(2, height=3.0)
    looks = {"raw": ("blue", "o", -0.1), "standardised": ("orange", "s", 0.1)}
    for k, found in enumerate(graphs):
        for scale, (colour, marker, shift) in looks.items():
            mark: dict[str, Any] = {"color": COLOURS[colour], "markersize": 4}
            mark["label"] = scale if k == 0 else None
            at = np.full(len(found), k + shift)
            excess = "excess" if scale == "raw" else "excess_standardised"
            gamma.plot(at, found.all(f"{scale}.gamma"), marker, **mark)
            lam.plot(at, found.all(excess), marker, **mark)
    names = [
        f"d = {found[0]['d']}" if found[0]["graph"] == "ER1" else "near-\ncyclic"
        for found in graphs
    ]
    for axis in (gamma, lam):
        axis.set_xticks(range(len(names)), names, fontsize=8)
    gamma.axhline(0.0, color="black", linewidth=0.8)
    gamma.set_ylabel("γ, to be positive")
    lam.axhline(1.0, color="black", linewidth=0.8)
    lam.set(yscale="log", ylabel="λ₁ needed / λ₁ allowed, to be below 1")
    gamma.legend(fontsize=8)
    return figure


EXPERIMENT = experiment(
    "identification",
    "Finite-time identification and its assumptions",
    "Section 3 with its figure on locking; appendix with the proof of Theorem 3.7",
    *(cases, run, tables),
    figures={
        "identification_portrait": _draw_portrait,
        "identification": _draw_supports,
        "identification_assumptions": _draw_assumptions,
    },
    quantities=QUANTITIES,
    claims=CLAIMS,
)
