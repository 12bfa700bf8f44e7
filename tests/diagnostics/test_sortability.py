"""Sortability against the package of its authors, and against an enumeration of all paths.

``sortability.csv`` holds what CausalDisco 0.2.4 said about `case(seed)`, written by

    from CausalDisco.analytics import r2_sortability, var_sortability
    for seed in range(150):
        W, X = case(seed)
        print(seed, len(W), (W != 0).sum(), var_sortability(X, W), r2_sortability(X, W), sep=",")
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from daglock.diagnostics import (
    explained_shares,
    order_alignment,
    r2_sortability,
    var_sortability,
)
from daglock.errors import InvalidDataError, NotADAGError
from daglock.moments import Moments
from daglock.simulate import erdos_renyi, linear_sem, scale_free
from daglock.typing import Array

with (Path(__file__).parent / "sortability.csv").open(newline="") as file:
    REFERENCE = list(csv.DictReader(file))


def case(seed: int) -> tuple[Array, Array]:
    """A random graph and a table: sparse and dense, equal and unequal variances, any units."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(3, 41))  # of two columns R² is the same, and rounding would decide
    if seed % 3:
        n_edges = int(rng.integers(1, min(4 * d, d * (d - 1) // 2) + 1))
        W = erdos_renyi(d, n_edges, weights=(0.3, 1.2), rng=rng)
    else:
        W = scale_free(d, 1 + (d > 3), rng=rng)
    variances = np.ones(d) if seed % 2 else rng.uniform(0.2, 3.0, d)
    X = linear_sem(W, int(rng.integers(d + 5, 500)), noise_variances=variances, rng=rng)
    return W, X * (np.exp(rng.normal(size=d)) if seed % 5 == 0 else 1.0)


def by_paths(W: Array, scores: Array, tol: float = 0.0) -> float:
    """The definition: walk all paths, collect (start, end, length), count each once."""
    children = [np.flatnonzero(row).tolist() for row in W]
    found: set[tuple[int, int, int]] = set()

    def walk(start: int, node: int, length: int) -> None:
        for child in children[node]:
            found.add((start, child, length + 1))
            walk(start, child, length + 1)

    for start in range(len(W)):
        walk(start, start, 0)
    total = 0.0
    for i, j, _ in found:
        gap = scores[j] - scores[i]
        total += 1.0 if gap > tol else 0.5 if gap >= -tol else 0.0
    return total / len(found)


@pytest.mark.parametrize("row", REFERENCE, ids=lambda row: row["seed"])
def test_causaldisco(row: dict[str, str]) -> None:
    W, X = case(int(row["seed"]))
    assert (len(W), int((W != 0).sum())) == (int(row["d"]), int(row["n_edges"]))
    cov = Moments.from_data(X).cov
    assert var_sortability(cov, W) == pytest.approx(float(row["var_sortability"]), abs=1e-12)
    assert r2_sortability(cov, W) == pytest.approx(float(row["r2_sortability"]), abs=1e-12)
    assert var_sortability(cov, sparse.csr_array(W)) == var_sortability(cov, W)


@pytest.mark.parametrize("seed", range(40))
def test_all_paths_with_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 10))
    W = erdos_renyi(d, int(rng.integers(1, d * (d - 1) // 2 + 1)), rng=rng)
    scores = rng.integers(0, 4, d).astype(float)
    assert order_alignment(W, scores) == pytest.approx(by_paths(W, scores))
    assert order_alignment(W, scores, tol=1.5) == pytest.approx(by_paths(W, scores, tol=1.5))


def test_all_paths_of_a_larger_graph() -> None:
    W = erdos_renyi(300, 600, rng=0)
    scores = np.random.default_rng(1).integers(0, 50, 300).astype(float)
    assert order_alignment(W, scores) == pytest.approx(by_powers(W, scores))


def by_powers(W: Array, scores: Array) -> float:
    """The definition again, by Boolean powers of the adjacency matrix: for larger graphs."""
    E = (W != 0).astype(float)
    gap = scores[None, :] - scores[:, None]
    power, ordered, paths = E, 0.0, 0.0
    while power.any():
        paths += power.sum()
        ordered += power[gap > 0].sum() + power[gap == 0].sum() / 2
        power = (power @ E > 0).astype(float)
    return float(ordered / paths)


def test_a_pair_counts_once_for_each_length() -> None:
    # 0 → 2 directly and by 1 or 3: three paths, but two lengths
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 2] = W[0, 3] = W[3, 2] = W[0, 2] = 1.0
    scores = np.array([0.0, -1.0, 1.0, -1.0])
    # 0→1 no, 0→3 no, 1→2, 3→2, 0→2 by one edge, 0→2 by two
    assert order_alignment(W, scores) == pytest.approx(4 / 6)


def test_monotone_scores() -> None:
    W = np.triu(np.ones((70, 70)), 1)
    assert order_alignment(W, np.arange(70.0)) == 1.0
    assert order_alignment(W, -np.arange(70.0)) == 0.0
    assert order_alignment(W, np.zeros(70)) == 0.5


def test_standardised_columns_are_tied() -> None:
    W = erdos_renyi(20, 30, rng=0)
    X = linear_sem(W, 300, rng=1)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert var_sortability(Moments.from_data(X).cov, W) == 0.5


def test_no_edges_is_no_number() -> None:
    assert np.isnan(var_sortability(np.eye(3), np.zeros((3, 3))))


def test_what_is_refused() -> None:
    cycle = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(NotADAGError, match="cycle"):
        var_sortability(np.eye(2), cycle)
    with pytest.raises(InvalidDataError, match="one score for each of the 2 nodes"):
        order_alignment(np.zeros((2, 2)), np.zeros(3))
    with pytest.raises(InvalidDataError, match="positive variances"):
        var_sortability(np.zeros((2, 2)), cycle)


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_explained_shares_by_regression(scale: float) -> None:
    X = linear_sem(erdos_renyi(8, 14, rng=3), 200, rng=4)
    X[:, 2] *= scale
    centred = X - X.mean(axis=0)
    for j, share in enumerate(explained_shares(Moments.from_data(X).cov)):
        others = np.delete(centred, j, axis=1)
        residual = centred[:, j] - others @ np.linalg.lstsq(others, centred[:, j], rcond=None)[0]
        expected = 1.0 - (residual @ residual) / (centred[:, j] @ centred[:, j])
        assert share == pytest.approx(expected, abs=1e-9)


def test_explained_shares_of_a_singular_table() -> None:
    x = linear_sem(erdos_renyi(6, 8, rng=0), 300, rng=1)
    table = np.column_stack([x, x[:, 0] - 2.0 * x[:, 3]])
    shares = explained_shares(Moments.from_data(table).cov)
    np.testing.assert_array_equal(shares[[0, 3, 6]], 1.0)
    # the copy adds nothing that the six did not explain
    expected = explained_shares(Moments.from_data(x).cov)
    np.testing.assert_allclose(shares[[1, 2, 4, 5]], expected[[1, 2, 4, 5]], atol=1e-8)


def test_fewer_rows_than_columns_tell_nothing() -> None:
    W = erdos_renyi(20, 20, rng=0)
    cov = Moments.from_data(linear_sem(W, 12, rng=1)).cov
    np.testing.assert_array_equal(explained_shares(cov), 1.0)
    assert r2_sortability(cov, W) == 0.5
