"""Whether an effect depends on an open direction, against all graphs of the class."""

from __future__ import annotations

from itertools import permutations, product

import networkx as nx
import numpy as np
import pytest

from daglock import DAGLock, Knowledge, Moments
from daglock.errors import InvalidParameterError
from daglock.graph import dag_to_cpdag
from daglock.interop import undecided
from daglock.simulate import erdos_renyi, population_covariance
from daglock.typing import Array
from tests.interop.models import model


def equivalent_dags(W: Array) -> list[Array]:
    """Return all orientations of the skeleton that have the CPDAG of W."""
    cpdag = dag_to_cpdag(W)
    pairs = np.argwhere(np.triu(cpdag == 2))
    members = []
    for flips in product([False, True], repeat=len(pairs)):
        D = np.where(cpdag == 1, 1.0, 0.0)
        for (i, j), flip in zip(pairs, flips, strict=True):
            D[(j, i) if flip else (i, j)] = 1.0
        if nx.is_directed_acyclic_graph(nx.DiGraph(D)) and (dag_to_cpdag(D) == cpdag).all():
            members.append(D)
    return members


def total_effect(D: Array, S: Array, t: int, y: int) -> float:
    """Regress y on t and the parents of t in D: the back-door formula."""
    parents = np.flatnonzero(D[:, t]).tolist()
    if y in parents:
        return 0.0
    given = [t, *parents]
    return float(np.linalg.solve(S[np.ix_(given, given)], S[given, y])[0])


@pytest.mark.parametrize("seed", range(12))
def test_empty_exactly_when_all_graphs_of_the_class_agree(seed: int) -> None:
    d = 6
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, 6 + seed % 3, weights=(0.5, 1.5), rng=rng)
    S = population_covariance(W, rng.uniform(0.5, 2.0, size=d))
    learned = DAGLock("unequal", random_state=0).fit_moments(
        Moments.from_covariance(S, n=1_000_000)
    )
    members = equivalent_dags(W)
    np.testing.assert_array_equal(learned.learned_.dag.cpdag().toarray(), dag_to_cpdag(W))
    for t, y in permutations(range(d), 2):
        effects = [total_effect(D, S, t, y) for D in members]
        edges = undecided(learned, f"x{t}", f"x{y}")
        assert (not edges) == (np.ptp(effects) < 1e-9)
        for treatment, other in edges:
            assert treatment == f"x{t}"
            assert dag_to_cpdag(W)[t, int(other[1:])] == 2


@pytest.mark.parametrize("seed", range(8))
def test_with_knowledge_empty_means_that_all_that_are_left_agree(seed: int) -> None:
    d = 6
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, 9, weights=(0.5, 1.5), rng=rng)
    S = population_covariance(W, rng.uniform(0.5, 2.0, size=d))
    members = equivalent_dags(W)
    pairs = np.argwhere((dag_to_cpdag(W) == 2) & (W != 0))
    assert len(pairs), "another seed: nothing is open here"
    i, j = pairs[rng.integers(len(pairs))]
    learned = DAGLock(
        "unequal", knowledge=Knowledge(required=[(f"x{i}", f"x{j}")]), random_state=0
    ).fit_moments(Moments.from_covariance(S, n=1_000_000))
    left = [D for D in members if D[i, j]]
    assert undecided(learned, f"x{i}", f"x{j}") != [(f"x{i}", f"x{j}")]
    for t, y in permutations(range(d), 2):
        effects = [total_effect(D, S, t, y) for D in left]
        if not undecided(learned, f"x{t}", f"x{y}"):
            assert np.ptp(effects) < 1e-9


def test_the_cases_of_the_class_are_not_all_alike() -> None:
    """Author - Bar - V5 is open, and from Bar every path to V7 passes through one of them."""
    assert undecided(model(), "Bar", "Ctrl") == [("Bar", "Ctrl")]
    assert sorted(undecided(model(), "Bar", "V7")) == [("Bar", "Author"), ("Bar", "V5")]
    assert undecided(model(), "V5", "V7") == [("V5", "Bar")]
    assert undecided(model(), "V6", "V7") == []
    assert undecided(model(), "Goal", "V7") == []
    assert undecided(model(noise="equal"), "Bar", "Ctrl") == []


def test_names_are_checked() -> None:
    with pytest.raises(InvalidParameterError, match="The treatment 'bar' is not a column"):
        undecided(model(), "bar", "V7")
    with pytest.raises(InvalidParameterError, match="The outcome 'V9' is not a column"):
        undecided(model(), "Bar", "V9")
    with pytest.raises(InvalidParameterError, match="both 'Bar'"):
        undecided(model(), "Bar", "Bar")
