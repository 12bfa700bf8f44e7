"""networkx: what was found and is claimed, the class, and files."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import TYPE_CHECKING

from daglock.interop._model import edges_of, fitted, require_names
from daglock.table.frames import make_digraph

if TYPE_CHECKING:
    import networkx

    from daglock.estimator import DAGLock

# What is no Char of XML 1.0, https://www.w3.org/TR/xml/#charsets
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_networkx(model: DAGLock) -> networkx.DiGraph[str]:
    """Return the graph as ``model.to_networkx()`` does: names as nodes, claims as attributes."""
    fitted(model)
    return model.to_networkx()


def to_cpdag_networkx(model: DAGLock) -> networkx.DiGraph[str]:
    """Return the completed class of the graph: an undirected edge is there in both directions.

    Edges have ``identified_by`` and no weights, because the effect along an edge depends on
    directions that are open here.

    Examples
    --------
    >>> import numpy as np
    >>> from daglock import DAGLock, Moments
    >>> moments = Moments.from_covariance(np.array([[1.0, 0.5], [0.5, 2.0]]), n=1000)
    >>> model = DAGLock("unequal").fit_moments(moments)
    >>> sorted(to_cpdag_networkx(model).edges)
    [('x0', 'x1'), ('x1', 'x0')]
    """
    marks, names = fitted(model).cpdag(), model.names_
    graph = make_digraph(names)
    by = {(edge.source, edge.target): edge.identified_by for edge in model.named_edges()}
    for i, j in zip(*marks.nonzero(), strict=True):
        graph.add_edge(names[i], names[j], identified_by=by.get((names[i], names[j]), ""))
    return graph


def to_graphml(model: DAGLock) -> str:
    """Write the graph as GraphML, edges with the fields of `ClaimedEdge` as attributes."""
    graph = to_networkx(model)
    require_names(model.names_, _IMPOSSIBLE, "graphml", "XML has no control characters")
    from networkx import write_graphml_xml

    file = BytesIO()
    # by name, because write_graphml writes differently where lxml is installed
    write_graphml_xml(graph, file)
    return file.getvalue().decode("utf-8")


def to_gml(model: DAGLock) -> str:
    """Write the graph as GML, edges with the fields of `ClaimedEdge` as attributes."""
    from networkx import generate_gml

    return "\n".join([*generate_gml(to_networkx(model)), ""])


def to_node_link(model: DAGLock) -> str:
    """Write the graph as JSON that ``networkx.node_link_graph(..., edges="edges")`` reads."""
    edges = edges_of(model)
    content = {
        "directed": True,
        "multigraph": False,
        "graph": {"noise": model.learned_.noise},
        "nodes": [{"id": name, "kind": model.kinds_[name]} for name in model.names_],
        "edges": [edge._asdict() for edge in edges],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
