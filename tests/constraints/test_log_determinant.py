from __future__ import annotations

import math

import numpy as np
import pytest

from daglock.constraints.spectral import LogDeterminant, eliminate
from daglock.typing import Array


def strong_block(n: int, radius: float, seed: int = 0) -> Array:
    A = np.random.default_rng(seed).random((n, n)) ** 4
    return np.asarray(A * radius / np.abs(np.linalg.eigvals(A)).max())


@pytest.mark.parametrize("n", [1, 2, 30, 33, 130])
@pytest.mark.parametrize("radius", [0.01, 0.5, 0.999996])
def test_agrees_with_numpy(n: int, radius: float) -> None:
    A = strong_block(n, radius)
    expected = -np.linalg.slogdet(np.eye(n) - A)[1]
    value, derivative = LogDeterminant().value_and_derivative(A)
    assert value == pytest.approx(expected, rel=1e-10)
    assert eliminate(A) == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(derivative, np.linalg.inv(np.eye(n) - A).T, rtol=1e-8)


@pytest.mark.parametrize("n", [2, 40, 100])
def test_tiny_values_keep_their_digits(n: int) -> None:
    A = 1e-12 * (1.0 - np.eye(n))
    # −log det(I − A) = tr A + tr A²/2 + …, and tr A = 0.
    assert LogDeterminant().value(A) == pytest.approx(1e-24 * n * (n - 1) / 2, rel=1e-9, abs=0)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_domain_ends_where_the_spectral_radius_is_one(n: int) -> None:
    for radius, inside in ((1 - 1e-9, True), (1 + 1e-9, False), (3.0, False), (1e200, False)):
        A = strong_block(n, 0.5) / 0.5 * radius
        value, derivative = LogDeterminant().value_and_derivative(A)
        assert math.isfinite(value) == inside
        assert derivative.any() == inside
        assert math.isfinite(LogDeterminant().value(A)) == inside


def test_two_eigenvalues_beyond_one_are_still_outside() -> None:
    # det(I − A) > 0 here: the sign of the determinant does not tell.
    A = np.array(
        [[0.0, 0.01, 2.0, 0.0], [2.0, 0.0, 0.0, 0.01], [2.0, 0.01, 0.0, 0.0], [0.0, 2.0, 0.01, 0.0]]
    )
    A = np.block([[A, np.full((4, 4), 1e-6)], [np.full((4, 4), 1e-6), A]])
    assert np.linalg.det(np.eye(8) - A) > 0.0
    assert LogDeterminant().value(A) == math.inf
