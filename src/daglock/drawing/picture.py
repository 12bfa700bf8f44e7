"""A picture of a graph: causes above effects, heads by what is claimed. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from daglock.drawing.layered import (
    FONT_SIZE,
    NODE_HEIGHT,
    Layout,
    label_widths,
    layered_layout,
    shortened,
)
from daglock.errors import MissingExtraError
from daglock.graph import WeightedDAG
from daglock.typing import Array, BoolArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colour-blind safe: positive effects blue, negative ones orange, grey where there is no sign.
POSITIVE, NEGATIVE, ZERO = "#0072B2", "#D55E00", "#77808c"
HEADS = {"directed": "full head", "leaning": "hollow head", "open": "no head"}
MEANS = {
    "directed": "reliable arrow, told or by name",
    "leaning": "leaning",
    "open": "open",
}
_MISSING = "Pictures need matplotlib: pip install 'daglock[plot]'"
_MARGIN = 12.0
_PALEST = 0.25  # of its colour is left to a line whose link is not believed at all
_LEGEND = 14.0  # points below the graph that are left for the legend
_LARGEST = 1.2  # points for a unit of the layout in a small graph
# An edge leaves and enters a node this much less slanted than its straight line, and never flat.
_END_SLANT, _MOST_SLANT = 0.5, 0.6


def save_graph(
    path: str | Path,
    dag: WeightedDAG,
    names: Sequence[str],
    claims: Sequence[str] | None = None,
    link: Array | None = None,
) -> None:
    """Draw a DAG in layers into a file, in the format that its ending names.

    Parameters
    ----------
    path : file to write.
    dag : WeightedDAG
        Weights best in standard deviations: they set the width of the line. An edge whose weight
        is zero, as that of a required edge can be, is grey.
    names : of the nodes.
    claims : for each edge "directed", "leaning" or "open": a full head, a hollow one, none. All are
        open when nothing is claimed.
    link : probability of each edge; the less, the paler the line, and dashed below one half.

    Raises
    ------
    MissingExtraError
        Without matplotlib.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise MissingExtraError(_MISSING) from missing
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    draw_graph(axes, dag, names, claims, link)
    figure.savefig(path, dpi=130)


def draw_graph(
    ax: Axes | None,
    dag: WeightedDAG,
    names: Sequence[str],
    claims: Sequence[str] | None = None,
    link: Array | None = None,
    *,
    categories: BoolArray | None = None,
    unsigned: BoolArray | None = None,
) -> Axes:
    """Draw a DAG in layers on axes, or on new ones of pyplot, and return them.

    A line below says what the heads mean. The other arguments are those of `save_graph`, and

    categories : for each node whether it is a category: its box has square corners.
    unsigned : for each edge whether its weight is a strength without a sign: a grey line.
    """
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as missing:
            raise MissingExtraError(_MISSING) from missing
        ax = pyplot.subplots(figsize=(8, 5), layout="constrained")[1]
    widths = label_widths([shortened(name) for name in names])
    layout = layered_layout(dag.source, dag.target, dag.d, widths=widths)
    scale = _fit(ax, layout)
    claimed = ["open"] * dag.n_edges if claims is None else claims
    sure = np.ones(dag.n_edges) if link is None else link
    squares = np.zeros(dag.d, dtype=np.bool_) if categories is None else categories
    _draw_edges(ax, layout, dag, claimed, sure, colours_of(dag, unsigned), scale)
    for v, name in enumerate(names):
        _draw_node(ax, layout.x[v], layout.y[v], widths[v], shortened(name), scale, squares[v])
    if dag.n_edges:
        _draw_legend(ax, legend(claimed, sure, squares))
    return ax


def colours_of(dag: WeightedDAG, unsigned: BoolArray | None = None) -> list[str]:
    """Return the colour of each edge: by the sign of its weight, if it has one."""
    signs = np.sign(dag.weight) if unsigned is None else np.where(unsigned, 0, np.sign(dag.weight))
    return [{1: POSITIVE, -1: NEGATIVE}.get(sign, ZERO) for sign in signs.astype(int).tolist()]


def legend(claims: Sequence[str], link: Array, categories: BoolArray | None = None) -> str:
    """Return a line that says what the heads and lines mean that are there.

    Examples
    --------
    >>> legend(["open", "directed"], np.array([0.9, 0.8]))
    'full head: reliable arrow, told or by name · no head: open · paler: less sure of the link'
    """
    words = [f"{HEADS[claim]}: {meaning}" for claim, meaning in MEANS.items() if claim in claims]
    words.append("paler: less sure of the link")
    if (link < 0.5).any():
        words.append("dashed: less likely than not")
    if categories is not None and categories.any() and not categories.all():
        words.append("square box: a category")
    return " · ".join(words)


def smooth_curve(points: Array) -> Array:
    """Return the control points of cubic Bézier curves through points that go downwards.

    x is a monotone cubic function of y between two points, so that the line never leaves the
    corridor between them (Fritsch and Carlson, 1980: the harmonic mean of the slopes, zero where
    the direction turns).

    Parameters
    ----------
    points : (k, 2) with increasing y.

    Returns
    -------
    (3k - 2, 2) array
        Point, control, control, point, ...

    Examples
    --------
    >>> smooth_curve(np.array([[0.0, 0.0], [0.0, 3.0]])).tolist()
    [[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [0.0, 3.0]]
    """
    x, y = points[:, 0], points[:, 1]
    step = np.diff(y)
    slope = np.diff(x) / step
    tangent = np.zeros(len(points))
    same = slope[:-1] * slope[1:] > 0
    product, total = slope[:-1] * slope[1:], slope[:-1] + slope[1:]
    tangent[1:-1][same] = 2.0 * product[same] / total[same]
    tangent[[0, -1]] = np.clip(_END_SLANT * slope[[0, -1]], -_MOST_SLANT, _MOST_SLANT)
    third = step / 3.0
    curve = np.empty((3 * len(points) - 2, 2))
    curve[::3] = points
    curve[1::3] = np.column_stack([x[:-1] + tangent[:-1] * third, y[:-1] + third])
    curve[2::3] = np.column_stack([x[1:] - tangent[1:] * third, y[1:] - third])
    return curve


def _draw_node(
    ax: Axes, x: float, y: float, width: float, name: str, scale: float, square: bool
) -> None:
    """Draw a box with a name."""
    from matplotlib.patches import FancyBboxPatch

    box = FancyBboxPatch(
        (x - width / 2, y - NODE_HEIGHT / 2),
        width,
        NODE_HEIGHT,
        boxstyle="square,pad=0" if square else "round,pad=0,rounding_size=8",
        facecolor="white",
        edgecolor="#555555",
        linewidth=scale,
        zorder=3,
    )
    ax.add_patch(box)
    # a name with dollar signs is a name
    ax.text(
        x,
        y,
        name,
        ha="center",
        va="center_baseline",
        fontsize=FONT_SIZE * scale,
        zorder=4,
        parse_math=False,
    )


def _draw_legend(ax: Axes, words: str) -> None:
    """Write a line below the graph, small enough for the axes."""
    width = 72.0 * ax.get_position().width * ax.figure.bbox.width / ax.figure.dpi
    ax.text(
        0.5,
        0.0,
        words,
        ha="center",
        va="bottom",
        fontsize=min(7.5, 1.9 * width / len(words)),
        color="#555555",
        transform=ax.transAxes,
    )


def _fit(ax: Axes, layout: Layout) -> float:
    """Put the layout in the middle of the axes; return the points that a unit of it takes."""
    ax.set_axis_off()
    box = ax.get_position()
    # in the figure, which may be a part of a larger one
    inches = np.array(ax.figure.bbox.size) / ax.figure.dpi * [box.width, box.height]
    points = 72.0 * inches - [0.0, _LEGEND]
    size = np.array([layout.width, layout.height]) + 2 * _MARGIN
    scale = float(min(_LARGEST, (points / size).min()))
    x, y = (points / scale - size) / 2 + _MARGIN
    ax.set_xlim(-x, layout.width + x)
    ax.set_ylim(layout.height + y + _LEGEND / scale, -y)
    return scale


def _draw_edges(
    ax: Axes,
    layout: Layout,
    dag: WeightedDAG,
    claims: Sequence[str],
    link: Array,
    colours: Sequence[str],
    scale: float,
) -> None:
    """Draw the lines, with heads by what is claimed, paler where the link is less sure."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path as Curve

    edges = zip(dag.source, dag.target, dag.weight, claims, link.tolist(), colours, strict=True)
    for k, (i, j, weight, claim, sure, by_sign) in enumerate(edges):
        width = 1.0 + 3.0 * min(1.0, abs(weight))
        # the line ends where its head begins, and a head has a thin rim, however wide the line:
        # a hollow one must be seen to be hollow
        length = 0.0 if claim == "open" else 6.0 + 2.0 * width
        first = [layout.x[i] + layout.tail[k], layout.y[i] + NODE_HEIGHT / 2]
        last = [layout.x[j] + layout.head[k], layout.y[j] - NODE_HEIGHT / 2 - length]
        points = smooth_curve(np.vstack([first, layout.bends[k], last]))
        full = np.array(to_rgb(by_sign))
        # mixed with white, not transparent: crossing lines would look surer where they cross
        colour = tuple(1.0 - (1.0 - full) * (_PALEST + (1.0 - _PALEST) * sure))
        line = Curve(points, [Curve.MOVETO, *[Curve.CURVE4] * (len(points) - 1)])
        ax.add_patch(
            PathPatch(
                line,
                fill=False,
                edgecolor=colour,
                linewidth=scale * width,
                linestyle="--" if sure < 0.5 else "-",
                zorder=2,
            )
        )
        if claim != "open":
            along = (points[-1] - points[-2]) / np.hypot(*(points[-1] - points[-2]))
            aside = 0.45 * length * np.array([-along[1], along[0]])
            corners = [last + aside, last + length * along, last - aside]
            face = colour if claim == "directed" else "white"
            ax.add_patch(
                Polygon(corners, facecolor=face, edgecolor=colour, linewidth=1.2 * scale, zorder=2)
            )
