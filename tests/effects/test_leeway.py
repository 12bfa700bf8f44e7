"""Effects over open directions, against all graphs of an equivalence class."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from daglock.effects import LinearModel, open_neighbours, over_open_directions
from daglock.graph import WeightedDAG, canonical_member
from daglock.typing import Array, BoolArray
from tests.effects.graphs import all_dags, covariance, equivalent, random_dags, refitted


def check(W: Array, known: BoolArray | None = None) -> None:
    """Compare the ranges of all pairs with those over all graphs that are left."""
    cov, found = covariance(W), WeightedDAG.from_matrix(W)
    _, _, claimed = canonical_member(found.source, found.target, found.d, known)
    told = np.zeros(W.shape, dtype=np.bool_)
    told[found.source[claimed], found.target[claimed]] = True
    members = [refitted(A, cov) for A in equivalent(W) if not (told & (A == 0)).any()]
    effects = np.array(
        [LinearModel(dag, np.zeros(dag.d), np.ones(dag.d)).total_effects() for dag in members]
    )
    own = LinearModel(found, np.zeros(found.d), np.ones(found.d)).total_effects()
    for i, j in permutations(range(len(W)), 2):
        ends = over_open_directions(found, claimed, cov, i, j, own[i, j])
        expected = (effects[:, i, j].min(), effects[:, i, j].max())
        assert ends == pytest.approx(expected, abs=1e-9)


def test_every_class_of_four_nodes() -> None:
    for W in all_dags(4):
        check(W)


def test_larger_classes() -> None:
    for W in random_dags(6, 7, count=5):
        check(W)


def test_classes_with_knowledge() -> None:
    rng = np.random.default_rng(0)
    for W in random_dags(6, 7, count=5):
        known = rng.random(int((W != 0).sum())) < 0.3
        check(W, known)


def star(leaves: int) -> WeightedDAG:
    """Return the graph in which node 0 causes all others."""
    W = np.zeros((leaves + 1, leaves + 1))
    W[0, 1:] = 1.0
    return WeightedDAG.from_matrix(W)


def test_too_many_open_directions() -> None:
    for leaves, is_told in [(12, True), (13, False)]:
        dag = star(leaves)
        cov = covariance(dag.to_sparse().toarray())
        nobody = np.zeros(leaves, dtype=np.bool_)
        assert len(open_neighbours(dag, nobody, 0)) == leaves
        ends = over_open_directions(dag, nobody, cov, 0, 1, 1.0)
        assert (ends is not None) == is_told
        everyone = np.ones(leaves, dtype=np.bool_)
        assert over_open_directions(dag, everyone, cov, 0, 1, 1.0) == (1.0, 1.0)


def test_a_cycle_of_claimed_directions_is_not_closed() -> None:
    """0 - 1 is open and 0 -> 2 -> 1 is claimed: 1 -> 0 would close a cycle."""
    W = np.array([[0, 1.0, 1.0], [0, 0, 0], [0, 1.0, 0]])
    dag = WeightedDAG.from_matrix(W)
    claimed = ~((dag.source == 0) & (dag.target == 1))
    assert over_open_directions(dag, claimed, covariance(W), 0, 1, 2.0) == (2.0, 2.0)
