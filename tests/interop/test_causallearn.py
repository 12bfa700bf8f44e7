"""causal-learn: its own classes and distances see the graph that we mean."""

from __future__ import annotations

from itertools import permutations

import networkx as nx
import numpy as np
import pytest

from daglock import DAGLock
from daglock.interop import to_causallearn, to_networkx
from tests.interop.models import NAMES, OPEN, ORIENTED, model, needs

pytestmark = needs("causallearn")


def test_cells_are_as_documented() -> None:
    graph = to_causallearn(model()).graph
    cell = {name: k for k, name in enumerate(NAMES)}
    expected = np.zeros((8, 8))
    for i, j in ORIENTED:
        expected[cell[j], cell[i]], expected[cell[i], cell[j]] = 1, -1
    for i, j in OPEN:
        expected[cell[j], cell[i]] = expected[cell[i], cell[j]] = -1
    np.testing.assert_array_equal(graph, expected)


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_their_class_of_our_dag_is_ours(noise: str) -> None:
    from causallearn.graph.Dag import Dag
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.graph.SHD import SHD
    from causallearn.utils.DAG2CPDAG import dag2cpdag

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


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_ancestors_are_known_to_it(noise: str) -> None:
    """It fills them in as edges are added, and forgets some if effects come before causes."""
    fitted: DAGLock = model(noise=noise)
    graph, ours = to_causallearn(fitted, dag=True), to_networkx(fitted)
    for a, b in permutations(NAMES, 2):
        theirs = graph.is_ancestor_of(graph.get_node(a), graph.get_node(b))
        assert theirs == (a in nx.ancestors(ours, b))


def test_its_questions_get_the_right_answers() -> None:
    graph = to_causallearn(model())
    node = {name: graph.get_node(name) for name in NAMES}
    for a, b in ORIENTED:
        assert graph.is_directed_from_to(node[a], node[b])
        assert not graph.is_directed_from_to(node[b], node[a])
    for a, b in OPEN:
        assert graph.is_undirected_from_to(node[a], node[b])
    assert {parent.get_name() for parent in graph.get_parents(node["V6"])} == {"Author", "V5"}
    assert graph.get_num_edges() == 8
