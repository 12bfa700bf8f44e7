"""How figures are drawn: each method and constraint keeps its colour and marker in all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from daglock_evaluation.harness.figures import COLOURS
from daglock_evaluation.methods.paper import SMALL_EPSILON

if TYPE_CHECKING:
    import matplotlib.figure

Figure: TypeAlias = "matplotlib.figure.Figure"
# For figures, where Unicode has no such index.
NORM, TRUE_NORM = r"$\Vert W\Vert_F$", r"$\Vert W^*\Vert_F$"
THRESHOLD = r"$\Vert\nabla L(0)\Vert_\infty$"


def look(colour: str, marker: str, **more: Any) -> dict[str, Any]:
    """Return how a line is drawn.

    Examples
    --------
    >>> look("black", "o", label="mean")
    {'color': '#000000', 'marker': 'o', 'label': 'mean'}
    """
    return {"color": COLOURS[colour], "marker": marker, **more}


MARKS = {
    "Exp": look("vermilion", "s"),
    "LogDet": look("orange", "D"),
    "AAC": look("purple", "^"),
    "AHOC": look("sky", "v"),
    "S-AHOC": look("blue", "o"),
    "smoothed AHOC": look("green", "P"),
    "smoothed S-AHOC": look("black", "X"),
    "SPG-AHOC": look("blue", "o"),
    "EXP [Adam]": look("vermilion", "s"),
    "AAC [Prox-LS]": look("purple", "^"),
    "AHOC [Prox-LS]": look("sky", "v"),
    "DAGMA": look("orange", "D"),
    # yellow alone is faint on white
    "dagma package": look("yellow", "d", markeredgecolor=COLOURS["black"]),
    "FLOP": look("green", "P"),
    "sortnregress": look("grey", "x"),
    "empty graph": look("grey", "_"),
    "daglock": look("black", "*"),
    # variants have open markers
    SMALL_EPSILON: look("blue", "o", markerfacecolor="white"),
    "daglock (equal)": look("black", "*", markerfacecolor="white"),
}


def mark_of(name: str, **more: Any) -> dict[str, Any]:
    """Return colour, marker and label of a method or a constraint."""
    return {**MARKS[name], "label": name, **more}


def line(axis: Any, points: Iterable[tuple[float, float | None]], **mark: Any) -> None:
    """Draw points in their order, gaps where there is no y; nothing where there is no point."""
    pairs = list(points)
    if pairs:
        axis.plot([x for x, _ in pairs], [np.nan if y is None else y for _, y in pairs], **mark)


def ticks(axis: Any, values: Sequence[float], **text: Any) -> None:
    """Put ticks of a logarithmic axis at these values and nowhere else."""
    axis.set_xscale("log")
    axis.set_xticks(values, [f"{value:g}" for value in values], **text)
    axis.minorticks_off()


def handle(**mark: Any) -> Any:
    """Return an entry of a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **mark)
