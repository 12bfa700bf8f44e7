"""causal-learn: its own classes and distances see the graph that we mean."""

from __future__ import annotations

from importlib import import_module
from itertools import permutations

import networkx as nx
import numpy as np
import pytest

from daglock import DAGLock, Moments
from daglock.interop import to_causallearn, to_networkx
from daglock.simulate import population_covariance
from tests.interop.models import IDENTIFIED, NAMES, OPEN, claiming, model

pytestmark = pytest.mark.handoff("causallearn")


def test_cells_are_as_documented() -> None:
    graph = to_causallearn(model()).graph
    cell = {name: k for k, name in enumerate(NAMES)}
    expected = np.zeros((8, 8))
    for i, j in IDENTIFIED:
        expected[cell[j], cell[i]], expected[cell[i], cell[j]] = 1, -1
    for i, j in OPEN:
        expected[cell[j], cell[i]] = expected[cell[i], cell[j]] = -1
    np.testing.assert_array_equal(graph, expected)


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_their_class_of_our_dag_is_ours(noise: str) -> None:
    Dag, GraphNode, SHD = (
        getattr(import_module(f"causallearn.graph.{name}"), name)
        for name in ("Dag", "GraphNode", "SHD")
    )
    dag2cpdag = import_module("causallearn.utils.DAG2CPDAG").dag2cpdag

    fitted = model(noise=noise)
    truth = Dag([GraphNode(name) for name in NAMES])
    for source, target in to_networkx(fitted).edges:
        truth.add_directed_edge(truth.get_node(source), truth.get_node(target))
    as_dag = to_causallearn(fitted, dag=True)
    assert as_dag.get_node_names() == list(NAMES)
    assert SHD(truth, as_dag).get_shd() == 0
    np.testing.assert_array_equal(as_dag.graph, truth.graph)
    if noise == "unequal":
        theirs, ours = dag2cpdag(truth), to_causallearn(fitted)
        assert SHD(theirs, ours).get_shd() == 0
        np.testing.assert_array_equal(ours.graph, theirs.graph)
        assert SHD(theirs, as_dag).get_shd() == len(OPEN)
    else:
        np.testing.assert_array_equal(to_causallearn(fitted).graph, as_dag.graph)


def test_ancestors_are_known_to_it() -> None:
    """It notes them as edges come, and misses 0 of 2 if 0 -> 1 and 3 -> 2 come before 1 -> 3."""
    W = np.zeros((4, 4))
    W[0, 1], W[1, 3], W[3, 2] = 1.0, 1.0, 1.0
    moments = Moments.from_covariance(population_covariance(W), n=10_000)
    fitted = claiming(DAGLock("equal").fit_moments(moments), [0.95] * 3)
    graph, ours = to_causallearn(fitted), to_networkx(fitted)
    assert set(ours.edges) == {("x0", "x1"), ("x1", "x3"), ("x3", "x2")}
    for a, b in permutations(fitted.names_, 2):
        theirs = graph.is_ancestor_of(graph.get_node(a), graph.get_node(b))
        assert theirs == (a in nx.ancestors(ours, b))


def test_its_questions_get_the_right_answers() -> None:
    graph = to_causallearn(model())
    node = {name: graph.get_node(name) for name in NAMES}
    for a, b in IDENTIFIED:
        assert graph.is_directed_from_to(node[a], node[b])
        assert not graph.is_directed_from_to(node[b], node[a])
    for a, b in OPEN:
        assert graph.is_undirected_from_to(node[a], node[b])
    assert {parent.get_name() for parent in graph.get_parents(node["V6"])} == {"Author", "V5"}
    assert graph.get_num_edges() == 8
