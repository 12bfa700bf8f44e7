"""Small graphs, gone through one by one, and what can be said of them by definition."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, product
from typing import Any

import networkx as nx
import numpy as np

from daglock.graph import WeightedDAG, dag_to_cpdag, is_dag
from daglock.simulate import erdos_renyi, population_covariance
from daglock.typing import Array


def all_dags(d: int) -> Iterator[Array]:
    """Yield every DAG whose nodes are in order, with weights."""
    pairs = list(combinations(range(d), 2))
    rng = np.random.default_rng(0)
    for present in product([0.0, 1.0], repeat=len(pairs)):
        W = np.zeros((d, d))
        for (i, j), there in zip(pairs, present, strict=True):
            W[i, j] = there * rng.uniform(0.3, 1.5) * rng.choice([-1, 1])
        yield W


def random_dags(d: int, n_edges: int, count: int) -> Iterator[Array]:
    """Yield random DAGs, with weights."""
    for seed in range(count):
        yield erdos_renyi(d, n_edges, weights=(0.3, 1.5), rng=seed)


def digraph(W: Array) -> Any:
    """Return the graph for networkx."""
    graph: Any = nx.DiGraph()
    graph.add_nodes_from(range(len(W)))
    graph.add_edges_from((int(i), int(j)) for i, j in np.argwhere(W))
    return graph


def sum_over_paths(W: Array, cause: int, effect: int) -> float:
    """Return the total effect by its definition."""
    graph = digraph(W)
    paths = nx.all_simple_paths(graph, cause, effect)
    return float(sum(np.prod([W[a, b] for a, b in pairwise(path)]) for path in paths))


def is_valid(W: Array, cause: int, effect: int, given: set[int]) -> bool:
    """Whether a set is an adjustment set: no node behind a causal path, all other paths blocked."""
    graph = digraph(W)
    between = (nx.descendants(graph, cause) & nx.ancestors(graph, effect)) | {effect}
    behind = between.union(*(nx.descendants(graph, v) for v in between))
    if given & (behind | {cause}):
        return False
    graph.remove_edges_from([(cause, v) for v in between if graph.has_edge(cause, v)])
    return bool(nx.is_d_separator(graph, {cause}, {effect}, given))


def equivalent(W: Array) -> Iterator[Array]:
    """Yield the matrices of ones of all DAGs of the equivalence class."""
    ends = np.argwhere(W)
    cpdag = dag_to_cpdag(W)
    for turned in product([False, True], repeat=len(ends)):
        other = np.zeros(W.shape)
        for (i, j), back in zip(ends, turned, strict=True):
            other[(j, i) if back else (i, j)] = 1.0
        if is_dag(other) and np.array_equal(dag_to_cpdag(other), cpdag):
            yield other


def covariance(W: Array) -> Array:
    """Return the covariance of the model with these weights and different variances."""
    return population_covariance(W, np.linspace(0.5, 2.0, len(W)))


def refitted(A: Array, cov: Array) -> WeightedDAG:
    """Return a DAG with the weights that fit a covariance best."""
    W = np.zeros(A.shape)
    for j in range(len(A)):
        P = np.flatnonzero(A[:, j])
        W[P, j] = np.linalg.solve(cov[np.ix_(P, P)], cov[P, j])
    return WeightedDAG.from_matrix(W)
