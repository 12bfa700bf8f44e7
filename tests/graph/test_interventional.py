"""What experiments identify: Meek's rules from the edges that they cut, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.graph import canonical_member
from tests.graph.enumeration import (
    N_CLASSES,
    N_DAGS,
    Adjacency,
    Family,
    all_dags,
    classes,
    cut_edges,
    equivalent_dags,
    essential_graph,
    random_family,
)

EACH: list[list[int]] = [[], [0], [1], [2], [3]]
FAMILIES: list[list[list[int]]] = [
    [[]],
    [[], [0]],
    [[], [0, 1]],
    [[], [0], [1, 2]],
    [[], [0, 1], [1, 2, 3]],
    [[0], [1]],  # no observational regime, but every node is left alone in one
    [[0, 1], [2, 3]],
    [[], [0, 1, 2, 3]],  # a regime that acts on all says nothing of directions
    EACH,
]


def by_rules(A: Adjacency, family: Family) -> tuple[Adjacency, Adjacency]:
    """Return the essential graph as the product finds it, and the DAG that stands for the class."""
    source, target = np.nonzero(A)
    first, second, oriented = canonical_member(source, target, len(A), cut_edges(A, family))
    graph, member = np.zeros_like(A), np.zeros_like(A)
    member[first, second] = 1
    graph[first, second] = np.where(oriented, 1, 2)
    graph[second[~oriented], first[~oriented]] = 2
    return graph, member


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_of_all_dags_on_four_nodes_the_cut_edges_give_the_essential_graph(
    family: list[list[int]],
) -> None:
    seen = 0
    for members in classes(all_dags(4), family):
        expected = essential_graph(members)
        standing = set()
        for A in members:
            found, member = by_rules(A, family)
            np.testing.assert_array_equal(found, expected)
            assert any(np.array_equal(member, B) for B in members)
            standing.add(member.tobytes())
            seen += 1
        assert len(standing) == 1  # one DAG stands for the class, from whichever one begins
    assert seen == N_DAGS[4]


def test_the_families_tell_apart_what_they_should() -> None:
    numbers = {str(family): len(classes(all_dags(4), family)) for family in FAMILIES}
    assert numbers["[[]]"] == numbers["[[], [0, 1, 2, 3]]"] == N_CLASSES[4]
    assert numbers[str(EACH)] == N_DAGS[4]  # every node in turn: the DAG itself
    assert N_CLASSES[4] < numbers["[[], [0]]"] < numbers["[[], [0], [1, 2]]"] < N_DAGS[4]


@pytest.mark.parametrize("block", range(4))
def test_of_dags_on_five_nodes_the_cut_edges_give_the_essential_graph(block: int) -> None:
    dags = all_dags(5)
    assert len(dags) == N_DAGS[5]
    rng = np.random.default_rng(block)
    directed = 0
    for A in dags[rng.integers(len(dags), size=100)]:
        family = random_family(5, int(rng.integers(1, 4)), rng)
        members = equivalent_dags(A, family)
        expected = essential_graph(members)
        found, member = by_rules(A, family)
        np.testing.assert_array_equal(found, expected, err_msg=f"{A.tolist()}, {family}")
        assert any(np.array_equal(member, B) for B in members)
        directed += int((found == 1).sum() - (by_rules(A, [[]])[0] == 1).sum())
    assert directed > 100  # experiments orient edges that no observational data do


def test_one_class_is_found_from_its_dag_as_from_all_dags() -> None:
    family = [[], [0], [1, 2]]
    for members in classes(all_dags(4), family)[::7]:
        found = {B.tobytes() for B in equivalent_dags(members[0], family)}
        assert found == {B.tobytes() for B in members}
