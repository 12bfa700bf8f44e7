"""Price of an edge and score of a graph, against formulas written out and rows of data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from daglock.criteria import default_gamma, edge_cost, graph_score
from daglock.errors import InvalidParameterError
from daglock.search.regression import least_squares, residual_variances
from daglock.search.spec import COLLINEAR
from daglock.settings import SETTINGS
from daglock.typing import Array, IntArray


def table(n: int = 60, d: int = 5, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    return np.asarray(X - X.mean(axis=0))


def nodes(*values: int) -> IntArray:
    return np.array(values, dtype=np.intp)


@pytest.mark.parametrize("n", [20, 1000, 50000])
@pytest.mark.parametrize("d", [2, 10, 500])
def test_default_gamma_expects_few_false_edges(n: int, d: int) -> None:
    gamma = default_gamma(n, d)
    false = d * (d - 1) / 2 * chi2.sf(np.log(n) + 4 * gamma * np.log(d), 1)
    assert gamma >= 0.0
    assert false <= SETTINGS.false_edges * (1 + 1e-9)
    if gamma > 0:
        assert false == pytest.approx(SETTINGS.false_edges)


def test_default_gamma_is_the_plain_bic_where_that_is_enough() -> None:
    assert default_gamma(10**6, 2) == 0.0
    assert default_gamma(10, 2, false_edges=1.0) == 0.0


def test_edge_cost() -> None:
    assert edge_cost(100, 7, 0.0) == pytest.approx(np.log(100) / 100)
    assert edge_cost(100, 7, 0.5) == pytest.approx((np.log(100) + 2 * np.log(7)) / 100)


@pytest.mark.parametrize("gamma", [-1.0, -1e-9, np.nan, np.inf])
def test_edge_cost_refuses(gamma: float) -> None:
    with pytest.raises(InvalidParameterError, match="ebic_gamma"):
        edge_cost(100, 7, gamma)


def test_residual_variances_by_lstsq_on_the_rows() -> None:
    X = table()
    S = X.T @ X / len(X)
    parents = [nodes(), nodes(0), nodes(0, 1), nodes(2), nodes(0, 1, 2, 3)]
    rss = residual_variances(S, parents)
    for j, P in enumerate(parents):
        b = np.linalg.lstsq(X[:, P], X[:, j])[0]
        assert rss[j] == pytest.approx(np.mean((X[:, j] - X[:, P] @ b) ** 2))
        np.testing.assert_allclose(least_squares(S, P, j), b)


def test_scale_of_a_column_changes_nothing_else() -> None:
    X = table()
    scale = np.array([1e-8, 1e8, 1.0, 1e-4, 1e6])
    S = X.T @ X / len(X)
    parents = [nodes(), nodes(0), nodes(0, 1), nodes(2), nodes(0, 1, 2, 3)]
    plain = residual_variances(S, parents)
    scaled = residual_variances(S * np.outer(scale, scale), parents)
    np.testing.assert_allclose(scaled, plain * scale**2, rtol=1e-7)


def test_collinear_parents_and_determined_nodes() -> None:
    X = table(d=3)
    X = np.column_stack([X, X[:, 0], X[:, 1] - X[:, 2]])
    S = X.T @ X / len(X)
    one = residual_variances(S, [nodes(), nodes(0), nodes(), nodes(), nodes()])
    both = residual_variances(S, [nodes(), nodes(0, 3), nodes(), nodes(), nodes()])
    np.testing.assert_allclose(both, one, rtol=1e-10)
    weights = least_squares(S, nodes(0, 3), 1)
    np.testing.assert_allclose(weights, least_squares(S, nodes(0), 1)[0] / 2)  # shared equally
    rss = residual_variances(S, [nodes(3), nodes(), nodes(), nodes(), nodes(1, 2)])
    np.testing.assert_allclose(rss[[0, 4]], COLLINEAR * np.diag(S)[[0, 4]])


def test_graph_score() -> None:
    rss = np.array([0.5, 2.0, 3.0])
    expected = np.log(0.5) + np.log(2.0) + np.log(3.0) + 4 * 0.1
    assert graph_score(rss, 4, 0.1, "unequal") == pytest.approx(expected)
    assert graph_score(rss, 4, 0.1, "equal") == pytest.approx(3 * np.log(5.5 / 3) + 4 * 0.1)
