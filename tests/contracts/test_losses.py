"""What every registered loss promises."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.losses import LOSSES, Gaussian, LeastSquares
from daglock.moments import Moments
from daglock.typing import Array, Loss

PARAMETERS = pytest.mark.parametrize("name", sorted(LOSSES))


def build(name: str, d: int = 6, seed: int = 0) -> tuple[LeastSquares | Gaussian, Array, Array]:
    """A loss, the rows behind it, and a weight matrix."""
    rng = np.random.default_rng(seed)
    X: Array = rng.normal(size=(3 * d, d)) @ rng.normal(size=(d, d))
    X -= X.mean(axis=0)
    W: Array = 0.3 * rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.5)
    np.fill_diagonal(W, 0.0)
    return LOSSES[name](Moments.from_data(X)), X, W


@PARAMETERS
def test_answers_to_the_protocol(name: str) -> None:
    loss, _, _ = build(name)
    assert isinstance(loss, Loss)
    assert loss.d == 6


@PARAMETERS
@pytest.mark.parametrize("seed", range(3))
def test_gradient_against_finite_differences(name: str, seed: int) -> None:
    loss, _, W = build(name, seed=seed)
    value, grad = loss.value_and_grad(W)
    assert loss.value(W) == value
    for i, j in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[i, j] = 1e-5
        numeric = (loss.value(W + step) - loss.value(W - step)) / 2e-5
        assert grad[i, j] == pytest.approx(numeric, rel=1e-6, abs=1e-7)


@PARAMETERS
def test_sparse_and_dense_paths_agree(name: str) -> None:
    loss, X, _ = build(name, d=120)
    rng = np.random.default_rng(1)
    W: Array = rng.normal(size=(120, 120)) * (rng.random((120, 120)) < 0.01)
    value, grad = loss.value_and_grad(W)
    R = X - X @ W
    S = X.T @ X / len(X)
    residual_variances = np.einsum("ij,ij->j", R, R) / len(X)
    if name == "gaussian":
        expected = 0.5 * float(np.log(residual_variances).sum())
        expected_grad = S @ (W - np.eye(120)) / residual_variances
    else:
        expected = 0.5 * float(residual_variances.sum())
        expected_grad = S @ (W - np.eye(120))
    assert value == pytest.approx(expected, rel=1e-10)
    np.testing.assert_allclose(grad, expected_grad, rtol=1e-8, atol=1e-9)


@PARAMETERS
def test_inputs_are_not_changed(name: str) -> None:
    loss, _, W = build(name)
    before = W.copy()
    W.flags.writeable = False
    loss.value_and_grad(W)
    np.testing.assert_array_equal(W, before)


@PARAMETERS
@pytest.mark.parametrize("shape", [(6, 1), (6, 5), (5, 5), (6,)])
def test_a_matrix_of_another_shape_is_refused(name: str, shape: tuple[int, ...]) -> None:
    loss, _, _ = build(name)
    with pytest.raises(InvalidDataError, match=r"W must have shape \(6, 6\)"):
        loss.value(np.zeros(shape))


@PARAMETERS
def test_weights_that_are_not_finite_are_refused_and_overflow_is_infinite(name: str) -> None:
    loss, _, W = build(name)
    W[0, 1] = np.nan
    with pytest.raises(InvalidDataError, match="NaN or infinite"):
        loss.value(W)
    for size in (1e200, 1e308):
        W[0, 1], W[2, 1] = size, -size
        value, grad = loss.value_and_grad(W)
        assert value == np.inf
        assert np.isfinite(grad).all()


@PARAMETERS
def test_rows_in_place_of_moments_are_refused(name: str) -> None:
    _, X, _ = build(name)
    with pytest.raises(InvalidParameterError, match=r"Moments\.from_data"):
        LOSSES[name](cast(Any, X))
