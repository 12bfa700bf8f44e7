"""Counts against brute force over all states of a pair, and against three other packages.

``reference.csv`` holds 300 pairs of random DAGs (adjacency bits in hexadecimal, row by row) and
what gcastle 1.0.4 (SHD, TPR, FDR), gadjid 0.1.0 (SHD of DAGs and of CPDAGs) and ges 1.1.1 (CPDAGs,
an undirected edge as ones in both cells) said about them.
"""

from __future__ import annotations

import csv
import itertools
from collections import deque
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from daglock.errors import InvalidDataError, NotADAGError
from daglock.graph import dag_to_cpdag
from daglock.metrics import Comparison, compare, compare_classes, compare_cpdag
from daglock.simulate import erdos_renyi

with (Path(__file__).parent / "reference.csv").open(newline="") as file:
    REFERENCE = list(csv.DictReader(file))

State = tuple[int, int]  # is i -> j there, is j -> i there
STATES: list[State] = [(0, 0), (1, 0), (0, 1), (1, 1)]


def pair(state: State) -> NDArray[np.int64]:
    return np.array([[0, state[0]], [state[1], 0]])


def least_edits(start: State, goal: State) -> int:
    """Fewest additions, removals and reversals of one edge, by breadth-first search."""
    distance = {start: 0}
    queue = deque([start])
    while queue:
        forward, backward = state = queue.popleft()
        neighbours = [(1 - forward, backward), (forward, 1 - backward)]
        if forward != backward:
            neighbours.append((backward, forward))
        for neighbour in neighbours:
            if neighbour not in distance:
                distance[neighbour] = distance[state] + 1
                queue.append(neighbour)
    return distance[goal]


def unpack(bits: str, d: int) -> NDArray[np.uint8]:
    flat = np.unpackbits(np.frombuffer(bytes.fromhex(bits), dtype=np.uint8), count=d * d)
    return flat.reshape(d, d)


@pytest.mark.parametrize("estimate", STATES)
@pytest.mark.parametrize("truth", STATES)
def test_every_state_of_a_pair(estimate: State, truth: State) -> None:
    result = compare(pair(estimate), pair(truth))
    assert result.shd == least_edits(estimate, truth)
    assert result.true_positives == sum(e and t for e, t in zip(estimate, truth, strict=True))
    assert result.reversed == (estimate == truth[::-1] and sum(truth) == 1)
    assert result.n_estimated == sum(estimate)
    assert result.n_true == sum(truth)
    assert min(result.missing, result.extra) >= 0


def test_a_pair_both_ways_is_one_right_and_one_extra() -> None:
    result = compare(pair((1, 1)), pair((1, 0)))
    assert result == Comparison(1, 0, n_estimated=2, n_true=1)
    assert (result.missing, result.extra) == (0, 1)
    assert compare(pair((1, 1)), pair((0, 0))).extra == 2


def test_counts_add_up_over_pairs() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        estimate, truth = rng.integers(0, 2, (2, 6, 6)) * (1 - np.eye(6, dtype=np.int64))
        result = compare(estimate, truth)
        parts = [
            compare(estimate[np.ix_(ij, ij)], truth[np.ix_(ij, ij)])
            for ij in itertools.combinations(range(6), 2)
        ]
        for name in ("shd", "true_positives", "reversed", "missing", "extra"):
            assert getattr(result, name) == sum(getattr(part, name) for part in parts)
        assert result.shd == compare(truth, estimate).shd


def test_a_self_loop_is_an_extra_edge() -> None:
    assert compare(np.diag([1.0, 0.0]), np.zeros((2, 2))).extra == 1


def test_rates() -> None:
    truth = np.zeros((5, 5))
    truth[0, 1] = truth[1, 2] = truth[2, 3] = truth[3, 4] = 1
    estimate = np.zeros((5, 5))
    estimate[0, 1] = estimate[2, 1] = estimate[0, 4] = 0.2
    result = compare(estimate, truth)
    assert (result.true_positives, result.reversed, result.missing, result.extra) == (1, 1, 2, 1)
    assert result.shd == 4
    assert result.tpr == pytest.approx(1 / 4)
    assert result.fdr == pytest.approx(2 / 3)
    precision, recall = 1 / 3, 1 / 4
    assert result.f1 == pytest.approx(2 * precision * recall / (precision + recall))


def test_rates_of_empty_graphs_are_numbers() -> None:
    empty, full = np.zeros((3, 3)), np.triu(np.ones((3, 3)), 1)
    perfect = compare(empty, empty)
    assert (perfect.tpr, perfect.fdr, perfect.f1, perfect.shd) == (1.0, 0.0, 1.0, 0)
    nothing = compare(empty, full)
    assert (nothing.tpr, nothing.fdr, nothing.f1, nothing.shd) == (0.0, 0.0, 0.0, 3)
    everything = compare(full, empty)
    assert (everything.tpr, everything.fdr, everything.f1) == (1.0, 1.0, 0.0)


def test_agrees_with_other_packages() -> None:
    assert len(REFERENCE) == 300
    for row in REFERENCE:
        d = int(row["d"])
        estimate, truth = unpack(row["estimate"], d), unpack(row["truth"], d)
        result = compare(estimate, truth)
        assert result.shd == int(row["gcastle_shd"]) == int(row["gadjid_shd"])
        assert result.tpr == pytest.approx(float(row["gcastle_tpr"]), abs=1e-4)
        assert result.fdr == pytest.approx(float(row["gcastle_fdr"]), abs=1e-4)
        for dag, name in ((estimate, "ges_cpdag_estimate"), (truth, "ges_cpdag_truth")):
            both_cells = unpack(row[name], d)
            np.testing.assert_array_equal(dag_to_cpdag(dag) != 0, both_cells)
        assert compare_classes(estimate, truth).shd == int(row["gadjid_cpdag_shd"])


def test_every_mark_of_a_pair_in_a_cpdag() -> None:
    marks = [(0, 0), (1, 0), (0, 1), (2, 2)]
    for estimate, truth in itertools.product(marks, repeat=2):
        result = compare_cpdag(pair(estimate), pair(truth))
        joined = any(estimate), any(truth)
        assert result.shd == (estimate != truth)
        assert result.true_positives == (estimate == truth and all(joined))
        assert result.reversed == (estimate != truth and all(joined))
        assert result.missing == (joined == (False, True))
        assert result.extra == (joined == (True, False))


@pytest.mark.parametrize(
    "bad",
    [[[0, 3], [0, 0]], [[0, 1], [1, 0]], [[0, 2], [0, 0]], [[0, 2], [1, 0]], [[1, 0], [0, 0]]],
)
def test_a_matrix_that_is_no_cpdag_is_refused(bad: list[list[int]]) -> None:
    with pytest.raises(InvalidDataError, match="CPDAG"):
        compare_cpdag(np.array(bad), np.zeros((2, 2)))


def test_classes_of_a_cyclic_graph_are_refused() -> None:
    with pytest.raises(NotADAGError):
        compare_classes(pair((1, 1)), pair((1, 0)))


def test_different_sizes_are_refused() -> None:
    with pytest.raises(InvalidDataError, match="2 and 3 nodes"):
        compare(np.zeros((2, 2)), np.zeros((3, 3)))


def test_sparse_and_dense_agree() -> None:
    W_est, W_true = erdos_renyi(30, 60, rng=0), erdos_renyi(30, 60, rng=1)
    as_sparse = sparse.coo_array(W_est), sparse.csc_matrix(W_true)
    assert compare(*as_sparse) == compare(W_est, W_true) == compare(as_sparse[0], W_true)
    assert compare_classes(*as_sparse) == compare_classes(W_est, W_true)


def test_large_sparse_graphs() -> None:
    d = 20_000
    W = erdos_renyi(d, d, rng=0, sparse=True)
    assert compare(W, W) == Comparison(d, 0, n_estimated=d, n_true=d)
    assert compare(sparse.csr_array(W.T), W) == Comparison(0, d, n_estimated=d, n_true=d)
    assert compare_classes(W, W).shd == 0
