"""The figures of Experiment 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock_evaluation.experiments.experiment import Record
from daglock_evaluation.experiments.methods import SMALL_EPSILON
from daglock_evaluation.experiments.near_cyclic_runs import FEASIBLE, METHODS, SIGNS, solves
from daglock_evaluation.experiments.phrases import short
from daglock_evaluation.experiments.style import MARKS, NORM
from daglock_evaluation.publish.figures import COLOURS, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FLOORS = {"h": 1e-10, "radius": 1e-5, "norm": 1e-2}
_EXTRA_MARKS: dict[str, dict[str, Any]] = {
    SMALL_EPSILON: {"color": COLOURS["sky"], "marker": "P", "linestyle": "--"},
    "SPG, δ path": {"color": COLOURS["blue"], "marker": "<", "linestyle": "--"},
    "SPG, α path": {"color": COLOURS["blue"], "marker": ">", "linestyle": ":"},
    "ProxLinear": {"color": COLOURS["black"], "marker": "p", "linestyle": "--"},
}


def figures(records: Sequence[Record]) -> Mapping[str, Figure]:
    """Draw the trajectories, and where the methods end on the four kinds of data."""
    made: dict[str, Figure] = {}
    shown = [r for r in solves(records, 1, "raw") if "trajectory" in r.result]
    first = [r for r in shown if r.case["seed"] == min(s.case["seed"] for s in shown)]
    if first:
        labels = {"h": "h(W)", "radius": "ρ(W∘W)", "norm": NORM}
        made["near_cyclic"] = _lines(first, labels)
        labels = {"lagrangian": "augmented Lagrangian", "penalty": "ρ, weight of h²/2"}
        made["near_cyclic_lagrangian"] = _lines(first, labels)
    if solves(records):
        made["near_cyclic_ends"] = _ends(records)
    return made


def _lines(records: Sequence[Record], labels: Mapping[str, str]) -> Figure:
    """Draw some quantities against the iteration, a line for each method."""
    figure, axes = panels(len(labels), height=3.4)
    for axis, (name, label) in zip(axes, labels.items(), strict=True):
        for record in records:
            line = record.result["trajectory"]
            if name not in line:
                continue
            x = np.asarray(line["iteration"], dtype=float) + 1.0
            y = np.asarray(line[name], dtype=float)
            mark = _mark(record.case["method"])
            axis.plot(x, y, **mark, markevery=(0.1, 0.25), markersize=4, linewidth=1.2)
        axis.set(xscale="log", yscale="log", xlabel="iteration + 1", ylabel=label)
        if name in _FLOORS:
            axis.set_ylim(bottom=_FLOORS[name])
        if name == "radius":
            axis.axhline(1.0, color="black", linewidth=0.6)
    _legend(figure, axes[0], 3)
    return figure


def _ends(records: Sequence[Record]) -> Figure:
    """Draw the last h of every method on every kind of data."""
    floor = 1e-14
    methods = [m for m in METHODS if solves(records, methods=[m])]
    scales = [scale for scale in ("raw", "standardised") if solves(records, scale=scale)]
    figure, axes = panels(len(scales), height=3.4)
    for axis, scale in zip(axes, scales, strict=True):
        for sign, (shift, colour, marker) in {
            1: (-0.22, COLOURS["vermilion"], "o"),
            -1: (0.0, COLOURS["blue"], "s"),
            0: (0.22, COLOURS["green"], "^"),
        }.items():
            found = [r for r in solves(records, sign, scale) if r.result["h"] is not None]
            x = [max(r.result["h"], floor) for r in found]
            y = [methods.index(r.case["method"]) + shift for r in found]
            axis.plot(x, y, marker, color=colour, label=SIGNS[sign], alpha=0.8, markersize=4)
        axis.axvline(FEASIBLE, color="black", linewidth=0.6, label=f"tolerance {short(FEASIBLE)}")
        axis.set(xscale="log", xlabel="h at the end (0 drawn at 1e-14)")
        axis.set_title(f"{scale} data")
        axis.set_xlim(0.3 * floor, 10.0)
        axis.set_yticks(range(len(methods)), methods if scale == "raw" else [""] * len(methods))
        axis.invert_yaxis()
    _legend(figure, axes[0], 4)
    return figure


def _legend(figure: Figure, axis: Any, columns: int) -> None:
    """Put the legend of one panel below all."""
    handles, names = axis.get_legend_handles_labels()
    options: dict[str, Any] = {"ncols": columns, "frameon": False, "fontsize": 9}
    figure.legend(handles, names, loc="outside lower center", **options)


def _mark(method: str) -> dict[str, Any]:
    """Return how a method is drawn."""
    return {"label": method, **(MARKS.get(method) or _EXTRA_MARKS[method])}
