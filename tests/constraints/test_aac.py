from __future__ import annotations

import math

import numpy as np
import pytest

from daglock.constraints import AAC
from daglock.errors import InvalidParameterError


def test_closed_form_on_a_two_cycle() -> None:
    W = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert AAC(0.5).value(W) == pytest.approx(2 * math.cosh(1 / (math.sqrt(2) + 0.5)) - 2)


def test_scale_hardly_matters_when_epsilon_is_small() -> None:
    W = np.random.default_rng(0).standard_normal((5, 5))
    assert AAC(1e-12).value(1e3 * W) == pytest.approx(AAC(1e-12).value(W), rel=1e-10)


def test_unrelated_weight_lowers_the_value() -> None:
    # The price of normalising: some entries of the gradient are negative.
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = W[2, 3] = 1.0
    _, C = AAC(1e-3).value_and_core_grad(W)
    assert C[2, 3] < 0.0
    bigger = W.copy()
    bigger[2, 3] = 2.0
    assert AAC(1e-3).value(bigger) < AAC(1e-3).value(W)


def test_value_stays_below_e_minus_2_with_a_zero_diagonal() -> None:
    rng = np.random.default_rng(0)
    for scale in (1.0, 1e10, 1e200):
        W = scale * rng.standard_normal((8, 8)) * (1 - np.eye(8))
        assert AAC(1e-8).value(W) < math.e - 2.0


def test_epsilon_must_be_positive() -> None:
    with pytest.raises(InvalidParameterError, match="epsilon must be a number > 0"):
        AAC(epsilon=-1e-8)
