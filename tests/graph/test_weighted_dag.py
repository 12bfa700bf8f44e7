"""A weighted DAG says what a dense matrix says, and is a DAG or is not built."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from daglock.errors import InvalidDataError, NotADAGError
from daglock.graph import WeightedDAG, canonical_member, dag_to_cpdag
from daglock.simulate import erdos_renyi

SEEDS = pytest.mark.parametrize("seed", range(10))


def example() -> WeightedDAG:
    """3 -> 0 -> 2 <- 1, and 4 alone; 3 - 0 is open."""
    return WeightedDAG(
        order=np.array([3, 0, 1, 2, 4]),
        source=np.array([3, 0, 1]),
        target=np.array([0, 2, 2]),
        weight=np.array([0.5, -1.0, 0.0]),
        oriented=np.array([False, True, True]),
    )


@SEEDS
def test_there_and_back_through_a_matrix(seed: int) -> None:
    W = np.asarray(erdos_renyi(9, 2 * seed, rng=seed))
    dag = WeightedDAG.from_matrix(W)
    assert (dag.d, dag.n_edges) == (9, int(np.count_nonzero(W)))
    np.testing.assert_array_equal(dag.to_sparse().toarray(), W)
    np.testing.assert_array_equal(dag.adjacency().toarray(), W != 0)
    np.testing.assert_array_equal(dag.marks().toarray(), W != 0)
    assert [P.tolist() for P in dag.parents] == [np.flatnonzero(w).tolist() for w in W.T]
    for j, weights in enumerate(dag.by_target(dag.weight)):
        np.testing.assert_array_equal(weights, W[dag.parents[j], j])
    again = WeightedDAG.from_parents(dag.order, dag.parents, dag.by_target(dag.weight))
    for field in fields(WeightedDAG):
        np.testing.assert_array_equal(getattr(again, field.name), getattr(dag, field.name))
    assert WeightedDAG.from_matrix(csr_array(W)).weight.tobytes() == dag.weight.tobytes()


@SEEDS
def test_its_class_is_that_of_what_is_oriented(seed: int) -> None:
    W = np.asarray(erdos_renyi(8, 12, rng=seed))
    dag = WeightedDAG.from_matrix(W)
    dag = replace(dag, oriented=canonical_member(dag.source, dag.target, 8)[2])
    np.testing.assert_array_equal(dag.marks().toarray(), dag_to_cpdag(W))


@SEEDS
def test_standardised_weights_are_those_of_standardised_columns(seed: int) -> None:
    W = np.asarray(erdos_renyi(8, 12, rng=seed))
    variances = np.random.default_rng(seed).uniform(0.1, 9.0, size=8)
    scale = np.sqrt(variances)
    dag = WeightedDAG.from_matrix(W).standardised(variances)
    np.testing.assert_allclose(dag.to_sparse().toarray(), scale[:, None] * W / scale)


@SEEDS
def test_some_nodes_are_a_block_of_the_matrix(seed: int) -> None:
    W = np.asarray(erdos_renyi(9, 16, rng=seed))
    dag = WeightedDAG.from_matrix(W)
    nodes = np.flatnonzero(np.random.default_rng(seed).random(9) < 0.6)
    some = dag.select(nodes)
    np.testing.assert_array_equal(some.to_sparse().toarray(), W[np.ix_(nodes, nodes)])
    assert nodes[some.order].tolist() == [v for v in dag.order.tolist() if v in nodes]


def test_an_edge_of_weight_zero_is_an_edge() -> None:
    dag = example()
    assert dag.adjacency().toarray()[1, 2] == 1
    assert dag.n_edges == 3
    assert dag.marks().toarray()[1, 2] == 1
    assert dag.marks().toarray()[[0, 3], [3, 0]].tolist() == [2, 2]


def test_edges_that_are_kept_keep_what_belongs_to_them() -> None:
    kept = example().keep(np.array([True, False, True]))
    assert (kept.source.tolist(), kept.target.tolist()) == ([3, 1], [0, 2])
    assert (kept.weight.tolist(), kept.oriented.tolist()) == ([0.5, 0.0], [False, True])


def test_nothing_can_be_changed() -> None:
    order = np.array([0, 1])
    dag = WeightedDAG.from_parents(order, [[], [0]], [[], [2.0]])
    order[:] = order[::-1].copy()
    assert dag.order.tolist() == [0, 1]
    for field in fields(WeightedDAG):
        with pytest.raises(ValueError, match="read-only"):
            getattr(dag, field.name)[:] = 0
    again = pickle.loads(pickle.dumps(dag))
    assert again.to_sparse().toarray().tolist() == dag.to_sparse().toarray().tolist()


def test_without_nodes_and_without_edges() -> None:
    nothing = WeightedDAG.from_parents([], [], [])
    assert (nothing.d, nothing.n_edges) == (0, 0)
    empty = WeightedDAG.from_parents([1, 0], [[], []], [[], []])
    assert [P.tolist() for P in empty.parents] == [[], []]
    assert empty.marks().nnz == 0


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"order": [3, 0, 1, 2, 3]}, InvalidDataError, "each node once"),
        ({"order": [[3, 0, 1, 2, 4]]}, InvalidDataError, "each node once"),
        ({"order": [4, 2, 1, 0, 3]}, NotADAGError, "goes backward"),
        ({"order": [3, 0, 2, 1, 4]}, NotADAGError, "goes backward"),
        ({"source": [3, 0]}, InvalidDataError, "a source, a target, a weight"),
        ({"weight": [0.5, -1.0]}, InvalidDataError, "a source, a target, a weight"),
        ({"oriented": [True]}, InvalidDataError, "a source, a target, a weight"),
        ({"source": [3, 0, 5]}, InvalidDataError, "must join nodes 0 to 4"),
        ({"source": [3, -2, 1]}, InvalidDataError, "must join nodes 0 to 4"),
        ({"source": [3, 1, 0]}, InvalidDataError, "each edge once, sorted"),
        ({"source": [3, 0, 0]}, InvalidDataError, "each edge once, sorted"),
        ({"target": [0, 2, 1]}, InvalidDataError, "each edge once, sorted"),
        ({"target": [3, 2, 2], "source": [3, 0, 1]}, InvalidDataError, "each edge once, sorted"),
        ({"target": [0, 2, 4], "source": [3, 2, 1]}, NotADAGError, "goes backward"),
    ],
)
def test_what_is_no_dag_is_not_built(
    change: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        replace(example(), **change)


def test_a_matrix_with_a_cycle_is_refused_by_name() -> None:
    with pytest.raises(NotADAGError, match="the cycle 0 -> 1 -> 0"):
        WeightedDAG.from_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]))


@SEEDS
def test_among_more_nodes_and_back(seed: int) -> None:
    dag = WeightedDAG.from_matrix(np.asarray(erdos_renyi(6, 2 * seed % 9, rng=seed)))
    nodes = np.sort(np.random.default_rng(seed).choice(10, 6, replace=False))
    wide = dag.among(nodes, 10)
    W = np.zeros((10, 10))
    W[np.ix_(nodes, nodes)] = dag.to_sparse().toarray()
    np.testing.assert_array_equal(wide.to_sparse().toarray(), W)
    back = wide.select(nodes)
    for field in fields(dag):
        np.testing.assert_array_equal(getattr(back, field.name), getattr(dag, field.name))
