"""Beyond d = 500: the limit that the paper names, answered with measurements.

The paper expects the O(d³) of the matrix exponential to be the bottleneck for d ≥ 1000 and hopes
for approximate exponentials. Here h of S-AHOC and its gradient on the edges are evaluated by the
dense exponential, by strong components, by the series with sparse powers, and by the action of
the exponential on vectors, which is what Krylov methods and trace estimators are built on. Then
the engine learns graphs of that size. All times are of one core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from daglock_evaluation.experiments.beyond_claims import FROM, MIDDLE, exponent, times, verdicts
from daglock_evaluation.experiments.beyond_runs import (
    COLUMNS,
    DENSE,
    INPUTS,
    METHODS,
    PARTS,
    SERIES,
    SMOOTHED,
    TERMS,
    cases,
    run,
)
from daglock_evaluation.experiments.experiment import Experiment, Record
from daglock_evaluation.experiments.phrases import short, span
from daglock_evaluation.experiments.scoring import matching
from daglock_evaluation.experiments.style import MARKS
from daglock_evaluation.publish.figures import COLOURS, panels
from daglock_evaluation.publish.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LOOKS = {
    DENSE: ("vermilion", "s"),
    PARTS: ("black", "*"),
    SERIES: ("sky", "v"),
    COLUMNS: ("green", "P"),
    "action on 10 probes": ("orange", "D"),
    "action on 100 probes": ("purple", "^"),
}


def tables(records: Sequence[Record]) -> list[Table]:
    """Return times and errors of h, the cost of a step, and the engine."""
    sizes = sorted({r.case["d"] for r in matching(records, kind="h")})
    head = ("matrix", "method", *(f"d = {d}" for d in sizes), "exponent", "relative error of h")
    rows: list[Sequence[str]] = [(*head, "of ∂h/∂A on the edges")]
    for name in INPUTS:
        for method in METHODS:
            at: dict[str, Any] = {"kind": "h", "input": name, "method": method}
            seconds, found = times(records, **at), matching(records, **at)
            if not found:
                continue
            errors = [r.result["relative_error"] for r in found]
            if not any(e is not None for e in errors):  # h = 0
                error = f"{span(r.result['error'] for r in found)} (h = 0)"
            else:
                error = span(errors)
            slopes = span(r.result.get("slope_error") for r in found)
            cells = (short(seconds.get(d)) for d in sizes)
            rows.append((name, method, *cells, _power(seconds), error, slopes))
        for label, key in (
            ("strong components, all d² slopes", "everywhere_cpu_seconds"),
            ("strong components, quadratic core, slopes", "on_edges_cpu_seconds"),
        ):
            seconds = times(records, key, kind="h", input=name, method=PARTS)
            if seconds:
                cells = (short(seconds.get(d)) for d in sizes)
                rows.append((name, label, *cells, _power(seconds), "", ""))
    for label, at, key in (
        ("h̃ and slopes, dense", {"kind": "h", "input": SMOOTHED}, "cpu_seconds"),
        ("a step of SPG-AHOC", {"kind": "step"}, "step_cpu_seconds"),
    ):
        seconds = times(records, key, **at)
        if seconds:
            cells = (short(seconds.get(d)) for d in sizes)
            rows.append((SMOOTHED, label, *cells, _power(seconds), "", ""))
    note = (
        f"Seconds of one core; exponents of d from d = {FROM} on. The series has {TERMS} terms. "
        "All methods but the strong components give h together with its slopes on the edges."
    )
    made = [Table("h of S-AHOC and its gradient", rows, note)] if len(rows) > 1 else []
    engine = matching(records, kind="engine")
    if engine:
        made.append(_engine_table(engine))
    return made


def _power(seconds: Mapping[int, float]) -> str:
    """Write the exponent of d."""
    power = exponent(seconds)
    return "–" if power is None else f"{power:.1f}"


def _engine_table(engine: Sequence[Record]) -> Table:
    rows: list[Sequence[str]] = [
        (
            "noise",
            "d",
            "tables",
            "SHD",
            "SHD of classes",
            "empty graph",
            "covariance, s",
            "engine, s",
        )
    ]
    for noise, d in sorted({(r.case["noise"], r.case["d"]) for r in engine}):
        found = [r.result for r in matching(engine, noise=noise, d=d)]
        rows.append(
            (
                noise,
                str(d),
                str(len(found)),
                span(r["shd"] for r in found),
                span(r["class_shd"] for r in found),
                span((r["shd_empty"] for r in found), 5),
                span(r["forming_cpu_seconds"] for r in found),
                span(r["cpu_seconds"] for r in found),
            )
        )
    note = (
        "Sparse Erdős–Rényi graphs with d edges, weights ±[0.5, 1], n = 1000. 'unequal': columns "
        "standardised, only the equivalence class can be told."
    )
    return Table("The engine end to end", rows, note)


def figures(records: Sequence[Record]) -> Mapping[str, Figure]:
    """Draw times and errors of h against d, and the engine."""
    if not matching(records, kind="h"):
        return {}
    figure, (time, error, whole) = panels(3, height=3.6)
    for method, (colour, marker) in _LOOKS.items():
        at: dict[str, Any] = {"kind": "h", "input": MIDDLE, "method": method}
        look: dict[str, Any] = {"color": COLOURS[colour], "marker": marker, "label": method}
        seconds = times(records, **at)
        time.plot(list(seconds), list(seconds.values()), **look)
        errors = {
            r.case["d"]: max(r.result["relative_error"], 1e-17)
            for r in matching(records, **at)
            if r.result["relative_error"] is not None
        }
        error.plot(list(errors), list(errors.values()), **look)
    error.axhline(1.0, color="black", linewidth=0.6)
    time.set(xscale="log", yscale="log", xlabel="number of variables d", ylabel="seconds for h")
    error.set(xscale="log", yscale="log", xlabel="number of variables d")
    error.set_ylabel("relative error (0 drawn at 1e-17)")
    steps = times(records, "step_cpu_seconds", kind="step")
    look = {**MARKS["SPG-AHOC"], "label": "SPG-AHOC, one step"}
    whole.plot(list(steps), list(steps.values()), **look)
    for noise, colour, marker in (("equal", "black", "*"), ("unequal", "grey", "X")):
        seconds = times(records, kind="engine", noise=noise)
        which, name = ("shd", "SHD") if noise == "equal" else ("class_shd", "class SHD")
        shds = span(r.result[which] for r in matching(records, kind="engine", noise=noise))
        look = {"color": COLOURS[colour], "marker": marker}
        label = f"engine, {noise},\n{name} {shds}"
        whole.plot(list(seconds), list(seconds.values()), **look, label=label)
    whole.set(xscale="log", yscale="log", xlabel="number of variables d", ylabel="seconds")
    whole.set_title("whole runs")
    whole.legend(frameon=False, fontsize=7, loc="lower right")
    whole.set_ylim(bottom=1e-5)
    time.set_title(f"one evaluation, “{MIDDLE}”")
    error.set_title("error of h")
    for axis, kinds in ((time, ("h",)), (error, ("h",)), (whole, ("step", "engine"))):
        sizes = sorted({r.case["d"] for kind in kinds for r in matching(records, kind=kind)})
        axis.set_xticks(sizes, [f"{d}" for d in sizes], fontsize=7, rotation=45)
        axis.minorticks_off()
    options: dict[str, Any] = {"ncols": 3, "frameon": False, "fontsize": 8.5}
    figure.legend(*time.get_legend_handles_labels(), loc="outside lower center", **options)
    return {"beyond": figure}


EXPERIMENT = Experiment(
    name="beyond",
    title="Beyond d = 500",
    source="Section 5, Computational Scalability",
    cases=cases,
    run=run,
    tables=tables,
    figures=figures,
    verdicts=verdicts,
    smallest=(
        {"kind": "h", "input": "few cycles", "method": DENSE, "d": 20, "seed": 0},
        {"kind": "engine", "noise": "equal", "d": 30, "n": 1000, "seed": 0},
    ),
)
