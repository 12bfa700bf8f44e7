"""DoWhy: effects and interventions in the graph that was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daglock.errors import InvalidParameterError
from daglock.interop._model import fitted
from daglock.interop.networkx import to_cpdag_networkx, to_networkx

if TYPE_CHECKING:
    import networkx

    from daglock.estimator import DAGLock


def to_dowhy(model: DAGLock) -> networkx.DiGraph[str]:
    """Return a graph for ``CausalModel(graph=...)`` and ``gcm.StructuralCausalModel(...)``.

    Nodes are the names of the columns, as DoWhy wants them; where X was an array, give DoWhy
    ``pandas.DataFrame(X, columns=model.names_)``. Every edge has the direction of the graph that
    was found, also where the data cannot orient it: ask `undecided` whether an effect depends on
    that. There are no weights: DoWhy estimates effects from the data.
    """
    from networkx import DiGraph

    found = to_networkx(model)
    graph: DiGraph[str] = DiGraph()
    graph.add_nodes_from(found.nodes)
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
