from __future__ import annotations

import numpy as np
import pytest

from daglock.constraints.components import SupportGraph, is_strongly_connected
from daglock.graph import strong_components
from tests.constraints.reference import random_sparse


@pytest.mark.parametrize("seed", range(60))
def test_components_against_the_graph_module(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W = random_sparse(rng, int(rng.integers(1, 12)), loops=True)
    graph = SupportGraph(W)
    listed = [(nodes, inner, leaving) for nodes, inner, leaving in graph.components_last_first()]
    expected = {tuple(nodes) for nodes in strong_components(W)}
    assert {tuple(nodes) for nodes, _, _ in listed} == expected
    assert is_strongly_connected(W != 0.0) == (len(expected) == 1)
    # Sinks first: an edge that leaves a component leads to one that was listed before.
    seen: set[int] = set()
    edges = 0
    for nodes, inner, leaving in listed:
        assert set(graph.columns[leaving]) <= seen
        assert set(graph.columns[inner]) <= set(nodes.tolist())
        assert set(graph.rows[leaving]) | set(graph.rows[inner]) <= set(nodes.tolist())
        seen |= set(nodes.tolist())
        edges += inner.size + leaving.size
    assert edges == np.count_nonzero(W)


def test_blocks_hold_the_inner_edges() -> None:
    W = np.zeros((5, 5))
    W[0, 3], W[3, 0], W[3, 4], W[2, 2] = 1.0, 2.0, 3.0, 4.0
    graph = SupportGraph(W)
    weights = W[graph.rows, graph.columns]
    blocks = {
        tuple(nodes.tolist()): graph.block(weights, nodes, edges).tolist()
        for nodes, edges in graph.cyclic_components()
    }
    assert blocks == {(0, 3): [[0.0, 1.0], [2.0, 0.0]], (2,): [[4.0]]}
    weak = sorted(tuple(nodes.tolist()) for nodes, _ in graph.weak_components())
    assert weak == [(0, 3, 4), (2,)]
    assert not list(SupportGraph(np.triu(W, 1)).cyclic_components())
