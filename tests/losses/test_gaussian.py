"""The Gaussian loss: scale invariance, and the floor at a perfect fit."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.losses import Gaussian
from daglock.moments import Moments


def test_rescaling_the_data_only_shifts_the_value() -> None:
    rng = np.random.default_rng(0)
    moments = Moments.from_data(rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4)))
    scale = np.sqrt(np.diagonal(moments.cov))
    W = np.triu(rng.normal(size=(4, 4)), 1)
    raw = Gaussian(moments).value(W)
    standardised = Gaussian(moments.standardised()).value(W * scale[:, None] / scale[None, :])
    assert raw - standardised == pytest.approx(float(np.log(scale).sum()))


def test_perfect_fit_is_finite_and_flat() -> None:
    S = np.array([[1.0, 2.0], [2.0, 4.0]])
    loss = Gaussian(Moments.from_covariance(S, n=10))
    value, grad = loss.value_and_grad(np.array([[0.0, 2.0], [0.0, 0.0]]))
    assert value == pytest.approx(0.5 * np.log(4e-12))
    np.testing.assert_array_equal(grad[:, 1], 0.0)
