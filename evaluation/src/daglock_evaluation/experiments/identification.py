"""Finite-time identification: when the support stops changing, and whether it is the true one.

K is the first iteration from which on the support is the same in every later one. Beside it: the
assumptions of the recovery theorem on every synthetic data set of the reproduction, one step from
the true support, and the paper's picture of two weights, drawn from real runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock_evaluation.experiments.experiment import Case, Experiment, Record
from daglock_evaluation.experiments.identification_claims import verdicts
from daglock_evaluation.experiments.identification_runs import (
    ER_SIZES,
    PORTRAIT,
    STAR_LAMS,
    cases,
    run,
)
from daglock_evaluation.experiments.methods import SMALL_EPSILON
from daglock_evaluation.experiments.phrases import share, short, span
from daglock_evaluation.experiments.scoring import matching
from daglock_evaluation.experiments.style import MARKS
from daglock_evaluation.publish.figures import COLOURS, panels
from daglock_evaluation.publish.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_EXTRA: dict[str, dict[str, Any]] = {
    "ProxLinear": {"color": COLOURS["black"], "marker": "p"},
    "ProxLinear, L1": {"color": COLOURS["grey"], "marker": "p"},
    "ProxLinear, MCP": {"color": COLOURS["black"], "marker": "p"},
    SMALL_EPSILON: {"color": COLOURS["sky"], "marker": "P"},
}


def tables(records: Sequence[Record]) -> list[Table]:
    """Return supports along the way, the assumptions, steps from the truth, two variables."""
    made = [_supports(records), _assumptions(records), _from_truth(records), _ends(records)]
    return [table for table in made if len(table.rows) > 1]


def _supports(records: Sequence[Record]) -> Table:
    """Return K and what is identified, a row for each run."""
    head = ("d", "seed", "method", "λ₁", "status", "DAG", "K of steps", "non-zeros", "SHD")
    tail = ("least SHD on the way", "signs", "|w| > 0.3: K", "SHD after it", "empty")
    rows: list[Sequence[str]] = [(*head, *tail)]
    for r in matching(records, kind="trajectory"):
        result, is_engine = r.result, r.case["method"] == "daglock"
        unit = " stages" if is_engine else ""
        rows.append(
            (
                str(r.case["d"]),
                str(r.case["seed"]),
                r.case["method"],
                short(result["lam"]),
                result["status"].replace("_", " "),
                "yes" if result["is_dag"] else "no",
                f"{result['K']} of {result['n_iter']}{unit}",
                str(result["nnz"]),
                str(result["shd"]),
                str(result.get("shd_best", "–")),
                "all right" if result["signs"] else "not all",
                str(result.get("K_cut", "–")),
                str(result.get("shd_cut", "–")),
                str(result["shd_empty"]),
            )
        )
    note = (
        "K is the first step from which on the support does not change; where it is the number of "
        "steps, it changed in the last one. 'Signs' asks for zeros where the truth is zero. The "
        "engine counts the values of μ in its continuous stage; its SHD is that of its end."
    )
    return Table("When the support stops changing", rows, note)


def _assumptions(records: Sequence[Record]) -> Table:
    """Return κ, γ, beta-min and δ*, a row for each kind of graph."""
    head = ("graph", "data sets", "κ", "γ", "γ > 0", "γ, standardised", "γ > 0 there")
    more = ("min |w|", "λ₁ allowed by beta-min", "λ₁ needed off the edges", "both possible")
    rows: list[Sequence[str]] = [(*head, *more, *(f"δ* at {lam}" for lam in STAR_LAMS))]
    for graph, d in _graphs(records):
        found = [r.result for r in matching(records, kind="assumptions", graph=graph, d=d)]
        raw, standard = [r["raw"] for r in found], [r["standardised"] for r in found]
        stars = [[r["delta_star"][lam] for r in found] for lam in STAR_LAMS]
        rows.append(
            (
                f"{graph}, d = {d}",
                str(len(found)),
                span(r["kappa"] for r in raw),
                span(r["gamma"] for r in raw),
                share(_positive(r["gamma"]) for r in raw),
                span(r["gamma"] for r in standard),
                share(_positive(r["gamma"]) for r in standard),
                span(r["weakest"] for r in raw),
                span(r["largest_lam"] for r in raw),
                span(r["force"] for r in raw),
                share(r["feasible"] for r in raw),
                *("none" if not any(star) else f"≥ {span(star)}" for star in stars),
            )
        )
    note = (
        "n = 1000, at the true weights, raw data but for two columns. δ*: the largest δ up to 1 "
        "for which one step of SPG at the truth keeps its support; λ₁ is what beta-min allows, "
        "0.1, 1, and just above what is needed off the edges ('force')."
    )
    return Table("The assumptions of the recovery theorem", rows, note)


def _positive(gamma: float | None) -> bool:
    """Whether γ > 0, up to rounding."""
    return gamma is not None and gamma > 1e-9


def _graphs(records: Sequence[Record]) -> list[tuple[str, int]]:
    """Return the kinds of graphs with assumptions, in order."""
    known = {(r.case["graph"], r.case["d"]) for r in matching(records, kind="assumptions")}
    return [*(("ER1", d) for d in ER_SIZES if ("ER1", d) in known), *(known & {("near-cyclic", 3)})]


def _from_truth(records: Sequence[Record]) -> Table:
    """Return who leaves the true support."""
    head = (
        "covariance",
        "d",
        "true edges",
        "SPG-AHOC, one step: entered",
        "of them reversed edges",
    )
    more = ("ProxLinear to its end: entered", "of them reversed edges", "lost", "support kept")
    rows: list[Sequence[str]] = [(*head, *more)]
    for kind in ("population", "sample"):
        for graph, d in _graphs(records):
            runs = matching(records, kind="assumptions", graph=graph, d=d)
            found = [r.result[kind] for r in runs if kind in r.result]
            if not found:
                continue
            rows.append(
                (
                    kind,
                    str(d),
                    span((r["edges"] for r in found), 3),
                    span((r["spg"]["entered"] for r in found), 3),
                    span((r["spg"]["reversed"] for r in found), 3),
                    span((r["repaired"]["entered"] for r in found), 3),
                    span((r["repaired"]["reversed"] for r in found), 3),
                    span(r["repaired"]["lost"] for r in found),
                    share(r["repaired_always_kept"] for r in found),
                )
            )
    note = (
        "From the least-squares fit on the true parents. SPG-AHOC: λ₁ as large as beta-min allows, "
        "δ = 1e-7, one step. ProxLinear: MCP, 3λ = 0.9 min |w|, μ = 1000."
    )
    return Table("From the true support", rows, note)


def _ends(records: Sequence[Record]) -> Table:
    """Return where the two weights end."""
    rows: list[Sequence[str]] = [("method", "starts", "steps", "K", "0 → 1", "1 → 0", "DAG")]
    for method in PORTRAIT:
        found = [r.result for r in matching(records, kind="portrait", method=method)]
        if found:
            rows.append(
                (
                    method,
                    str(len(found)),
                    span((r["n_iter"] for r in found), 3),
                    span((r["K"] for r in found), 3),
                    span((r["end"][0] for r in found), 3),
                    span((abs(r["end"][1]) for r in found), 3),
                    share(r["is_dag"] for r in found),
                )
            )
    return Table("Two variables, 0 → 1 with weight 0.8, λ₁ = 0.1: where the weights end", rows)


def figures(records: Sequence[Record]) -> Mapping[str, Figure]:
    """Draw the two weights, the supports and the assumptions."""
    made: dict[str, Figure] = {}
    if matching(records, kind="portrait"):
        made["identification_portrait"] = _draw_portrait(matching(records, kind="portrait"))
    runs = matching(records, kind="trajectory")
    if runs:
        first = min((r.case["d"], r.case["seed"]) for r in runs)
        shown = [r for r in runs if (r.case["d"], r.case["seed"]) == first]
        made["identification"] = _draw_supports(shown)
    if _graphs(records):
        made["identification_assumptions"] = _draw_assumptions(records)
    return made


def _mark(method: str) -> dict[str, Any]:
    """Return how a method is drawn."""
    return {**(MARKS.get(method) or _EXTRA[method]), "label": method}


def _draw_portrait(records: Sequence[Record]) -> Figure:
    figure, (plane, size) = panels(2, height=3.4)
    floor = 1e-10
    for method in PORTRAIT:
        shown = matching(records, method=method)
        followed = shown[min(1, len(shown) - 1)] if shown else None  # the first starts at zero
        for k, record in enumerate([followed] if followed and method == "DAGMA" else shown):
            result, mark = record.result, _mark(method)
            mark = mark if k == 0 else {**mark, "label": None}
            x, y = result["forward"], result["backward"]
            plane.plot(x, y, **mark, markevery=[len(x) - 1], linewidth=0.9, alpha=0.8)
            plane.plot(x[0], y[0], ".", color="black", markersize=4)
            if record is followed:
                at = np.maximum(np.abs(np.asarray(y, dtype=float)), floor)
                steps = np.add(result["iteration"], 1)
                size.plot(steps, at, **mark, markevery=(0.1, 0.3), markersize=4)
    plane.axhline(0.0, color="black", linewidth=0.6)
    plane.set(xlabel="weight of 0 → 1 (true: 0.8)", ylabel="weight of 1 → 0 (true: 0)")
    known = [r.result["delta"] for r in records if r.result["delta"] is not None]
    if known:
        size.axhline(known[0], color="black", linewidth=0.8, linestyle=":")
        size.text(5.0, known[0], "δ", va="bottom")
    size.set(xscale="log", yscale="log", xlabel="iteration + 1")
    size.set_ylabel("|weight of 1 → 0|, zero drawn at 1e-10")
    size.set_ylim(0.5 * floor, 2.0)
    options: dict[str, Any] = {"ncols": 4, "frameon": False, "fontsize": 9}
    figure.legend(*plane.get_legend_handles_labels(), loc="outside lower center", **options)
    return figure


def _draw_supports(records: Sequence[Record]) -> Figure:
    """Draw a line from the first to the last step of each run, with a mark at K."""
    figure, (axis,) = panels(1, height=3.6)
    names = []
    for k, record in enumerate(records):
        result, mark = record.result, _mark(record.case["method"])
        found = result["shd"] == 0
        axis.plot([1, result["n_iter"] + 1], [k, k], color=mark["color"], linewidth=1.2)
        face = mark["color"] if found else "white"
        axis.plot(result["K"] + 1, k, mark["marker"], color=mark["color"], mfc=face, markersize=7)
        axis.text(
            1.3 * (result["n_iter"] + 1),
            k,
            f"{result['nnz']} non-zeros, SHD {result['shd']}",
            va="center",
            fontsize=8,
        )
        lam = "" if result["lam"] is None else f", λ₁ = {short(result['lam'])}"
        names.append(f"{record.case['method']}{lam}")
    axis.set_yticks(range(len(names)), names)
    axis.invert_yaxis()
    axis.set(xscale="log", xlabel="iteration + 1 (daglock: value of μ)")
    axis.set_xlim(0.8, 100.0 * max(r.result["n_iter"] + 1 for r in records))
    case = records[0].case
    empty = records[0].result["shd_empty"]
    title = f"K, filled if the support is the true one (d = {case['d']}, empty graph: SHD {empty})"
    axis.set_title(title, fontsize=10)
    return figure


def _draw_assumptions(records: Sequence[Record]) -> Figure:
    figure, (gamma, lam) = panels(2, height=3.0)
    looks = {"raw": ("blue", "o", -0.1), "standardised": ("orange", "s", 0.1)}
    graphs = _graphs(records)
    for k, (graph, d) in enumerate(graphs):
        for scale, (colour, marker, shift) in looks.items():
            found = [
                r.result[scale] for r in matching(records, kind="assumptions", graph=graph, d=d)
            ]
            look: dict[str, Any] = {"color": COLOURS[colour], "markersize": 4}
            label = scale if k == 0 else None
            at = np.full(len(found), k + shift)
            gamma.plot(at, [r["gamma"] for r in found], marker, label=label, **look)
            ratio = [r["force"] / r["largest_lam"] for r in found]
            lam.plot(at, ratio, marker, label=label, **look)
    names = [f"d = {d}" if graph == "ER1" else "near-\ncyclic" for graph, d in graphs]
    for axis in (gamma, lam):
        axis.set_xticks(range(len(names)), names, fontsize=8)
    gamma.axhline(0.0, color="black", linewidth=0.8)
    gamma.set_ylabel("γ, to be positive")
    lam.axhline(1.0, color="black", linewidth=0.8)
    lam.set(yscale="log", ylabel="λ₁ needed / λ₁ allowed, to be below 1")
    gamma.legend(frameon=False, fontsize=8)
    return figure


_TINY: Case = {"kind": "trajectory", "d": 5, "n": 500, "seed": 0}
EXPERIMENT = Experiment(
    name="identification",
    title="Finite-time identification and its assumptions",
    source="Section 3 with its figure on locking; appendix with the proof of Theorem 3.7",
    cases=cases,
    run=run,
    tables=tables,
    figures=figures,
    verdicts=verdicts,
    smallest=(
        {"kind": "portrait", "method": "ProxLinear", "start": [0.6, 0.6], "lam": 0.1},
        {"kind": "assumptions", "n": 1000, "graph": "ER1", "d": 20, "seed": 0},
        {**_TINY, "method": "ProxLinear, MCP", "lam": 0.2},
        {**_TINY, "method": "SPG-AHOC", "times": 1.0},
    ),
)
