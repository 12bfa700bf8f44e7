"""Lock: an order of every matrix, that of the graph where it is a DAG."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock.graph import is_dag
from daglock.search.lock import lock
from daglock.simulate import erdos_renyi, near_cyclic


@pytest.mark.parametrize("seed", range(10))
def test_a_dag_keeps_all_its_edges(seed: int) -> None:
    W = erdos_renyi(12, 25, rng=seed)
    first = np.random.default_rng(seed).permutation(12)
    for order in (lock(W), lock(W, first)):
        assert sorted(order) == list(range(12))
        i, j = np.nonzero(W)
        position = np.argsort(order)
        assert (position[i] < position[j]).all()


@pytest.mark.parametrize("seed", range(10))
def test_of_a_cycle_only_the_weakest_edge_is_lost(seed: int) -> None:
    W = near_cyclic(5, rng=seed)
    assert not is_dag(W)
    position = np.argsort(lock(W))
    i, j = np.nonzero(W)
    backward = position[i] > position[j]
    assert backward.sum() == 1
    assert np.abs(W[i, j])[backward] == np.abs(W[i, j]).min()


def test_what_is_open_comes_as_in_first() -> None:
    first = np.array([2, 0, 3, 1])
    assert lock(np.zeros((4, 4)), first).tolist() == [2, 0, 3, 1]
    assert lock(np.zeros((4, 4))).tolist() == [0, 1, 2, 3]
    W = np.zeros((4, 4))
    W[1, 2] = 1.0
    order = lock(W, first).tolist()
    assert order.index(1) < order.index(2)
    assert [v for v in order if v != 2] == [0, 3, 1]


@pytest.mark.parametrize("seed", range(10))
def test_columns_have_no_precedence(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(7, 7)) * (rng.random((7, 7)) < 0.4)
    first, p = rng.permutation(7), rng.permutation(7)
    permuted = lock(W[np.ix_(p, p)], np.argsort(p)[first])
    np.testing.assert_array_equal(p[permuted], lock(W, first))


def test_w_is_left_alone() -> None:
    W = near_cyclic(4, rng=0)
    before = W.copy()
    lock(W)
    np.testing.assert_array_equal(W, before)


@pytest.mark.parametrize("W", [np.zeros(3), np.zeros((2, 3)), np.full((2, 2), np.nan)])
def test_refuses(W: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    with pytest.raises(InvalidParameterError, match="square"):
        lock(W)
