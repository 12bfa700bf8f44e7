"""A picture of a graph: causes above effects, undirected edges undirected. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock.errors import MissingExtraError
from daglock.graph import topological_order
from daglock.typing import Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colour-blind safe: positive effects blue, negative ones orange.
POSITIVE, NEGATIVE = "#0072B2", "#D55E00"


def save_graph(
    path: str | Path, weights: Array, cpdag: NDArray[np.int8], names: Sequence[str]
) -> None:
    """Draw a DAG in layers into a file, in the format that its ending names.

    Parameters
    ----------
    path : file to write.
    weights : (d, d) array
        Effect of i on j, best in standard deviations: it sets the width of the line.
    cpdag : (d, d) array
        1 directed, 2 undirected: which edges get an arrow.
    names : of the nodes.

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise MissingExtraError("Pictures need the extra: pip install 'daglock[plot]'") from missing
    figure = Figure(figsize=(8, 5), layout="constrained")
    draw_graph(figure.subplots(), weights, cpdag, names)
    figure.savefig(path, dpi=130)


def draw_graph(ax: Axes, weights: Array, cpdag: NDArray[np.int8], names: Sequence[str]) -> None:
    """Draw on axes; the arguments are those of `save_graph`."""
    x, y = layout(weights)
    box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "#444444"}
    for v, name in enumerate(names):
        ax.text(x[v], y[v], name, ha="center", va="center", bbox=box, zorder=3, fontsize=11)
    for i, j in np.argwhere(weights != 0.0):
        style: dict[str, Any] = {
            "arrowstyle": "-|>,head_width=0.35,head_length=0.7" if cpdag[i, j] == 1 else "-",
            "color": POSITIVE if weights[i, j] > 0 else NEGATIVE,
            "linewidth": 1.0 + 3.0 * min(1.0, abs(weights[i, j])),
            "shrinkA": 12,
            "shrinkB": 12,
            "connectionstyle": "arc3,rad=0.08",
        }
        ax.annotate("", (x[j], y[j]), (x[i], y[i]), arrowprops=style, zorder=2)
    ax.set_xlim(x.min() - 0.6, x.max() + 0.6)
    ax.set_ylim(y.min() - 0.5, y.max() + 0.5)
    ax.set_axis_off()


def layout(weights: Array, sweeps: int = 20) -> tuple[Array, Array]:
    """Return coordinates: y by the longest path from a root, x by the mean of the neighbours.

    Nodes without edges stand in a row of their own below the others.
    """
    linked = (weights != 0.0) | (weights != 0.0).T
    layer = longest_paths(weights)
    lonely = ~linked.any(axis=0)
    layer[lonely] = layer.max() + 1
    x = np.zeros(len(weights))
    rows = [np.flatnonzero(layer == level) for level in range(layer.max() + 1)]
    for row in rows:
        x[row] = np.arange(len(row)) - (len(row) - 1) / 2
    for _ in range(sweeps):
        for row in rows:
            wish = [x[linked[v]].mean() if linked[v].any() else x[v] for v in row]
            order = row[np.argsort(wish, kind="stable")]
            x[order] = np.arange(len(row)) - (len(row) - 1) / 2
    width = max(map(len, rows))
    for row in rows:  # spread short rows a little
        x[row] *= min(1.6, width / max(1, len(row)))
    return 1.6 * x, -layer.astype(np.float64)


def longest_paths(weights: Array) -> IntArray:
    """Count the edges of the longest path that ends in each node."""
    layer = np.zeros(len(weights), dtype=np.intp)
    for v in topological_order(weights):
        children = np.flatnonzero(weights[v])
        layer[children] = np.maximum(layer[children], layer[v] + 1)
    return layer
