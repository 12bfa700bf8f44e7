"""The methods that are compared, without their packages: the list, the conversions, our own."""

from __future__ import annotations

import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock.graph import as_csr, edge_list
from daglock_evaluation.harness.case import Case, permuted
from daglock_evaluation.harness.figures import COLOURS
from daglock_evaluation.harness.judge import judge
from daglock_evaluation.methods import Method, classes, find, methods, orders, paper

ASKED_FOR = {
    *("daglock", "daglock-equal", "daglock-unequal", "empty"),
    *("dagma", "dagma-tuned", "notears", "golem-ev", "golem-nv"),
    *("flop-0", "flop-20", "flop-100", "boss", "ges", "pc", "xges"),
    *("direct-lingam", "var-sortnregress", "r2-sortnregress"),
    *("paper-spg", "paper-exp-adam", "paper-aac", "paper-ahoc", "paper-logdet"),
}


def everyone() -> list[Method]:
    """All peers as they stand in their files, so that a name given twice shows."""
    from importlib import import_module
    from pkgutil import iter_modules

    import daglock_evaluation.methods as package

    names = [file.name for file in iter_modules(package.__path__)]
    files = [import_module(f"{package.__name__}.{name}") for name in names]
    return [peer for file in files for peer in file.METHODS]


def test_all_peers_that_were_asked_for_are_there() -> None:
    assert set(methods()) >= ASKED_FOR


def test_names_and_labels_are_unique() -> None:
    for values in ([peer.name for peer in everyone()], [peer.label for peer in everyone()]):
        assert len(set(values)) == len(values)
    assert len(methods()) == len(everyone())


def test_each_peer_looks_different_in_figures() -> None:
    looks = [(peer.colour, peer.marker) for peer in everyone()]
    assert len(set(looks)) == len(looks)
    assert {peer.colour for peer in everyone()} <= set(COLOURS)


def test_an_unknown_peer_is_refused_by_name() -> None:
    with pytest.raises(InvalidParameterError, match="no peer 'notear'"):
        find("notear")


def test_listing_the_peers_loads_none_of_their_packages() -> None:
    code = (
        "import sys; from daglock_evaluation.methods import methods; methods(); "
        "print({'torch', 'castle', 'causallearn', 'lingam', 'xges', 'CausalDisco', 'dagma', "
        "'flopsearch', 'sklearn'} & set(sys.modules))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "set()"


def test_endpoints_of_causal_learn() -> None:
    # 0 -> 1, 1 -- 2, 3 <-> 2, 3 -> 0: at [i, j] the mark at i of the edge between i and j.
    endpoints = np.zeros((4, 4))
    endpoints[0, 1], endpoints[1, 0] = -1, 1
    endpoints[1, 2], endpoints[2, 1] = -1, -1
    endpoints[2, 3], endpoints[3, 2] = 1, 1
    endpoints[3, 0], endpoints[0, 3] = -1, 1
    assert classes.codes_of_endpoints(endpoints).tolist() == [
        [0, 1, 0, 0],
        [0, 0, 2, 0],
        [0, 2, 0, 2],
        [1, 0, 2, 0],
    ]


def test_adjacency_of_lingam_is_transposed() -> None:
    adjacency = np.zeros((3, 3))
    adjacency[2, 0] = 0.7  # in lingam the effect of 0 on 2
    assert np.argwhere(orders.weights_of(adjacency)).tolist() == [[0, 2]]


def test_adjacency_of_xges() -> None:
    adjacency = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    codes = classes.codes_of_adjacency(adjacency)
    assert codes.tolist() == [[0, 1, 0], [0, 0, 2], [0, 2, 0]]
    assert codes.dtype == np.int8


@pytest.mark.parametrize("name", ["daglock", "daglock-equal", "daglock-unequal"])
def test_daglock_finds_an_easy_graph(name: str) -> None:
    case = Case(8, 1, n=2000)
    draw = permuted(case.draw(0), 0)
    peer = find(name)
    figures = judge(peer.run(draw.X, 0, **peer.options), draw.truth, peer.returns, case.target)
    assert figures["cpdag_shd"] == 0
    assert figures["is_dag"]
    if name != "daglock-unequal":  # which is not after directions that only scale can tell
        assert figures["shd"] == 0


def test_the_empty_graph_misses_every_edge() -> None:
    case = Case(8, 1, n=50)
    draw = permuted(case.draw(0), 0)
    figures = judge(find("empty").run(draw.X, 0), draw.truth, "dag", case.target)
    assert figures["shd"] == as_csr(draw.truth).nnz == 8


@pytest.mark.parametrize("name", ["paper-exp-adam", "paper-aac", "paper-logdet"])
def test_solvers_of_the_paper_find_a_chain_after_their_cut(name: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    X[:, 0] += 0.9 * X[:, 2]
    X[:, 1] += 0.9 * X[:, 0]
    peer = find(name)
    answer = peer.run(X, 0, **peer.options)
    sources, targets, weights = edge_list(answer.graph)
    assert {*zip(sources.tolist(), targets.tolist(), strict=True)} == {(2, 0), (0, 1)}
    assert np.abs(weights).min() > paper.THRESHOLD
    assert answer.n_raw is not None
    assert answer.n_raw >= 2


def test_the_paper_own_method_is_not_cut() -> None:
    draw = Case(8, 1, n=1000).draw(0)
    peer = find("paper-spg")
    answer = peer.run(draw.X, 0, **peer.options)
    assert answer.n_raw == as_csr(answer.graph).nnz
    assert answer.raw_is_dag == nx.is_directed_acyclic_graph(nx.DiGraph(np.asarray(answer.graph)))
    assert answer.note


@pytest.mark.parametrize("name", [method.name for method in paper.METHODS])
def test_warming_up_a_solver_of_the_paper_is_short(name: str) -> None:
    peer = find(name)
    answer = peer.run(Case(8, 1, n=200).draw(0).X, 0, **{**peer.options, "time_limit": 0.0})
    assert answer.note == "time limit"
    assert peer.warm_up["time_limit"] > 0
