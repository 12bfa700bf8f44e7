"""Least squares: its minimum."""

from __future__ import annotations

import numpy as np

from daglock.losses import LeastSquares
from daglock.moments import Moments


def test_regression_is_stationary() -> None:
    X = np.random.default_rng(0).normal(size=(40, 4))
    loss = LeastSquares(Moments.from_data(X))
    centred = X - X.mean(axis=0)
    W = np.zeros((4, 4))
    W[:3, 3] = np.linalg.lstsq(centred[:, :3], centred[:, 3], rcond=None)[0]
    np.testing.assert_allclose(loss.value_and_grad(W)[1][:3, 3], 0.0, atol=1e-13)
