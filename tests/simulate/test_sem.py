"""Samples and covariances of linear equations, against the closed form (I - W)⁻ᵀ D (I - W)⁻¹."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.simulate import (
    NOISES,
    erdos_renyi,
    linear_sem,
    near_cyclic,
    population_covariance,
    sample_noise,
)
from daglock.typing import Array


def closed_form(W: Array, variances: Array) -> Array:
    inverse = np.linalg.inv(np.eye(len(W)) - W)
    return np.asarray(inverse.T @ np.diag(variances) @ inverse)


@pytest.mark.parametrize("seed", range(5))
def test_population_covariance_is_the_closed_form(seed: int) -> None:
    W = erdos_renyi(15, 40, rng=seed)
    variances = np.random.default_rng(seed).uniform(0.2, 3.0, 15)
    expected = closed_form(W, variances)
    covariance = population_covariance(W, variances)
    np.testing.assert_allclose(covariance, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(covariance, covariance.T)
    np.testing.assert_array_equal(covariance, population_covariance(sparse.csr_array(W), variances))
    np.testing.assert_allclose(
        population_covariance(W, 2.0), closed_form(W, np.full(15, 2.0)), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("noise", NOISES)
def test_residuals_are_the_noise(noise: Any) -> None:
    W = erdos_renyi(10, 25, rng=0)
    variances = np.linspace(0.5, 2.0, 10)
    X = linear_sem(W, 500, noise=noise, noise_variances=variances, rng=7)
    Z = sample_noise(noise, (10, 500), np.random.default_rng(7)).T * np.sqrt(variances)
    assert X.shape == (500, 10)
    np.testing.assert_allclose(X - X @ W, Z, atol=1e-12)


@pytest.mark.parametrize("noise", NOISES)
def test_samples_have_the_population_covariance(noise: Any) -> None:
    W = erdos_renyi(6, 9, rng=1)
    variances = np.linspace(0.5, 2.0, 6)
    X = linear_sem(W, 400_000, noise=noise, noise_variances=variances, rng=2)
    expected = population_covariance(W, variances)
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert (np.abs(np.cov(X.T) - expected) / scale).max() < 0.02
    assert np.abs(X.mean(axis=0) / np.sqrt(np.diag(expected))).max() < 0.01


def test_the_same_seed_gives_the_same_bytes_dense_and_sparse() -> None:
    W = erdos_renyi(20, 40, rng=0)
    original = W.copy()
    X = linear_sem(W, 30, rng=5)
    assert X.tobytes() == linear_sem(sparse.csc_matrix(W), 30, rng=5).tobytes()
    assert X.tobytes() == linear_sem(W, 30, rng=np.random.default_rng(5)).tobytes()
    assert X.tobytes() != linear_sem(W, 30, rng=6).tobytes()
    np.testing.assert_array_equal(W, original)


def test_cyclic_graphs_are_taken_at_their_equilibrium() -> None:
    W = near_cyclic(3, 0.9, rng=0)
    X = linear_sem(W, 200, rng=1)
    Z = np.random.default_rng(1).standard_normal((3, 200)).T
    np.testing.assert_allclose(X, Z @ np.linalg.inv(np.eye(3) - W), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(population_covariance(W), closed_form(W, np.ones(3)), rtol=1e-8)


def test_the_near_cyclic_graph_of_the_paper_gives_finite_data() -> None:
    for seed in range(5):
        W = near_cyclic(rng=seed)
        X = linear_sem(W, 100, rng=seed)
        Z = np.random.default_rng(seed).standard_normal((3, 100)).T
        assert np.abs(X - X @ W - Z).max() < 1e-8 * np.abs(X).max()


def test_a_singular_cycle_is_refused() -> None:
    with pytest.raises(InvalidDataError, match="singular"):
        linear_sem(np.array([[0.0, 1.0], [1.0, 0.0]]), 10, rng=0)


def test_overflow_is_refused() -> None:
    W = np.diag(np.full(3, 1e200), 1)
    with pytest.raises(InvalidDataError, match="overflow"):
        linear_sem(W, 10, rng=0)
    with pytest.raises(InvalidDataError, match="overflow"):
        population_covariance(W)


def test_large_sparse_graph() -> None:
    W = erdos_renyi(20_000, 20_000, rng=0, sparse=True)
    X = linear_sem(W, 5, rng=0)
    Z = np.random.default_rng(0).standard_normal((20_000, 5))
    np.testing.assert_allclose(X.T - W.T @ X.T, Z, atol=1e-10)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"n_samples": 0}, "n_samples"),
        ({"n_samples": 2.5}, "n_samples"),
        ({"n_samples": 5, "noise": "cauchy"}, "noise"),
        ({"n_samples": 5, "noise": ["gaussian"]}, "noise"),
        ({"n_samples": 5, "noise_variances": 0.0}, "noise_variances"),
        ({"n_samples": 5, "noise_variances": np.nan}, "noise_variances"),
        ({"n_samples": 5, "noise_variances": np.ones(3)}, "noise_variances"),
    ],
)
def test_bad_parameters_are_named(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(InvalidParameterError, match=name):
        linear_sem(np.zeros((2, 2)), **arguments)
