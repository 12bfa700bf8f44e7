"""The layout of a whole graph: boxes for the names, connected parts one by one, side by side."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from daglock.drawing.layers import (
    Ladder,
    coordinates,
    few_crossings,
    narrow_layers,
    short_layers,
    total_crossings,
)
from daglock.typing import Array, IntArray

# In units of the layout, which are pixels of a page at a font size of 13.
NODE_HEIGHT = 30.0
FONT_SIZE = 13.0
_PADDING = 24.0
_NARROWEST, _WIDEST = 44.0, 170.0
_NARROW, _BROAD = frozenset("fijlrtI.,:;!|'`()[] "), frozenset("mwMW@%")
_GAP = 22.0  # between the boxes of a layer
_BEND_WIDTH = 4.0
_LAYER_STEP = 88.0  # between the middles of two layers; up to _STRETCH times that in wide graphs
_STRETCH = 3.0
# A layer holds at most sqrt(_CROWD·d) nodes, but for small graphs.
_MOST, _CROWD = 12, 2.0
_PART_GAP = 48.0
_PORT_STEP, _PORT_SHARE = 13.0, 0.66  # between the ends of two edges; of the width of a node
_ASPECT = 1.7  # width by height that the whole aims at


@dataclass(frozen=True, eq=False)
class Layout:
    """Where everything is; y grows downwards.

    Attributes
    ----------
    x, y : (d,) middles of the nodes.
    layer : (d,) row of each node inside its connected part.
    bends : one (k, 2) array for each edge
        The points through which a long edge goes on its way from source to target.
    tail, head : (n_edges,)
        Where an edge leaves its source and enters its target, as an offset from the middle of the
        node: edges at one node are spread in the order of where they come from.
    width, height : of the whole; it starts at (0, 0).
    """

    x: Array
    y: Array
    layer: IntArray
    bends: tuple[Array, ...]
    tail: Array
    head: Array
    width: float
    height: float


def layered_layout(
    source: IntArray, target: IntArray, d: int, *, widths: Array | None = None
) -> Layout:
    """Lay out a DAG in layers, every edge downwards.

    Parameters
    ----------
    source, target : (n_edges,)
    d : number of nodes.
    widths : (d,) of the boxes of the nodes, optional.

    References
    ----------
    Sugiyama, Tagawa and Toda (1981), "Methods for visual understanding of hierarchical system
    structures", whose three steps these are: layers, order in the layers, coordinates.

    Examples
    --------
    >>> layout = layered_layout(np.array([0, 1, 0]), np.array([1, 2, 2]), 3)
    >>> layout.layer.tolist(), [len(bends) for bends in layout.bends]
    ([0, 1, 2], [0, 0, 1])
    """
    source, target = np.asarray(source, dtype=np.intp), np.asarray(target, dtype=np.intp)
    boxes = np.full(d, 60.0) if widths is None else np.asarray(widths, dtype=np.float64)
    x, y, layer = np.zeros(d), np.zeros(d), np.zeros(d, dtype=np.intp)
    bends = [np.empty((0, 2))] * len(source)
    parts = _parts(source, target, d)
    layouts = []
    for nodes, edges in parts:
        ends = np.searchsorted(nodes, source[edges]), np.searchsorted(nodes, target[edges])
        layouts.append(_one_part(*ends, boxes[nodes]))
    alone = np.setdiff1d(np.arange(d), np.concatenate([source, target]))
    places, width, height = _shelves(np.array([(part.width, part.height) for part in layouts]))
    for (nodes, edges), part, place in zip(parts, layouts, places, strict=True):
        x[nodes], y[nodes], layer[nodes] = part.x + place[0], part.y + place[1], part.layer
        for edge, points in zip(edges, part.bends, strict=True):
            bends[edge] = points + place
    if len(alone):
        top = height + _PART_GAP if parts else 0.0
        places, extent, bottom = _grid(boxes[alone], width)
        x[alone], y[alone] = places[:, 0] + boxes[alone] / 2, top + places[:, 1] + NODE_HEIGHT / 2
        width, height = max(width, extent), top + bottom
    tail = _ports(
        source, boxes, [b[0, 0] if len(b) else x[t] for b, t in zip(bends, target, strict=True)]
    )
    head = _ports(
        target, boxes, [b[-1, 0] if len(b) else x[s] for b, s in zip(bends, source, strict=True)]
    )
    return Layout(x, y, layer, tuple(bends), tail, head, float(width), float(height))


def label_widths(names: Sequence[str]) -> Array:
    """Estimate the width of each box; a name that needs more than the widest will be cut.

    Examples
    --------
    >>> label_widths(["a", "expression level", "x" * 1000]).round().tolist()
    [44.0, 133.0, 170.0]
    """
    widths = [_PADDING + FONT_SIZE * sum(map(_em, name[:60])) for name in names]
    return np.clip(np.array(widths, dtype=np.float64), _NARROWEST, _WIDEST)


def shortened(name: str) -> str:
    r"""Return a name as one line that fits into its box, cut where it must be.

    Examples
    --------
    >>> shortened("a name"), shortened("first line\nsecond"), shortened("W" * 100), shortened("")
    ('a name', 'first line second', 'WWWWWWWWWW…', '(no name)')
    """
    line = " ".join(name.split()) or "(no name)"
    room = (_WIDEST - _PADDING) / FONT_SIZE
    lengths = np.cumsum([_em(letter) for letter in line])
    if lengths[-1] <= room:
        return line
    return line[: int(np.searchsorted(lengths, room - 0.8, side="right"))] + "…"


def _em(letter: str) -> float:
    """Width of a letter in units of the font size, for a usual sans-serif font."""
    if unicodedata.category(letter) in ("Mn", "Me", "Cf", "Cc"):  # marks, controls
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in _NARROW:
        return 0.36
    return 1.0 if letter in _BROAD else 0.7 if letter.isupper() else 0.6


def _parts(source: IntArray, target: IntArray, d: int) -> list[tuple[IntArray, IntArray]]:
    """Nodes and edges of every connected part with an edge, the largest first."""
    graph = csr_array((np.ones(len(source)), (source, target)), shape=(d, d))
    _, label = connected_components(graph, directed=False)
    count = np.bincount(label)
    chosen = [part for part in np.argsort(-count, kind="stable") if count[part] > 1]
    return [
        (np.flatnonzero(label == part), np.flatnonzero(label[source] == part)) for part in chosen
    ]


def _one_part(source: IntArray, target: IntArray, widths: Array) -> Layout:
    """Lay out a connected graph; where edges leave and enter is for later."""
    d = len(widths)
    layer = short_layers(source, target, d)
    layer = narrow_layers(layer, source, target, max(_MOST, round(np.sqrt(_CROWD * d))))
    ladder, chains = _ladder(source, target, layer)
    bend = np.arange(len(ladder.layer)) >= d
    boxes = np.full(len(ladder.layer), _BEND_WIDTH)
    boxes[:d] = widths
    starts = (
        np.arange(len(boxes), dtype=np.float64),
        _depth_first(ladder.upper, ladder.lower, len(boxes)),
        _depth_first(ladder.lower, ladder.upper, len(boxes)),
    )
    place = min(
        (few_crossings(ladder, start) for start in starts),
        key=lambda candidate: total_crossings(ladder, candidate),
    )
    x = coordinates(ladder, place, boxes, _GAP, bend)
    left = (x - boxes / 2).min()
    x = x - left
    width = float((x + boxes / 2).max())
    n_layers = int(layer.max()) + 1
    step = float(np.clip(width / _ASPECT / n_layers, _LAYER_STEP, _STRETCH * _LAYER_STEP))
    y: Array = NODE_HEIGHT / 2 + step * ladder.layer.astype(np.float64)
    bends = tuple(np.column_stack([x[chain], y[chain]]) for chain in chains)
    height, ends = float(y.max() + NODE_HEIGHT / 2), np.zeros(len(source))
    return Layout(x[:d], y[:d], layer, bends, ends, ends, width, height)


def _ladder(source: IntArray, target: IntArray, layer: IntArray) -> tuple[Ladder, list[IntArray]]:
    """Put a point on every layer that an edge passes; return these points edge by edge, too."""
    d = len(layer)
    span = layer[target] - layer[source] - 1
    ends = d + np.cumsum(span)
    chains = [np.arange(end - k, end) for end, k in zip(ends, span, strict=True)]
    paths = [[s, *c, t] for s, c, t in zip(source, chains, target, strict=True)]
    upper = np.array([v for path in paths for v in path[:-1]], dtype=np.intp)
    lower = np.array([v for path in paths for v in path[1:]], dtype=np.intp)
    layers = [layer, *(layer[s] + 1 + np.arange(k) for s, k in zip(source, span, strict=True))]
    return Ladder(np.concatenate(layers), upper, lower), chains


def _depth_first(one: IntArray, other: IntArray, v: int) -> Array:
    """When each node is met on a walk in depth along the edges from those without parents."""
    children: list[list[int]] = [[] for _ in range(v)]
    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        children[a].append(b)
    roots = np.setdiff1d(np.arange(v), other)
    time = np.full(v, -1.0)
    clock = 0
    stack = roots[::-1].tolist()
    while stack:
        node = stack.pop()
        if time[node] < 0:
            time[node] = clock
            clock += 1
            stack.extend(reversed(children[node]))
    return time


def _ports(node: IntArray, widths: Array, away: Sequence[float]) -> Array:
    """Spread the ends of the edges over the width of their nodes, sorted by where they lead."""
    offset = np.zeros(len(node))
    order = np.lexsort((np.asarray(away, dtype=np.float64), node))
    for edges in np.split(order, np.flatnonzero(np.diff(node[order])) + 1):
        k = len(edges)
        if k > 1:
            step = min(_PORT_STEP, _PORT_SHARE * widths[node[edges[0]]] / (k - 1))
            offset[edges] = step * (np.arange(k) - (k - 1) / 2)
    return offset


def _shelves(sizes: Array) -> tuple[Array, float, float]:
    """Put rectangles on shelves, the tallest first; of all lengths the nearest to the aspect wins.

    Return their corners and the extent.
    """
    if not len(sizes):
        return np.empty((0, 2)), 0.0, 0.0
    order = np.lexsort((-sizes[:, 0], -sizes[:, 1]))
    lengths = np.cumsum(sizes[order, 0] + _PART_GAP)
    candidates = [_fill(sizes, order, length, _PART_GAP) for length in lengths[:100]]
    return min(candidates, key=lambda filled: max(filled[1] / _ASPECT, filled[2]))


def _grid(widths: Array, available: float) -> tuple[Array, float, float]:
    """Put nodes without edges in rows; return their corners and the extent."""
    sizes = np.column_stack([widths, np.full(len(widths), NODE_HEIGHT)])
    area = float((sizes + _GAP).prod(axis=1).sum())
    limit = max(available, float(widths.max()), float(np.sqrt(area * _ASPECT)))
    return _fill(sizes, range(len(widths)), limit, _GAP)


def _fill(
    sizes: Array, order: Iterable[int], length: float, gap: float
) -> tuple[Array, float, float]:
    """Fill shelves of a length; a rectangle that is longer gets a shelf of its own."""
    corners = np.empty(sizes.shape)
    left = top = shelf = extent = 0.0
    for k in order:
        w, h = sizes[k].tolist()
        if left > 0.0 and left + w > length:
            left, top, shelf = 0.0, top + shelf + gap, 0.0
        corners[k] = left, top
        extent, shelf = max(extent, left + w), max(shelf, h)
        left += w + gap
    return corners, extent, top + shelf
