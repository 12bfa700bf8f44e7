"""What to adjust for, against the definition, path by path and in the covariance."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations, permutations

import numpy as np
import pytest

from daglock.effects import minimal_adjustment, slope
from daglock.typing import Array
from tests.effects.graphs import all_dags, covariance, is_valid, random_dags, sum_over_paths


def parents_of(W: Array) -> list[list[int]]:
    return [np.flatnonzero(column).tolist() for column in W.T]


def check(W: Array) -> None:
    """Compare all pairs of a graph with the definition."""
    parents, cov = parents_of(W), covariance(W)
    for cause, effect in permutations(range(len(W)), 2):
        expected = sum_over_paths(W, cause, effect)
        given = minimal_adjustment(parents, cause, effect)
        if given is None:
            assert expected == 0.0
            continue
        assert slope(cov, cause, effect, given) == pytest.approx(expected)
        assert is_valid(W, cause, effect, set(given))
        smaller: Iterable[tuple[int, ...]] = chain.from_iterable(
            combinations(given, size) for size in range(len(given))
        )
        assert not any(is_valid(W, cause, effect, set(subset)) for subset in smaller)


def test_every_graph_of_four_nodes() -> None:
    for W in all_dags(4):
        check(W)


@pytest.mark.parametrize(("d", "n_edges"), [(6, 8), (8, 14)])
def test_larger_graphs(d: int, n_edges: int) -> None:
    for W in random_dags(d, n_edges, count=6):
        check(W)


def test_no_ancestor_and_nothing_needed() -> None:
    chain = [[], [0], [1]]
    assert minimal_adjustment(chain, 0, 2) == ()
    assert minimal_adjustment(chain, 2, 0) is None


def test_nothing_behind_a_collider_is_opened() -> None:
    """0 -> 1 <- 2 with 0 -> 3 -> 4 <- 2: the collider 1 would open a path, and is left alone."""
    assert minimal_adjustment([[], [0, 2], [], [0], [2, 3]], 3, 4) == ()


def test_of_two_the_one_near_the_effect() -> None:
    """0 -> 1 -> 3 with 0 -> 2 -> 3: adjusting for 2 leaves less noise in 3 than 0 does."""
    assert minimal_adjustment([[], [0], [0], [1, 2]], 1, 3) == (2,)
