"""Kinds of error: together they are the distance, and each is what it is called."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.graph import dag_to_cpdag
from daglock.metrics import compare_cpdag
from daglock.typing import BoolArray
from daglock_evaluation.studies.errors import ERRORS, called, kinds_of_error


def some_dag(rng: np.random.Generator, d: int) -> BoolArray:
    order = rng.permutation(d)
    return np.asarray(np.triu(rng.random((d, d)) < 0.3, 1)[np.ix_(order, order)])


@pytest.mark.parametrize("seed", range(30))
def test_together_they_are_the_distance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found, dag = dag_to_cpdag(some_dag(rng, 8)), some_dag(rng, 8)
    assert sum(kinds_of_error(found != 0, dag)) == compare_cpdag(found, dag_to_cpdag(dag)).shd


def graph(*edges: tuple[int, int]) -> BoolArray:
    found = np.zeros((4, 4), dtype=np.bool_)
    for i, j in edges:
        found[i, j] = True
    return found


COLLIDER, CHAIN = graph((0, 2), (1, 2)), graph((0, 1), (1, 2))


@pytest.mark.parametrize(
    ("found", "dag", "error"),
    [
        (graph((0, 2)), COLLIDER, "missing"),
        (graph((0, 2), (1, 2), (3, 2)), COLLIDER, "false"),
        (graph((2, 0), (1, 2)), COLLIDER, "reversed"),
        (graph((0, 2), (2, 0), (1, 2)), COLLIDER, "open"),
        (graph((0, 1), (1, 2), (2, 1)), CHAIN, "stated, right"),
        (graph((1, 0), (1, 2), (2, 1)), CHAIN, "stated, wrong"),
    ],
)
def test_each_is_what_it_is_called(found: BoolArray, dag: BoolArray, error: str) -> None:
    counts = dict(zip(ERRORS, kinds_of_error(found, dag), strict=True))
    assert counts == {**dict.fromkeys(ERRORS, 0), error: 1}


def test_what_is_not_called_oriented_has_no_arrow() -> None:
    """Of two columns no direction can be told, of a collider with strong effects both."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    X[:, 2] += X[:, 0] + X[:, 1]
    assert called(X[:, [0, 2]], 1.0, 0).tolist() == [[False, True], [True, False]]
    assert called(X, 1.0, 0).tolist() == graph((0, 2), (1, 2))[:3, :3].tolist()
