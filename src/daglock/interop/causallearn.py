"""causal-learn: GeneralGraph, with two marks for each edge."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock.errors import MissingExtraError
from daglock.interop._model import fitted

if TYPE_CHECKING:
    from daglock.estimator import DAGLock


def to_causallearn(model: DAGLock, *, dag: bool = False) -> Any:
    """Return the graph as causal-learn's ``GeneralGraph``.

    There, i -> j is ``graph[j, i] = 1`` with ``graph[i, j] = -1``, and i --- j is -1 in both.

    Parameters
    ----------
    model : a fitted DAGLock.
    dag : the graph that was found, instead of the edges that data and knowledge orient.

    Raises
    ------
    MissingExtraError
        Without causal-learn.
    """
    found = fitted(model).dag
    try:
        Edge, Endpoint, GeneralGraph, GraphNode = (
            getattr(import_module(f"causallearn.graph.{name}"), name)
            for name in ("Edge", "Endpoint", "GeneralGraph", "GraphNode")
        )
    except ImportError as missing:
        raise MissingExtraError(
            "The hand-off to causal-learn needs it: pip install causal-learn"
        ) from missing
    nodes = [GraphNode(name) for name in model.names_]
    graph = GeneralGraph(nodes)
    # causal-learn notes ancestors as edges come in and is right only if causes come first
    for e in np.argsort(found.position[found.target], kind="stable"):
        source, target = nodes[found.source[e]], nodes[found.target[e]]
        head = Endpoint.ARROW if dag or found.oriented[e] else Endpoint.TAIL
        graph.add_edge(Edge(source, target, Endpoint.TAIL, head))
    return graph
