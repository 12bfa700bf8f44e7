"""A picture of a graph as SVG: text, without any other package."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

import numpy as np

from daglock.drawing.layered import (
    FONT_SIZE,
    NODE_HEIGHT,
    Layout,
    label_widths,
    layered_layout,
    shortened,
)
from daglock.drawing.picture import colours_of, smooth_curve
from daglock.graph import WeightedDAG
from daglock.typing import Array, BoolArray

_MARGIN = 16.0
_HEAD = 10.0  # length of an arrowhead
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"
# What is no Char of XML 1.0, https://www.w3.org/TR/xml/#charsets
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def svg_graph(
    dag: WeightedDAG,
    names: Sequence[str],
    claims: Sequence[str] | None = None,
    link: Array | None = None,
    *,
    categories: BoolArray | None = None,
    unsigned: BoolArray | None = None,
) -> str:
    """Draw a DAG in layers: a full head for "directed", a hollow one for "leaning", else none.

    Parameters
    ----------
    dag : WeightedDAG
        Weights best in standard deviations: they set the width of the lines.
    names : of the nodes; whatever they are, they stay text.
    claims : for each edge "directed", "leaning" or "open"; all are open when nothing is claimed.
    link : probability of each edge; the less, the paler the line, and dashed below one half.
    categories : for each node whether it is a category: its box has square corners.
    unsigned : for each edge whether its weight is a strength without a sign: a grey line.

    Examples
    --------
    >>> dag = WeightedDAG(
    ...     np.arange(2), np.array([0]), np.array([1]), np.ones(1), np.zeros(1, dtype=bool)
    ... )
    >>> picture = svg_graph(dag, ["<dose>", "pain"], ["directed"])
    >>> picture.count("<path"), picture.count("&lt;dose&gt;")
    (2, 2)
    """
    widths = label_widths([shortened(name) for name in names])
    layout = layered_layout(dag.source, dag.target, dag.d, widths=widths)
    sure = np.ones(dag.n_edges) if link is None else link
    squares = np.zeros(dag.d, dtype=np.bool_) if categories is None else categories
    lines = [
        _edge(dag, layout, e, claims[e] if claims else "open", float(sure[e]), colour)
        for e, colour in enumerate(colours_of(dag, unsigned))
    ]
    boxes = [
        _box(layout.x[v], layout.y[v], width, name, 1 if squares[v] else 8)
        for v, (width, name) in enumerate(zip(widths, names, strict=True))
    ]
    left, top = -_MARGIN, -_MARGIN
    width, height = (size + 2 * _MARGIN for size in (layout.width, layout.height))
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
            f'viewBox="{left:g} {top:g} {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}" '
            f'font-family="{_FONT}" font-size="{FONT_SIZE:g}">',
            f'<rect x="{left:g}" y="{top:g}" width="100%" height="100%" fill="#fff"/>',
            *lines,
            *boxes,
            "</svg>",
            "",
        ]
    )


def _edge(dag: WeightedDAG, layout: Layout, e: int, claim: str, link: float, colour: str) -> str:
    """Return the line of an edge and its head."""
    i, j, weight = int(dag.source[e]), int(dag.target[e]), float(dag.weight[e])
    headed = claim != "open"
    begin = layout.x[i] + layout.tail[e], layout.y[i] + NODE_HEIGHT / 2
    tip = layout.x[j] + layout.head[e], layout.y[j] - NODE_HEIGHT / 2
    end = tip[0], tip[1] - (_HEAD if headed else 0.0)
    curve = smooth_curve(np.vstack([begin, layout.bends[e], end]))
    at = [f"{x:.1f} {y:.1f}" for x, y in curve.tolist()]
    path = f"M{at[0]}" + "".join(f"C{' '.join(at[k : k + 3])}" for k in range(1, len(at), 3))
    dashes = ' stroke-dasharray="6 4"' if link < 0.5 else ""
    wide = 1.2 + 3.8 * min(1.0, abs(weight))
    pale = 0.3 + 0.7 * link
    line = (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{wide:.1f}" '
        f'stroke-opacity="{pale:.2f}"{dashes}/>'
    )
    if not headed:
        return line
    # along the end of the curve, which comes from the control point before it
    along = np.array(end) - curve[-2]
    along /= np.hypot(*along) or 1.0
    aside = np.array([-along[1], along[0]]) * 0.45 * _HEAD
    corners = np.array([end + aside, np.array(end) + along * _HEAD, end - aside])
    points = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners.tolist())
    fill = colour if claim == "directed" else "#fff"
    return line + (
        f'<path d="M{points}Z" fill="{fill}" stroke="{colour}" stroke-width="1.4" '
        f'opacity="{pale:.2f}"/>'
    )


def _box(x: float, y: float, width: float, name: str, rounding: int) -> str:
    """Return the box of a node, its whole name as a hint."""
    title, label = (_text(part) for part in (name, shortened(name)))
    return (
        f'<g><title>{title}</title><rect x="{x - width / 2:.1f}" y="{y - NODE_HEIGHT / 2:.1f}" '
        f'width="{width:.1f}" height="{NODE_HEIGHT:g}" rx="{rounding}" fill="#fff" '
        f'stroke="#8a93a0" stroke-width="1.2"/><text x="{x:.1f}" '
        f'y="{y + 4.5:.1f}" text-anchor="middle" fill="#1d2430">{label}</text></g>'
    )


def _text(name: str) -> str:
    """Return a name that is nothing but text in XML."""
    return escape(_IMPOSSIBLE.sub("\N{REPLACEMENT CHARACTER}", name), quote=True)
