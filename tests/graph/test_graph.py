"""Graph functions against brute force: transitive closures and enumerated equivalence classes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from daglock.errors import InvalidDataError, InvalidParameterError, NotADAGError
from daglock.graph import (
    dag_to_cpdag,
    edge_list,
    find_cycle,
    is_dag,
    order_of_cyclic,
    strong_components,
    threshold,
    topological_order,
)
from daglock.typing import Array, BoolArray, IntArray
from tests.graph.enumeration import (
    N_CLASSES,
    N_DAGS,
    Adjacency,
    all_orientations,
    equivalence_key,
    nilpotent,
)


def closure(A: NDArray[Any]) -> BoolArray:
    """Reachability by paths of length one or more (Warshall)."""
    reach = np.asarray(A != 0)
    for k in range(len(A)):
        reach = reach | np.outer(reach[:, k], reach[k])
    return reach


def random_graph(d: int, density: float, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return np.where(rng.random((d, d)) < density, rng.normal(size=(d, d)), 0.0)


def respects(order: IntArray, W: Array) -> bool:
    """Every edge points forward, and the order is a permutation."""
    rank = np.argsort(order)
    sources, targets = np.nonzero(W)
    return sorted(order) == list(range(len(W))) and bool((rank[sources] < rank[targets]).all())


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_is_dag_agrees_with_nilpotency_and_counts_all_dags(d: int) -> None:
    graphs = all_orientations(d)
    found = np.array([is_dag(A) for A in graphs])
    np.testing.assert_array_equal(found, nilpotent(graphs))
    assert found.sum() == N_DAGS[d]


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_cpdag_is_the_union_of_the_equivalence_class(d: int) -> None:
    graphs = all_orientations(d)
    dags = graphs[nilpotent(graphs)]
    assert len(dags) == N_DAGS[d]
    classes: dict[Any, list[Adjacency]] = defaultdict(list)
    for A in dags:
        classes[equivalence_key(A)].append(A)
    assert len(classes) == N_CLASSES[d]
    rng = np.random.default_rng(d)
    for members in classes.values():
        union = np.max(members, axis=0)
        expected = np.where(union.astype(bool) & union.T.astype(bool), 2, union)
        checked = members if d <= 4 else [members[rng.integers(len(members))]]
        for A in checked:
            np.testing.assert_array_equal(dag_to_cpdag(A), expected)


def test_cpdag_of_sparse_input_is_sparse_and_equal() -> None:
    W = np.triu(random_graph(30, 0.2, seed=3), 1)
    result = dag_to_cpdag(sparse.csr_array(W))
    np.testing.assert_array_equal(result.toarray(), dag_to_cpdag(W))
    assert dag_to_cpdag(W).dtype == result.dtype == np.int8


def test_cpdag_refuses_a_cycle() -> None:
    with pytest.raises(NotADAGError, match="0 -> 1 -> 0"):
        dag_to_cpdag(np.array([[0, 1], [1, 0]]))


@settings(deadline=None)
@given(st.integers(1, 12), st.floats(0.0, 0.5), st.integers(0, 10**6))
def test_components_orders_and_cycles_agree_with_the_closure(
    d: int, density: float, seed: int
) -> None:
    W = random_graph(d, density, seed)
    original = W.copy()
    reach = closure(W)
    mutual = (reach & reach.T) | np.eye(d, dtype=bool)

    components = strong_components(W)
    labels = np.empty(d, dtype=np.intp)
    for number, nodes in enumerate(components):
        labels[nodes] = number
    np.testing.assert_array_equal(labels[:, None] == labels[None, :], mutual)
    order = np.concatenate(components)
    rank = np.argsort(order)
    # A path to an earlier node can only stay inside its component.
    assert not (reach & ~mutual & (rank[:, None] > rank[None, :])).any()

    acyclic = not np.diagonal(reach).any()
    cycle = find_cycle(W)
    assert is_dag(W) == is_dag(sparse.coo_array(W)) == acyclic == (cycle is None)
    assert is_dag(W != 0) == acyclic
    if cycle is None:
        assert respects(topological_order(W), W)
        assert respects(order_of_cyclic(W), W)
    else:
        assert len(set(cycle)) == len(cycle)
        assert all(W[i, j] != 0 for i, j in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        with pytest.raises(NotADAGError, match=" -> "):
            topological_order(W)
    np.testing.assert_array_equal(W, original)


@settings(deadline=None)
@given(st.integers(2, 10), st.floats(0.1, 1.0), st.integers(0, 10**6))
def test_a_broken_edge_is_the_weakest_of_a_cycle(d: int, density: float, seed: int) -> None:
    W = random_graph(d, density, seed)
    np.fill_diagonal(W, 0.0)
    order = order_of_cyclic(W)
    assert sorted(order) == list(range(d))
    rank = np.argsort(order)
    for i, j in zip(*np.nonzero(W), strict=True):
        if rank[i] > rank[j]:
            stronger = np.where(np.abs(W) > abs(W[i, j]), W, 0.0)
            assert closure(stronger)[j, i]


def test_order_of_cyclic_gives_up_the_weak_edges_of_a_perturbed_dag() -> None:
    W = np.triu(np.sign(random_graph(40, 0.2, seed=0)), 1)
    noisy = W + np.tril(1e-3 * random_graph(40, 0.3, seed=1))
    assert not is_dag(noisy)
    assert respects(order_of_cyclic(noisy), W)
    assert respects(order_of_cyclic(sparse.csr_array(noisy)), W)


def test_a_self_loop_is_a_cycle_however_small() -> None:
    W = np.diag([0.0, 5e-324, 0.0])
    assert not is_dag(W)
    assert find_cycle(W) == [1]
    with pytest.raises(NotADAGError, match="1 -> 1"):
        topological_order(W)
    assert sorted(order_of_cyclic(W)) == [0, 1, 2]


def test_message_shortens_a_long_cycle() -> None:
    nodes = np.arange(1000)
    ring = sparse.csr_array((np.ones(1000), (nodes, np.roll(nodes, -1))), shape=(1000, 1000))
    with pytest.raises(NotADAGError, match=r"0 -> 1 -> .* more\) .* -> 999 -> 0") as caught:
        topological_order(ring)
    assert len(str(caught.value)) < 200


def test_stored_zeros_and_duplicates_are_no_edges() -> None:
    rows, columns, values = [0, 1, 1], [1, 0, 0], [1.0, 2.0, -2.0]
    W = sparse.csr_matrix((values, columns, [0, 1, 3]), shape=(2, 2))
    assert is_dag(W)
    assert W.nnz == 3
    assert is_dag(sparse.coo_array((values, (rows, columns)), shape=(2, 2)))
    assert edge_list(W)[0].tolist() == [0]


def test_large_sparse_graphs() -> None:
    d = 20_000
    rng = np.random.default_rng(0)
    hidden = rng.permutation(d)
    first, second = rng.integers(0, d, (2, 2 * d))
    low, high = np.minimum(first, second), np.maximum(first, second)
    proper = low < high
    sources, targets = hidden[low[proper]], hidden[high[proper]]
    W = sparse.csr_array((np.ones(sources.size), (sources, targets)), shape=(d, d))
    assert is_dag(W)
    for order in (topological_order(W), order_of_cyclic(W)):
        rank = np.argsort(order)
        assert (rank[sources] < rank[targets]).all()
    assert len(strong_components(W)) == d
    assert dag_to_cpdag(W).shape == (d, d)


def test_threshold_zeroes_strictly_below_and_copies() -> None:
    W = np.array([[0.0, 0.3, -0.3], [0.29, 0.0, -0.31], [0.0, 1.0, 0.0]])
    original = W.copy()
    expected = np.array([[0.0, 0.3, -0.3], [0.0, 0.0, -0.31], [0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(threshold(W, 0.3), expected)
    np.testing.assert_array_equal(threshold(sparse.csc_array(W), 0.3).toarray(), expected)
    np.testing.assert_array_equal(W, original)
    np.testing.assert_array_equal(threshold(W, 0.0), W)


@pytest.mark.parametrize("cutoff", [-0.1, np.nan, np.inf])
def test_threshold_refuses_a_bad_cutoff(cutoff: float) -> None:
    with pytest.raises(InvalidParameterError, match="cutoff"):
        threshold(np.zeros((2, 2)), cutoff)


@pytest.mark.parametrize("d", [0, 1, 2, 3, 4, 31, 32, 33, 64, 65])
def test_a_path_is_a_dag_and_its_closure_is_not(d: int) -> None:
    """As long as there are nodes, and however they are kept."""
    path = np.eye(d, k=1, dtype=np.bool_)
    assert is_dag(path)
    assert is_dag(path[::-1, ::-1])
    if d:
        path[-1, 0] = True
        assert not is_dag(path)
        assert not is_dag(sparse.coo_array(path))


@pytest.mark.parametrize("kind", [np.float64, np.bool_])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 2, 2)])
def test_a_matrix_that_is_not_square_is_refused(shape: tuple[int, ...], kind: type) -> None:
    with pytest.raises(InvalidDataError, match="square"):
        is_dag(np.zeros(shape, dtype=kind))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(InvalidDataError, match="NaN or infinite"):
        is_dag(np.array([[0.0, bad], [0.0, 0.0]]))


@pytest.mark.parametrize("bad", [[["a", "b"], ["c", "d"]], [[1j, 0], [0, 0]], [[1, 2], [3]]])
def test_entries_that_are_not_real_numbers_are_refused(bad: Any) -> None:
    with pytest.raises(InvalidDataError, match="real numbers"):
        is_dag(bad)


def test_the_empty_matrix() -> None:
    empty = np.zeros((0, 0))
    assert is_dag(empty)
    assert topological_order(empty).size == order_of_cyclic(empty).size == 0
    assert strong_components(empty) == []
