"""What the figures of several experiments have in common: lines, ticks and legends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from daglock_evaluation.harness.figures import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Figures: TypeAlias = "Mapping[str, Figure]"  # by their names


def look(colour: str, marker: str, **more: Any) -> dict[str, Any]:
    """Return how a line is drawn that is neither a method nor a constraint.

    Examples
    --------
    >>> look("black", "o", label="mean")
    {'color': '#000000', 'marker': 'o', 'label': 'mean'}
    """
    return {"color": COLOURS[colour], "marker": marker, **more}


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


def legend_below(figure: Figure, axis: Any, columns: int, size: float | None = None) -> None:
    """Put the legend of one panel below all."""
    handles, names = axis.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=columns, fontsize=size)
