from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

from daglock.constraints.core import LARGEST
from daglock.constraints.spectral import TraceExponential, expm1
from daglock.typing import Array


def ring(n: int, weight: float) -> Array:
    return weight * np.roll(np.eye(n), 1, axis=1)


@pytest.mark.parametrize("norm", [1e-6, 0.5, 1.0, 3.0, 40.0])
@pytest.mark.parametrize("density", [1.0, 0.3, 0.01])
def test_agrees_with_scipy(norm: float, density: float) -> None:
    rng = np.random.default_rng(0)
    A = rng.random((200, 200)) * (rng.random((200, 200)) < density)
    A *= norm / np.linalg.norm(A)
    expected = expm(A) - np.eye(200)
    for all_paths in (False, True):
        E = expm1(A, all_paths=all_paths)
        assert np.abs(E - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


def test_tiny_matrices_keep_their_digits() -> None:
    # tr exp(A) − d of a 2-cycle of weight 1e-30 is 1e-60: gone if the identity is subtracted.
    A = np.array([[0.0, 1e-30], [1e-30, 0.0]])
    assert TraceExponential().value(A) == pytest.approx(1e-60, rel=1e-14, abs=0)
    np.testing.assert_allclose(expm1(A), [[5e-61, 1e-30], [1e-30, 5e-61]])


@pytest.mark.parametrize("n", [3, 20, 60, 200])
def test_long_rings_are_seen(n: int) -> None:
    # tr exp of a ring of n unit weights − n = Σ_m n/(mn)!: far below rounding for n > 20.
    value, derivative = TraceExponential().value_and_derivative(ring(n, 1.0))
    assert value > 0.0 or n > 170  # 1/170! is at the end of the range
    assert (derivative[np.nonzero(ring(n, 1.0))] > 0.0).all() or n > 170
    if n <= 20:
        expected = sum(n / math.factorial(m * n) for m in range(1, 4))
        assert value == pytest.approx(expected, rel=0.2, abs=0)


def test_paths_longer_than_the_taylor_polynomial_are_seen() -> None:
    # Norm below 1, so no squaring is needed for accuracy; the ring is longer than degree 16.
    A = ring(40, 0.1)
    value, derivative = TraceExponential().value_and_derivative(A)
    assert value > 0.0
    assert TraceExponential().value(A) == value
    assert (derivative > 0.0).all()


def test_structural_zeros_stay_exact() -> None:
    A = np.triu(np.random.default_rng(0).random((40, 40)), 1)
    E = expm1(A, all_paths=True)
    assert not np.tril(E).any()


def test_overflow_is_infinite_and_the_derivative_finite() -> None:
    A = np.array([[0.0, 1e4], [1e4, 0.0]])
    value, derivative = TraceExponential().value_and_derivative(A)
    assert value == math.inf
    assert np.isfinite(derivative).all()
    assert derivative.max() > 1e150
    assert TraceExponential().value(np.full((3, 3), LARGEST)) == math.inf


def test_huge_and_tiny_weights_on_one_cycle() -> None:
    A = np.array([[0.0, 1e300], [1e-300, 0.0]])
    assert TraceExponential().value(A) == pytest.approx(2.0 * (math.cosh(1.0) - 1.0), rel=1e-12)
