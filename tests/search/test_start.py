"""Start orders and full regressions against twins that solve everything afresh."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.moments import Moments
from daglock.search.start import (
    SPARSE_PARENTS,
    conditional_variance_order,
    full_regression_gains,
    precision_order,
)
from daglock.simulate import erdos_renyi, linear_sem, population_covariance
from daglock.typing import Array, BoolArray, IntArray

SEEDS = pytest.mark.parametrize("seed", range(12))


def simulated(seed: int, n: int, d: int) -> Array:
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, 2 * d, rng=rng)
    return Moments.from_data(linear_sem(W, n, noise_variances=rng.uniform(0.5, 2, d), rng=rng)).cov


def some_before(seed: int, d: int) -> BoolArray:
    rng = np.random.default_rng(seed)
    labels = rng.permutation(d)
    return np.asarray(np.triu(rng.random((d, d)) < 0.1, 1)[np.ix_(labels, labels)])


def variance_given(S: Array, j: int, P: list[int]) -> float:
    b = np.linalg.solve(S[np.ix_(P, P)], S[P, j])
    return float(S[j, j] - S[j, P] @ b)


def smallest(values: dict[int, float], before: BoolArray | None, taken: list[int]) -> int:
    """The node of the smallest value among those that wait for nobody."""
    ready = [
        j
        for j in values
        if before is None or set(np.flatnonzero(before[:, j]).tolist()) <= set(taken)
    ]
    return min(ready, key=values.__getitem__)


def dense_twin(S: Array, n: int, before: BoolArray | None) -> tuple[list[int], float]:
    """Condition on everything taken so far."""
    taken: list[int] = []
    sigma2 = []
    for k in range(len(S)):
        left = {j: variance_given(S, j, taken) for j in range(len(S)) if j not in taken}
        v = smallest(left, before, taken)
        sigma2.append(left[v] / (1 - k / n))
        taken.append(v)
    return taken, float(np.mean(sigma2))


def sparse_twin(S: Array, cost: float, before: BoolArray | None) -> tuple[list[int], float]:
    """Condition on those taken that pay at the moment at which they are taken."""
    d = len(S)
    taken: list[int] = []
    sigma2 = []
    parents: dict[int, list[int]] = {j: [] for j in range(d)}
    value = {j: float(S[j, j]) for j in range(d)}
    for _ in range(d):
        v = smallest({j: value[j] for j in range(d) if j not in taken}, before, taken)
        own = value[v]
        sigma2.append(own)
        taken.append(v)
        for j in set(range(d)) - set(taken):
            P = parents[j]
            b = np.linalg.solve(S[np.ix_(P, P)], S[P, j])
            r = S[v, j] - S[v, P] @ b
            # a first look at what v had left, then at what it has left given P
            if len(P) == SPARSE_PARENTS or r * r <= 0.5 * cost * value[j] * own:
                continue
            if value[j] - variance_given(S, j, [*P, v]) > cost * value[j]:
                P.append(v)
                value[j] = variance_given(S, j, P)
    return taken, float(np.mean(sigma2))


@SEEDS
@pytest.mark.parametrize("knows", [False, True])
def test_with_many_rows(seed: int, knows: bool) -> None:
    S = simulated(seed, 200, 10)
    before = some_before(seed, 10) if knows else None
    order, sigma2 = conditional_variance_order(S, 200, 0.05, before)
    expected, expected_sigma2 = dense_twin(S, 200, before)
    assert order.tolist() == expected
    assert sigma2 == pytest.approx(expected_sigma2, rel=1e-8)


@SEEDS
@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize(("n", "d"), [(30, 10), (12, 30)])
def test_with_few_rows(seed: int, knows: bool, n: int, d: int) -> None:
    S = simulated(seed, n, d)
    before = some_before(seed, d) if knows else None
    cost = float(2 * np.log(n) / n)
    order, sigma2 = conditional_variance_order(S, n, cost, before)
    expected, expected_sigma2 = sparse_twin(S, cost, before)
    assert order.tolist() == expected
    assert sigma2 == pytest.approx(expected_sigma2, rel=1e-8)


@SEEDS
def test_the_population_order_is_exact_under_equal_variances(seed: int) -> None:
    W = erdos_renyi(15, 30, rng=seed)
    i, j = np.nonzero(W)
    for n in (10**9, 20):  # dense and sparse
        order, sigma2 = conditional_variance_order(population_covariance(W), n, 1e-12)
        position = np.argsort(order)
        assert (position[i] < position[j]).all()
        assert sigma2 == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("n", [1000, 20])
@pytest.mark.parametrize("scale", [1.0, 1e8, 1e-8])
def test_the_variance_is_positive_where_columns_are_copies(n: int, scale: float) -> None:
    x = np.random.default_rng(0).normal(size=(50, 2))
    X = np.column_stack([scale * x, scale * x[:, 0], scale * 3 * x[:, 1], x[:, 0] + x[:, 1]])
    X[:, 0] *= 1e-9
    S = np.cov(X.T, bias=True)
    order, sigma2 = conditional_variance_order(S, n, 0.05)
    assert sorted(order) == list(range(5))
    assert sigma2 > 0.0
    assert np.isfinite(sigma2)


def permuted(order: IntArray, p: IntArray) -> list[int]:
    return [int(v) for v in np.argsort(p)[order]]


@SEEDS
def test_columns_have_no_precedence(seed: int) -> None:
    p = np.random.default_rng(seed).permutation(12)
    for n in (1000, 30):
        S = simulated(seed, n, 12)
        order, _ = conditional_variance_order(S, n, 0.05)
        other, _ = conditional_variance_order(S[np.ix_(p, p)], n, 0.05)
        assert other.tolist() == permuted(order, p)
    backward = precision_order(S)
    assert backward is not None
    other_backward = precision_order(S[np.ix_(p, p)])
    assert other_backward is not None
    assert other_backward.tolist() == permuted(backward, p)


@SEEDS
@pytest.mark.parametrize("knows", [False, True])
def test_precision_order_takes_away_from_the_end(seed: int, knows: bool) -> None:
    S = simulated(seed, 200, 9)
    before = some_before(seed, 9) if knows else None
    order = precision_order(S, before)
    assert order is not None
    left = list(range(9))
    expected: list[int] = []
    while left:
        values = {j: variance_given(S, j, [i for i in left if i != j]) for j in left}
        v = smallest(values, None if before is None else before.T, expected)
        expected.append(v)
        left.remove(v)
    assert order[::-1].tolist() == expected


def test_no_precision_order_where_the_covariance_is_singular() -> None:
    assert precision_order(np.ones((3, 3))) is None


@SEEDS
def test_full_regression_gains(seed: int) -> None:
    S = simulated(seed, 100, 8)
    order = np.random.default_rng(seed).permutation(8)
    gain = full_regression_gains(S, order)
    assert gain is not None
    assert gain.shape == (8, 8)
    assert (np.tril(gain) == 0.0).all()
    for q in range(8):
        P = order[:q].tolist()
        for a in range(q):
            without = [i for i in P if i != order[a]]
            drop = variance_given(S, order[q], without) - variance_given(S, order[q], P)
            assert gain[a, q] == pytest.approx(drop, rel=1e-6, abs=1e-12)


def test_no_full_regressions_where_the_covariance_is_singular() -> None:
    assert full_regression_gains(np.ones((3, 3)), np.arange(3)) is None
