"""Orientation by class and knowledge, against the enumeration of all equivalent DAGs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from daglock.graph import canonical_member, dag_to_cpdag, is_dag, topological_order
from daglock.simulate import erdos_renyi
from daglock.typing import Array


def equivalent_dags(W: Array) -> list[Array]:
    """All DAGs with the CPDAG of W, by trying every orientation of its undirected edges."""
    cpdag = dag_to_cpdag(W)
    free = [(i, j) for i, j in np.argwhere(cpdag == 2) if i < j]
    result = []
    for turns in product([False, True], repeat=len(free)):
        A = (cpdag == 1).astype(np.float64)
        for (i, j), turned in zip(free, turns, strict=True):
            A[(j, i) if turned else (i, j)] = 1.0
        if is_dag(A) and np.array_equal(dag_to_cpdag(A), cpdag):
            result.append(A)
    return result


@pytest.mark.parametrize("seed", range(60))
def test_every_orientation_that_follows_is_found_and_no_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W = (erdos_renyi(6, int(rng.integers(4, 13)), rng=seed) != 0).astype(np.float64)
    source, target = np.nonzero(W)
    known = rng.random(len(source)) < 0.25
    agreeing = [
        A for A in equivalent_dags(W) if all(A[source[k], target[k]] for k in np.flatnonzero(known))
    ]
    expected = [all(A[i, j] for A in agreeing) for i, j in zip(source, target, strict=True)]
    assert canonical_member(source, target, 6, known)[2].tolist() == expected
    classes = [dag_to_cpdag(W)[i, j] == 1 for i, j in zip(source, target, strict=True)]
    assert canonical_member(source, target, 6)[2].tolist() == classes


def test_no_edges() -> None:
    empty = np.empty(0, dtype=np.intp)
    assert not len(canonical_member(empty, empty, 3, np.empty(0, dtype=np.bool_))[2])


def test_rule_four_is_needed() -> None:
    # a - b, a - e, a - c, e -> c -> b with e and b not adjacent; e -> c and c -> b are known
    a, b, c, e = range(4)
    edges = [(a, b), (a, e), (a, c), (e, c), (c, b)]
    known = np.array([False, False, False, True, True])
    source, target = (np.array(ends) for ends in zip(*edges, strict=True))
    W = np.zeros((4, 4))
    W[source, target] = 1.0
    agreeing = [A for A in equivalent_dags(W) if A[e, c] and A[c, b]]
    expected = [all(A[i, j] for A in agreeing) for i, j in edges]
    assert expected[0]
    assert canonical_member(source, target, 4, known)[2].tolist() == expected


@pytest.mark.parametrize("block", range(10))
def test_what_is_known_of_paths_orients_too_and_one_dag_stands_for_all(block: int) -> None:
    """``before[i, j]``: no path from j to i; against all equivalent DAGs that agree with it."""
    beyond_edges = 0
    for seed in range(60 * block, 60 * (block + 1)):
        rng = np.random.default_rng(seed)
        W = (erdos_renyi(6, int(rng.integers(3, 13)), rng=seed) != 0).astype(np.float64)
        source, target = np.nonzero(W)
        position = np.argsort(topological_order(W))
        before = np.zeros((6, 6), dtype=np.bool_)
        for _ in range(int(rng.integers(0, 4))):
            i, j = sorted(rng.permutation(6)[:2].tolist(), key=position.item)
            before[i, j] = True
        agreeing = [A for A in equivalent_dags(W) if is_dag(A + before)]
        expected = [all(A[i, j] for A in agreeing) for i, j in zip(source, target, strict=True)]
        known = before[source, target]
        found = canonical_member(source, target, 6, known, before)[2].tolist()
        assert found == expected, seed
        beyond_edges += found != canonical_member(source, target, 6, known)[2].tolist()
        members = set()
        for A in agreeing:
            i, j = np.nonzero(A)
            first, second, oriented = canonical_member(i, j, 6, before[i, j], before)
            member = np.zeros((6, 6))
            member[first, second] = 1.0
            assert any(np.array_equal(member, B) for B in agreeing)
            assert oriented.sum() == sum(expected)
            members.add(member.tobytes())
        assert len(members) == 1
    assert beyond_edges > 0
