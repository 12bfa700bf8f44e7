"""networkx, lingam and pcalg: which cell or edge says what, by their own documents."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from daglock import DAGLock
from daglock.estimator import ClaimedEdge
from daglock.graph import dag_to_cpdag
from daglock.interop import to_cpdag_networkx, to_dowhy, to_lingam, to_networkx, to_pcalg
from daglock.interop._model import edges_of
from tests.interop.models import IDENTIFIED, NAMES, OPEN, claiming, model, truth


def test_networkx_has_every_node_and_what_is_known_of_every_edge() -> None:
    graph = to_networkx(model())
    assert type(graph) is nx.DiGraph
    assert tuple(graph.nodes) == NAMES
    assert graph.degree("Goal") == 0
    assert nx.is_directed_acyclic_graph(graph)
    found = {(u, v, *data.values()) for u, v, data in graph.edges.data()}
    assert found == set(edges_of(model()))
    for _, _, data in graph.edges.data():
        assert list(data) == list(ClaimedEdge._fields[2:])
        assert [type(value) for value in data.values()] == [
            float,
            float,
            str,
            float,
            float,
            float,
            str,
            str,
        ]


def test_networkx_of_the_class_has_open_edges_both_ways() -> None:
    graph = to_cpdag_networkx(model())
    assert tuple(graph.nodes) == NAMES
    assert set(graph.edges) == IDENTIFIED | OPEN | {(v, u) for u, v in OPEN}
    assert {(u, v) for u, v, data in graph.edges.data() if data["identified_by"]} == IDENTIFIED
    cpdag = dag_to_cpdag(truth())
    np.testing.assert_array_equal(nx.to_numpy_array(graph, weight="none"), cpdag != 0)


def test_the_class_does_not_ask_for_claims_and_the_others_obey_them() -> None:
    """Nothing is claimed of any direction here, whatever the model identifies."""
    fitted = DAGLock("unequal", random_state=0).fit_moments(model().moments_)
    assert set(to_cpdag_networkx(fitted).edges) == set(to_cpdag_networkx(model()).edges)
    assert fitted._confidence is None
    claiming(fitted, [0.6] * 8)
    amat = to_pcalg(fitted)
    np.testing.assert_array_equal(amat, amat.T)
    assert amat.sum() == 16
    assert set(to_cpdag_networkx(fitted).edges) == set(to_cpdag_networkx(model()).edges)


def test_dowhy_gets_a_plain_acyclic_graph_of_strings() -> None:
    graph = to_dowhy(model())
    assert tuple(graph.nodes) == NAMES
    assert set(graph.edges) == set(to_networkx(model()).edges)
    assert all(data == {} for _, _, data in graph.edges.data())
    assert all(type(name) is str for name in graph.nodes)


def test_lingam_holds_the_effect_of_the_column_on_the_row() -> None:
    B = to_lingam(model(noise="equal"))
    np.testing.assert_allclose(B, truth().T)
    assert B[NAMES.index("V7"), NAMES.index("V6")] == pytest.approx(truth().T[6, 5])
    assert B[NAMES.index("V6"), NAMES.index("V7")] == 0.0


# Help page amatType of pcalg: amat[a, b] and amat[b, a], and what they imply.
CODING = {(0, 1): "a --> b", (1, 0): "a <-- b", (1, 1): "a --- b", (0, 0): "a     b"}


def test_pcalg_is_read_by_its_documented_coding() -> None:
    amat = to_pcalg(model())
    implied = {
        (a, b): CODING[amat[i, j], amat[j, i]]
        for i, a in enumerate(NAMES)
        for j, b in enumerate(NAMES)
    }
    assert {pair for pair, what in implied.items() if what == "a --> b"} == IDENTIFIED
    undirected = {pair for pair, what in implied.items() if what == "a --- b"}
    assert undirected == OPEN | {(b, a) for a, b in OPEN}


def test_pcalg_agrees_with_what_pcalg_says_of_this_graph() -> None:
    """Its own tests (test_displayAmat.R) assert these cells of the CPDAG of gmG8."""
    amat = to_pcalg(model())
    cell = {name: k for k, name in enumerate(NAMES)}
    assert amat[cell["V5"], cell["V8"]] == 0
    assert amat[cell["V8"], cell["V5"]] == 1
    assert amat[cell["Author"], cell["Bar"]] == amat[cell["Bar"], cell["Author"]] == 1
    assert amat[cell["Ctrl"], cell["Author"]] == 0
    assert amat[cell["Goal"], cell["Author"]] == 0


def test_pcalg_of_the_dag_is_the_transposed_pattern() -> None:
    amat = to_pcalg(model(), dag=True)
    np.testing.assert_array_equal(amat, (model().to_sparse().toarray() != 0).T)
    np.testing.assert_array_equal(to_pcalg(model(noise="equal")), (truth() != 0).T)
