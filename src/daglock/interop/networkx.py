"""networkx: the graph that was found, and what the data orient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daglock.interop._model import edges_of, fitted

if TYPE_CHECKING:
    import networkx

    from daglock.estimator import DAGLock


def to_networkx(model: DAGLock) -> networkx.DiGraph[str]:
    """Return the graph as ``model.to_networkx()`` does: names as nodes, isolated ones included."""
    fitted(model)
    return model.to_networkx()


def to_cpdag_networkx(model: DAGLock) -> networkx.DiGraph[str]:
    """Return what data and knowledge orient: an undirected edge is there in both directions.

    Edges have ``oriented`` and no weights, because the effect along an edge depends on directions
    that are open here.

    Examples
    --------
    >>> import numpy as np
    >>> from daglock import DAGLock, Moments
    >>> moments = Moments.from_covariance(np.array([[1.0, 0.5], [0.5, 2.0]]), n=1000)
    >>> model = DAGLock("unequal").fit_moments(moments)
    >>> sorted(to_cpdag_networkx(model).edges)
    [('x0', 'x1'), ('x1', 'x0')]
    """
    from networkx import DiGraph

    edges = edges_of(model)
    graph: DiGraph[str] = DiGraph()
    graph.add_nodes_from(model.names_)
    for edge in edges:
        graph.add_edge(edge.source, edge.target, oriented=edge.oriented)
        if not edge.oriented:
            graph.add_edge(edge.target, edge.source, oriented=False)
    return graph
