"""What the script of a report works on: a fitted model as a dictionary that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock.drawing.layered import label_widths, layered_layout, shortened
from daglock.typing import Array

if TYPE_CHECKING:
    from daglock.confidence import Bootstrap, Confidence
    from daglock.engine.learned import Learned
    from daglock.estimator import DAGLock
    from daglock.graph import WeightedDAG

# Up to this many nodes the picture opens with all of them; beyond, with one and what is near to it.
MAX_OPENED = 60
# Beyond this many all of them are never drawn at once.
MAX_DRAWN = 1500


def make_payload(
    model: DAGLock, confidence: Confidence | None = None, bootstrap: Bootstrap | None = None
) -> dict[str, Any]:
    """Return names, edges, places and the trace; its size grows with nodes and edges, not with d².

    Total effects are not in it: the script walks the graph when a node is chosen.

    Parameters
    ----------
    model : a fitted DAGLock.
    confidence : Confidence, optional
        Without it nothing is claimed of any direction.
    bootstrap : Bootstrap, optional

    Examples
    --------
    >>> from daglock import DAGLock
    >>> x = np.random.default_rng(0).standard_normal((500, 2))
    >>> x[:, 1] += x[:, 0]
    >>> payload = make_payload(DAGLock(noise="equal").fit(x))
    >>> payload["names"], payload["edges"]["source"], payload["edges"]["target"]
    (['x0', 'x1'], [0], [1])
    """
    learned = model.learned_
    dag = learned.dag
    source, target = dag.source, dag.target
    edges: dict[str, Any] = {
        "source": source.tolist(),
        "target": target.tolist(),
        "weight": numbers(dag.weight),
        "standardised": numbers(model.standardised_weights()),
        "strength": model.strengths().tolist(),
        "identified_by": [edge.identified_by for edge in model.named_edges()],
        "claim": ["open"] * dag.n_edges,
    }
    if confidence is not None:
        sure = confidence.of_edges(dag)
        edges |= {
            "link": rounded(sure.link),
            "direction": rounded(sure.direction),
            "arrow": rounded(sure.arrow),
            "claim": list(sure.claims),
            "because": list(sure.because),
            "said": _said(confidence, dag),
        }
    return {
        "n": model.moments_.n_rows,
        "names": list(model.names_),
        "assessed": confidence is not None,
        "opened": dag.d <= MAX_OPENED,
        "order": dag.order.tolist(),
        "aside": learned.aside.tolist(),
        "linear": model.is_linear_,
        "kinds": [found.kind.value for found in model._kinds],
        "levels": [None if found.levels is None else list(found.levels) for found in model._kinds],
        "category": model.categories().tolist(),
        "deviation": numbers(model.deviations()),
        "explained": rounded(model.explained()),
        "edges": edges,
        "layout": _layout(model.names_, dag),
        "trace": _trace(learned),
        "bootstrap": None if bootstrap is None else _bootstrap(bootstrap),
    }


def numbers(values: Iterable[float]) -> list[float | None]:
    """Return floats as they are; None for what JSON cannot hold."""
    return [value if math.isfinite(value) else None for value in map(float, values)]


def rounded(values: Iterable[float], digits: int = 4) -> list[float | None]:
    """Return floats with a few digits."""
    return [None if value is None else round(value, digits) for value in numbers(values)]


def _said(confidence: Confidence, dag: WeightedDAG) -> list[list[Any]]:
    """Return for each edge what each kind of evidence says of its direction, and how surely."""
    ends = zip(confidence.source.tolist(), confidence.target.tolist(), strict=True)
    place = {frozenset(pair): k for k, pair in enumerate(ends)}
    edges = zip(dag.source.tolist(), dag.target.tolist(), strict=True)
    return [
        [
            [evidence, round(max(direction, 1 - direction), 4), words]
            for evidence, direction, words in confidence.said(place[frozenset(edge)])
        ]
        for edge in edges
    ]


def _layout(names: tuple[str, ...], dag: WeightedDAG) -> dict[str, Any]:
    """Return where everything is drawn; only the widths of the boxes for very many nodes."""
    widths = label_widths([shortened(name) for name in names])
    if len(names) > MAX_DRAWN:
        return {"w": rounded(widths, 0), "x": None}
    layout = layered_layout(dag.source, dag.target, dag.d, widths=widths)
    return {
        "w": rounded(widths, 0),
        "x": rounded(layout.x, 1),
        "y": rounded(layout.y, 1),
        "tail": rounded(layout.tail, 1),
        "head": rounded(layout.head, 1),
        # x, y, x, y, ... of the points of each edge
        "bends": [rounded(_corners(points).ravel(), 1) for points in layout.bends],
        "width": round(layout.width, 1),
        "height": round(layout.height, 1),
    }


def _corners(points: Array) -> Array:
    """Leave out the points in the middle of an upright line: they change nothing."""
    if len(points) < 3:
        return points
    x = points[:, 0]
    upright = (np.abs(x[1:-1] - x[:-2]) < 0.05) & (np.abs(x[1:-1] - x[2:]) < 0.05)
    return np.asarray(points[np.concatenate([[True], ~upright, [True]])])


def _trace(learned: Learned) -> dict[str, Any]:
    """Return the stages of the continuous optimisation and the scores of the search."""
    trace, continuous = learned.trace, None
    if len(trace.mu):
        continuous = {
            "mu": numbers(trace.mu),
            "objective": numbers(trace.objective),
            "n_nonzero": trace.n_nonzero.tolist(),
            "identification": trace.identification_iteration,
        }
    return {"continuous": continuous, "search": numbers(trace.search_scores)}


def _bootstrap(bootstrap: Bootstrap) -> dict[str, Any]:
    """Return the pairs that were ever joined, the most frequent first, and the consensus."""
    rank = np.argsort(-bootstrap.adjacent, kind="stable")
    source, target, _, support = bootstrap.consensus_edges()
    return {
        "n": bootstrap.n,
        "first": bootstrap.first[rank].tolist(),
        "second": bootstrap.second[rank].tolist(),
        "forward": rounded(bootstrap.forward[rank]),
        "backward": rounded(bootstrap.backward[rank]),
        "adjacent": rounded(bootstrap.adjacent[rank]),
        "consensus": {
            "source": source.tolist(),
            "target": target.tolist(),
            "support": rounded(support),
        },
    }
