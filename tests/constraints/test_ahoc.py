from __future__ import annotations

import math

import numpy as np
import pytest

from daglock.constraints import AAC, AHOC, SAHOC
from daglock.errors import InvalidParameterError


def test_closed_form_on_a_two_cycle() -> None:
    W = np.array([[0.0, 2.0], [-2.0, 0.0]])
    m = 0.3 * 4.0 + 0.7 * 2.0
    a = m / (math.sqrt(2) * m + 0.1)
    assert AHOC(alpha=0.3, epsilon=0.1).value(W) == pytest.approx(2 * math.cosh(a) - 2)


def test_epsilon_one_is_sahoc() -> None:
    W = np.random.default_rng(0).standard_normal((5, 5))
    assert AHOC(0.3, 1.0).value(W) == SAHOC(0.3).value(W)


def test_alpha_near_one_tends_to_aac() -> None:
    W = np.random.default_rng(0).standard_normal((5, 5))
    assert AHOC(1.0 - 1e-9, 0.1).value(W) == pytest.approx(AAC(0.1).value(W), rel=1e-7)


def test_parameters_are_checked() -> None:
    with pytest.raises(InvalidParameterError, match="alpha must be a number >= 0 and < 1"):
        AHOC(alpha=1.0)
    with pytest.raises(InvalidParameterError, match="epsilon must be a number > 0"):
        AHOC(epsilon=0.0)
    with pytest.raises(InvalidParameterError, match="alpha must be a number >= 0 and < 1"):
        SAHOC(alpha=-0.5)
