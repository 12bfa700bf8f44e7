"""pgmpy: the same distribution and the same separations, by its own arithmetic."""

from __future__ import annotations

from importlib import import_module
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock
from daglock.interop import convert, to_pgmpy
from daglock.interop._model import edges_of
from daglock.simulate import linear_sem
from daglock.typing import Array
from tests.interop.models import DEVIATIONS, IDENTIFIED, MEANS, NAMES, OPEN, model, truth

pytestmark = [
    pytest.mark.handoff("pgmpy"),
    # pgmpy calls its parser by names that are going out of use
    pytest.mark.filterwarnings("ignore:.*deprecated - use:DeprecationWarning:pgmpy.utils.parser"),
    pytest.mark.filterwarnings("ignore:'parseAll' argument:DeprecationWarning:pyparsing.util"),
]


def implied_covariance(fitted: DAGLock) -> Array:
    """(I - W)^-T Ω (I - W)^-1 from the edges."""
    inverse = np.linalg.inv(np.eye(8) - fitted.to_sparse().toarray())
    return np.asarray(inverse.T @ np.diag(fitted.learned_.noise_variances) @ inverse)


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_the_joint_distribution_is_ours(noise: str) -> None:
    fitted = model(noise=noise)
    network = to_pgmpy(fitted)
    assert network.check_model()
    assert set(network.nodes) == set(NAMES)
    mean, covariance = network.to_joint_gaussian()
    order = [NAMES.index(name) for name in nx.topological_sort(network)]
    np.testing.assert_allclose(mean, MEANS[order], atol=1e-6)
    expected = implied_covariance(fitted)[np.ix_(order, order)]
    np.testing.assert_allclose(covariance, expected, atol=1e-6)
    # learned from its own covariance, so that one is implied again
    np.testing.assert_allclose(expected, fitted.moments_.cov[np.ix_(order, order)], atol=1e-6)


def test_fitted_by_pgmpy_on_the_same_rows_it_is_the_same() -> None:
    X = linear_sem(truth(), 2000, noise_variances=DEVIATIONS**2, rng=0) + MEANS
    table = pd.DataFrame(X, columns=list(NAMES))
    network = to_pgmpy(DAGLock("unequal", random_state=0).fit(table))
    theirs = to_pgmpy(DAGLock("unequal", random_state=0).fit(table))
    theirs.fit(table)
    for name in NAMES:
        ours, refitted = network.get_cpds(name), theirs.get_cpds(name)
        sort_ours, sort_theirs = np.argsort(ours.evidence), np.argsort(refitted.evidence)
        assert sorted(ours.evidence) == sorted(refitted.evidence)
        np.testing.assert_allclose(ours.beta[0], refitted.beta[0], rtol=1e-6)
        np.testing.assert_allclose(
            ours.beta[1:][sort_ours], refitted.beta[1:][sort_theirs], rtol=1e-6
        )
        assert ours.std == pytest.approx(refitted.std, rel=5e-3)  # n or n - 1
    assert network.log_likelihood(table) >= theirs.log_likelihood(table) - 1e-6


def test_separations_agree_with_the_covariance() -> None:
    """d-separated for pgmpy exactly where the partial covariance vanishes."""
    network = to_pgmpy(model())
    S = model().moments_.cov
    for i, j in combinations(range(8), 2):
        others = [k for k in range(8) if k not in (i, j)]
        for size in range(4):
            for given in combinations(others, size):
                block = [i, j, *given]
                precision = np.linalg.inv(S[np.ix_(block, block)])
                partial = precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
                names = [NAMES[k] for k in given]
                connected = network.is_dconnected(NAMES[i], NAMES[j], observed=names)
                assert connected == (abs(partial) > 1e-9)


def test_the_class_is_ours() -> None:
    pdag = to_pgmpy(model()).to_pdag()
    assert set(pdag.directed_edges) == IDENTIFIED
    assert {frozenset(edge) for edge in pdag.undirected_edges} == {frozenset(e) for e in OPEN}


def test_pgmpy_reads_our_dagitty() -> None:
    LinearGaussianBayesianNetwork = import_module("pgmpy.models").LinearGaussianBayesianNetwork
    network = import_module("pgmpy.base").DAG.from_dagitty(convert(model(noise="equal"), "dagitty"))
    assert isinstance(network, LinearGaussianBayesianNetwork)
    assert set(network.nodes) == set(NAMES)
    edges = edges_of(model(noise="equal"))
    assert set(network.edges) == {edge[:2] for edge in edges}
    for edge in edges:
        cpd = network.get_cpds(edge.target)
        beta = cpd.beta[1 + cpd.evidence.index(edge.source)]
        assert beta == pytest.approx(edge.standardised_weight)
