"""What would settle it, against all graphs that are possible."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from daglock.confidence.settling import what_settles
from daglock.confidence.words import what_would_help
from daglock.graph import WeightedDAG, dag_to_cpdag

Edge = tuple[int, int]


def make_dag(d: int, edges: list[Edge]) -> WeightedDAG:
    """A DAG whose edges go from lower to higher numbers."""
    edges = sorted(edges, key=lambda edge: edge[1])
    source, target = (np.array([e[k] for e in edges], dtype=np.intp) for k in (0, 1))
    return WeightedDAG(
        np.arange(d), source, target, np.ones(len(edges)), np.zeros(len(edges), dtype=bool)
    )


def edges_of(dag: WeightedDAG) -> list[Edge]:
    return list(zip(dag.source.tolist(), dag.target.tolist(), strict=True))


def colliders(edges: set[Edge], d: int) -> set[tuple[int, int, int]]:
    linked = edges | {(b, a) for a, b in edges}
    return {
        (a, v, b)
        for v in range(d)
        for a, b in combinations(range(d), 2)
        if (a, v) in edges and (b, v) in edges and (a, b) not in linked
    }


def is_acyclic(edges: set[Edge], d: int) -> bool:
    A = np.zeros((d, d))
    for a, b in edges:
        A[a, b] = 1
    return not np.linalg.matrix_power(A + np.eye(d), d).trace() > d


def possible(dag: WeightedDAG, fixed: set[Edge]) -> list[set[Edge]]:
    """All DAGs with these links and arrows whose colliders the graph has, too."""
    own = edges_of(dag)
    allowed = colliders(set(own), dag.d)
    free = [edge for edge in own if edge not in fixed]
    found = []
    for turned in product((False, True), repeat=len(free)):
        edges = fixed | {(b, a) if t else (a, b) for (a, b), t in zip(free, turned, strict=True)}
        if is_acyclic(edges, dag.d) and colliders(edges, dag.d) <= allowed:
            found.append(edges)
    return found


def agreed(dag: WeightedDAG, fixed: set[Edge]) -> set[Edge]:
    """The directions that all possible graphs share."""
    return set.intersection(*possible(dag, fixed))


def cases(seed: int) -> tuple[WeightedDAG, np.random.Generator]:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(3, 6))
    chosen = [pair for pair in combinations(range(d), 2) if rng.random() < 0.65]
    return make_dag(d, chosen or [(0, 1)]), rng


@pytest.mark.parametrize("seed", range(150))
def test_all_possible_graphs_have_what_is_settled(seed: int) -> None:
    dag, rng = cases(seed)
    edges = edges_of(dag)
    known = (rng.random(len(edges)) < 0.3).tolist()
    claimed = {edge for edge, is_known in zip(edges, known, strict=True) if is_known}
    for settling in what_settles(dag, known):
        own = {edge for edge in edges if settling.column in edge}
        settled = {edges[e] for e in settling.settles}
        assert own - claimed <= settled
        assert not settled & claimed
        assert settled <= agreed(dag, claimed | own)


@pytest.mark.parametrize("seed", range(80))
def test_nothing_is_missed_where_the_class_is_claimed(seed: int) -> None:
    # then Meek's rules are complete
    dag, _ = cases(1000 + seed)
    edges = edges_of(dag)
    marks = dag_to_cpdag(dag.adjacency().toarray().astype(float))
    compelled = {(a, b) for a, b in edges if marks[a, b] == 1}
    ranked = what_settles(dag, [edge in compelled for edge in edges])
    found = {settling.column: {edges[e] for e in settling.settles} for settling in ranked}
    for v in range(dag.d):
        own = {edge for edge in edges if v in edge}
        expected = agreed(dag, compelled | own) - compelled if own - compelled else set()
        assert found.get(v, set()) == expected
    assert [len(s.settles) for s in ranked] == sorted(
        (len(s.settles) for s in ranked), reverse=True
    )


def test_two_causes_that_are_doubted_tell_nothing() -> None:
    # 0 -> 2 <- 1: that 0 is a cause of 2 does not make 1 an effect of it
    dag = make_dag(3, [(0, 2), (1, 2)])
    ranked = what_settles(dag, [False, False])
    assert [(s.column, len(s.settles)) for s in ranked] == [(2, 2), (0, 1), (1, 1)]


def test_no_credit_for_what_the_claims_say_already() -> None:
    # from 0 -> 1 the rest of a chain follows; it is doubted all the same, wherever one looks
    dag = make_dag(4, [(0, 1), (1, 2), (2, 3)])
    ranked = what_settles(dag, [True, False, False])
    assert [(s.column, s.settles) for s in ranked] == [(2, (1, 2)), (1, (1,)), (3, (2,))]


def test_ties_go_to_the_first_column_and_nothing_is_left_when_all_is_claimed() -> None:
    dag = make_dag(4, [(0, 1), (2, 3)])
    assert [s.column for s in what_settles(dag, [False, False])] == [0, 1, 2, 3]
    assert [s.column for s in what_settles(dag, [True, False])] == [2, 3]
    assert what_settles(dag, [True, True]) == []
    assert what_settles(make_dag(3, []), []) == []


def test_columns_that_were_set_already_come_last() -> None:
    dag = make_dag(4, [(0, 1), (1, 2), (2, 3)])
    ranked = what_settles(dag, [False] * 3, targets={0, 2})
    assert [s.column for s in ranked] == [1, 3, 0, 2]
    lines = what_would_help(dag, [False] * 3, "abcd", most=4, targets={0, 2})
    assert lines[2].startswith("a (a target already: more rows of that experiment, or its place")
    assert all("target" not in line for line in lines[:2])
