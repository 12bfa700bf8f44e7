"""Objects of packages that need not be there: causal-learn's graph, pgmpy's Gaussian network."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock.errors import MissingExtraError
from daglock.interop._model import fitted, require_numbers

if TYPE_CHECKING:
    from daglock.estimator import DAGLock


def to_causallearn(model: DAGLock, *, dag: bool = False) -> Any:
    """Return the graph as causal-learn's ``GeneralGraph``.

    There, i -> j is ``graph[j, i] = 1`` with ``graph[i, j] = -1``, and i --- j is -1 in both.

    Parameters
    ----------
    model : a fitted DAGLock.
    dag : the graph that was found, with a direction for every edge, instead of what is claimed:
        arrows for "directed", lines for the rest, leaning or open.

    Raises
    ------
    MissingExtraError
        Without causal-learn.
    """
    found = fitted(model).dag
    kinds = ("Edge", "Endpoint", "GeneralGraph", "GraphNode")
    modules = _modules("causal-learn", *(f"causallearn.graph.{kind}" for kind in kinds))
    Edge, Endpoint, GeneralGraph, GraphNode = map(getattr, modules, kinds)
    nodes = [GraphNode(name) for name in model.names_]
    graph = GeneralGraph(nodes)
    # causal-learn notes ancestors as edges come in and is right only if causes come first
    claimed = [] if dag else model.claimed_edges()
    for e in np.argsort(found.position[found.target], kind="stable"):
        source, target = nodes[found.source[e]], nodes[found.target[e]]
        head = Endpoint.ARROW if dag or claimed[e].is_directed else Endpoint.TAIL
        graph.add_edge(Edge(source, target, Endpoint.TAIL, head))
    return graph


def to_pgmpy(model: DAGLock) -> Any:
    """Return the fitted ``LinearGaussianBayesianNetwork``: x_j = a_j + Σ_i W[i, j] x_i + noise.

    Intercepts a_j are such that the means are those of the data. It is a ``DAG`` of pgmpy, too.

    Raises
    ------
    InvalidParameterError
        The model has categories. For pgmpy's discrete networks take the edges of
        ``model.causal_graph_``, and let pgmpy estimate the tables.
    MissingExtraError
        Without pgmpy.
    """
    learned = require_numbers(model, "pgmpy's linear Gaussian network")
    factors, models = _modules("pgmpy", "pgmpy.factors.continuous", "pgmpy.models")
    dag, names, means = learned.dag, model.names_, model.moments_.means
    deviations = np.sqrt(learned.noise_variances)
    network = models.LinearGaussianBayesianNetwork()
    network.add_nodes_from(names)
    network.add_edges_from(
        [(names[i], names[j]) for i, j in zip(dag.source, dag.target, strict=True)]
    )
    for j, (P, weights) in enumerate(zip(dag.parents, dag.by_target(dag.weight), strict=True)):
        coefficients = [means[j] - weights @ means[P], *weights]
        evidence = [names[i] for i in P]
        cpd = factors.LinearGaussianCPD(names[j], coefficients, float(deviations[j]), evidence)
        network.add_cpds(cpd)
    return network


def _modules(package: str, *names: str) -> list[Any]:
    """Import modules of a package."""
    try:
        return [import_module(name) for name in names]
    except ImportError as missing:
        raise MissingExtraError(
            f"The hand-off to {package} needs it: pip install {package}"
        ) from missing
