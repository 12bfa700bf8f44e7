"""networkx, and DoWhy that takes its graphs: what was found, what the data orient, files."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import TYPE_CHECKING

from daglock.errors import InvalidParameterError
from daglock.interop._model import edges_of, fitted, require_names
from daglock.table.frames import make_digraph

if TYPE_CHECKING:
    import networkx

    from daglock.estimator import DAGLock

# What is no Char of XML 1.0, https://www.w3.org/TR/xml/#charsets
_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
    edges = edges_of(model)
    graph = make_digraph(model.names_)
    for edge in edges:
        graph.add_edge(edge.source, edge.target, identified_by=edge.identified_by)
        if not edge.identified_by:
            graph.add_edge(edge.target, edge.source, identified_by="")
    return graph


def to_dowhy(model: DAGLock) -> networkx.DiGraph[str]:
    """Return a graph for ``CausalModel(graph=...)`` and ``gcm.StructuralCausalModel(...)``.

    Nodes are the names of the columns, as DoWhy wants them; where X was an array, give DoWhy
    ``pandas.DataFrame(X, columns=model.names_)``. Every edge has the direction of the graph that
    was found, also where the data cannot orient it: ask `undecided` whether an effect depends on
    that. There are no weights: DoWhy estimates effects from the data.
    """
    found = to_networkx(model)
    graph = make_digraph(model.names_)
    graph.add_edges_from(found.edges)
    return graph


def undecided(model: DAGLock, treatment: str, outcome: str) -> list[tuple[str, str]]:
    """Return the edges at the treatment whose open direction decides its effect on the outcome.

    Empty: the effect is the same in every graph that the data allow. Otherwise it differs between
    them, and knowledge must orient these edges first. An edge (treatment, v) is listed when data
    and knowledge do not orient it and a path from v leads on to the outcome without going against
    an arrow. With knowledge an edge may be listed that does not matter.

    References
    ----------
    Perković (2020), Identifying causal effects in maximally oriented partially directed acyclic
    graphs, UAI: identified exactly when no possibly causal path begins with an undirected edge.

    Examples
    --------
    >>> import numpy as np
    >>> from daglock import DAGLock, Moments
    >>> moments = Moments.from_covariance(np.array([[1.0, 0.5], [0.5, 2.0]]), n=1000)
    >>> undecided(DAGLock("unequal").fit_moments(moments), "x0", "x1")
    [('x0', 'x1')]
    """
    fitted(model)
    for what, name in (("treatment", treatment), ("outcome", outcome)):
        if name not in model.names_:
            raise InvalidParameterError(f"The {what} {name!r} is not a column of the model.")
    if treatment == outcome:
        raise InvalidParameterError(f"Treatment and outcome are both {treatment!r}.")
    from networkx import descendants

    graph = to_cpdag_networkx(model)
    neighbours = [v for v in graph.successors(treatment) if graph.has_edge(v, treatment)]
    graph.remove_node(treatment)
    return [(treatment, v) for v in neighbours if outcome == v or outcome in descendants(graph, v)]


def to_graphml(model: DAGLock) -> str:
    """Write the graph as GraphML, edges with weight, standardised_weight and oriented."""
    graph = to_networkx(model)
    require_names(model.names_, _IMPOSSIBLE, "graphml", "XML has no control characters")
    from networkx import write_graphml_xml

    file = BytesIO()
    # by name, because write_graphml writes differently where lxml is installed
    write_graphml_xml(graph, file)
    return file.getvalue().decode("utf-8")


def to_gml(model: DAGLock) -> str:
    """Write the graph as GML, edges with weight, standardised_weight and oriented (1 or 0)."""
    from networkx import generate_gml

    return "\n".join([*generate_gml(to_networkx(model)), ""])


def to_node_link(model: DAGLock) -> str:
    """Write the graph as JSON that ``networkx.node_link_graph(..., edges="edges")`` reads."""
    edges = edges_of(model)
    content = {
        "directed": True,
        "multigraph": False,
        "graph": {"noise": model.learned_.noise},
        "nodes": [{"id": name} for name in model.names_],
        "edges": [edge._asdict() for edge in edges],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
