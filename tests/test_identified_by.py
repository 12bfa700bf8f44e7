"""What identifies a direction: judged by all graphs of its class, those that knowledge allows."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

from daglock import DAGLock, Knowledge, Moments
from daglock.report.words import following
from daglock.simulate import erdos_renyi, population_covariance
from daglock.typing import Array, BoolArray
from tests.graph.enumeration import Adjacency, all_dags, equivalence_key

D = 4


@cache
def members() -> dict[object, Adjacency]:
    """Return all graphs of each class."""
    classes: dict[object, list[Adjacency]] = {}
    for A in all_dags(D):
        classes.setdefault(equivalence_key(A), []).append(A)
    return {key: np.array(graphs) for key, graphs in classes.items()}


def agreed(graphs: Adjacency) -> BoolArray:
    """Tell which edges all of some graphs have."""
    return np.asarray((graphs > 0).all(axis=0))


def judge(model: DAGLock, first: int, second: int) -> Counter[tuple[str, str]]:
    """Count what should be said of each edge, with what is said; ``first`` is known to be so."""
    A = np.asarray(model.adjacency_matrix_)
    every = allowed = members()[equivalence_key(A)]
    if model.knowledge_ is not None:  # no path leads back
        paths = np.linalg.matrix_power(np.eye(D, dtype=np.int64) + every, D)
        allowed = every[paths[:, second, first] == 0]
    by_class, with_knowledge = agreed(every), agreed(allowed)
    count: Counter[tuple[str, str]] = Counter()
    for source, target, *_, said in model.named_edges():
        i, j = int(source[1:]), int(target[1:])
        expected = "class" if by_class[i, j] else "knowledge" if with_knowledge[i, j] else "open"
        if model.knowledge_ is not None and (i, j) == (first, second):
            expected = "told"
        count[expected, said] += 1
    return count


def look(seed: int, noise: str) -> Counter[tuple[str, str]]:
    """Learn with the order of two columns known, and without."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(D, 4, weights=(0.6, 1.2), rng=seed)
    if seed % 2:  # a tree, of which the class tells nothing
        W = np.zeros((D, D))
        for j in range(1, D):
            W[rng.integers(j), j] = rng.uniform(0.6, 1.2)
    first, second = (int(ends[0]) for ends in np.nonzero(W))
    known = Knowledge(tiers=[[f"x{first}"], [f"x{second}"]])
    variances = rng.uniform(0.5, 2.0, D)
    total: Counter[tuple[str, str]] = Counter()
    for knowledge in (known, None):
        model = DAGLock("unequal", knowledge=knowledge)
        if noise == "gaussian":
            cov = population_covariance(W, variances)
            model.fit_moments(Moments.from_covariance(cov, n=2000))
        else:
            Z: Array = (rng.exponential(size=(800, D)) - 1.0) * np.sqrt(variances)
            model.fit(Z @ np.linalg.inv(np.eye(D) - W))
        found = judge(model, first, second)
        if knowledge is None:
            assert not any("knowledge" in pair or "told" in pair for pair in found)
        total += found
    return total


@pytest.mark.parametrize(
    ("noise", "open_ones"), [("gaussian", {""}), ("exponential", {"", "shape"})]
)
def test_what_follows_from_knowledge_is_put_down_to_it(noise: str, open_ones: set[str]) -> None:
    count = sum((look(seed, noise) for seed in range(25)), Counter[tuple[str, str]]())
    said = {
        "told": {"knowledge"},
        "knowledge": {"", "knowledge"},  # where turning it costs less than the margin
        "class": {"", "class"},
        "open": open_ones,
    }
    assert all(word in said[expected] for expected, word in count)
    for pair in (("told", "knowledge"), ("knowledge", "knowledge"), ("class", "class")):
        assert count[pair] >= 3
    assert count["open", "shape"] >= 3 or noise == "gaussian"


def test_directions_that_follow_are_not_said_to_be_told() -> None:
    """a -> b is told, and b -> c follows: c is no cause of b, or both would meet there."""
    W = np.diag([0.9, 0.9], 1)
    moments = Moments.from_covariance(population_covariance(W, np.array([1.0, 0.6, 1.4])), n=2000)
    known = Knowledge(tiers=[["x0"], ["x1"]])
    model = DAGLock("unequal", knowledge=known).fit_moments(moments)
    by = {edge[:2]: edge.identified_by for edge in model.named_edges()}
    assert by == {("x0", "x1"): "knowledge", ("x1", "x2"): "knowledge"}
    # of the two only the second was not told itself
    assert following(["directed"] * 2, ["knowledge", ""], [*by.values()]) == (
        "The reliable arrow follows from what you told."
    )
    plain = DAGLock("unequal").fit_moments(moments)
    assert {edge.identified_by for edge in plain.named_edges()} == {""}
