"""How a figure of the benchmark looks: scales, markers, legend."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from daglock_evaluation.bench.peers import peers
from daglock_evaluation.bench.report import words
from daglock_evaluation.bench.report.groups import Group
from daglock_evaluation.publish.figures import COLOURS, look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, COLUMNS = 7.0, 3
AXES = {"d": "number of variables d", "n": "number of rows n"}


def style(peer: str, target: str) -> dict[str, Any]:
    """Return how a method is drawn, in all figures alike."""
    known = peers().get(peer)
    colour = COLOURS["grey" if known is None else known.colour]
    style: dict[str, Any] = {"color": colour, "marker": "o" if known is None else known.marker}
    if style["marker"] == "*":
        style |= {"ms": 8, "zorder": 3}
    if colour == COLOURS["yellow"]:
        style["mec"] = COLOURS["black"]  # yellow alone is faint on white
    if target == "dag" and known is not None and known.returns == "class":
        style["ls"] = "--"
    return style


def over_sizes(axis: Any, group: Group, what: str) -> None:
    """Put the sizes on a log scale, with a tick at each."""
    axis.set(xscale="log", xlabel=AXES[group.axis], ylabel=what)
    axis.set_xticks(group.sizes, [words.count_text(size) for size in group.sizes])
    axis.minorticks_off()


def logarithmic(axis: Any) -> None:
    """Put what is drawn on a log scale; where nothing is, there is none to put it on."""
    if any(len(line.get_ydata()) for line in axis.get_lines()):
        axis.set_yscale("log")
        axis.minorticks_off()


def from_zero(axis: Any, which: Literal["x", "y"] = "y") -> None:
    """Put what is drawn on a scale that is linear below 1 and logarithmic above."""
    lines = axis.get_lines()
    data = [line.get_ydata() if which == "y" else line.get_xdata() for line in lines]
    top = max(1.6 * max((float(value) for values in data for value in values), default=1.0), 1.5)
    marks = [10.0**k for k in range(8)] if top >= 10.0 else [1.0, 2.0, 5.0]
    ticks = [0.0, *(mark for mark in marks if mark <= top)]
    names = [words.count_text(tick) for tick in ticks]
    scale = {"linthresh": 1.0, "linscale": 0.5}
    if which == "y":
        axis.set_yscale("symlog", **scale)
        axis.set_ylim(-0.15, top)
        axis.set_yticks(ticks, names)
    else:
        axis.set_xscale("symlog", **scale)
        axis.set_xlim(-0.15, top)
        axis.set_xticks(ticks, names)
    axis.minorticks_off()


def grid(n_rows: int, *, height: float) -> tuple[Figure, list[Any]]:
    """Return a figure of a page's width with two axes in each row."""
    with look():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        axes = figure.subplots(n_rows, 2, squeeze=False)
    return figure, list(axes.flat)


def legend_height(n_labels: int) -> float:
    """Return the inches that a legend takes."""
    return 0.2 + 0.18 * -(-n_labels // COLUMNS)


def legend(figure: Figure, axes: Sequence[Any]) -> None:
    """Put the legend below the axes."""
    found: dict[str, Any] = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    figure.legend(
        list(found.values()),
        list(found),
        loc="outside lower center",
        ncols=COLUMNS,
        frameon=False,
        fontsize=8,
    )


def slug(text: str) -> str:
    """Return a name for a file.

    Examples
    --------
    >>> slug("equal ER2 ±[0.5,1] d 1000"), slug("equal ER2 +[0.5,1] d 1000")
    ('equal-er2-0.5-1-d-1000', 'equal-er2-positive-0.5-1-d-1000')
    """
    plain = text.lower().replace("+", "positive ")
    return re.sub(r"[^a-z0-9.]+", "-", plain).strip("-")
