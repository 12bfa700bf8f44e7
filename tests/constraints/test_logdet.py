from __future__ import annotations

import math

import numpy as np
import pytest

from daglock.constraints import LogDet
from daglock.errors import InvalidParameterError
from tests.constraints.reference import near_cycle, random_dag


def test_closed_form_on_a_two_cycle() -> None:
    W = np.array([[0.0, 0.7], [-1.2, 0.0]])
    # det(sI − W∘W) = s² − (ab)².
    for s in (1.0, 2.0):
        assert LogDet(s).value(W) == pytest.approx(2 * math.log(s) - math.log(s**2 - 0.84**2))


def test_near_cyclic_value() -> None:
    # det(I − A) of a ring is 1 − (product of its weights) = 1 − ρ³.
    radius = 0.999996
    value, grad = LogDet().value_and_grad(near_cycle(radius))
    assert value == pytest.approx(-math.log1p(-(radius**3)), rel=1e-10)
    assert np.abs(grad).max() > 1e4


def test_outside_the_domain_infinite_with_zero_gradient() -> None:
    W = near_cycle(1.000001)
    for value, grad in (LogDet().value_and_grad(W), LogDet().value_and_core_grad(W)):
        assert value == math.inf
        assert not grad.any()
    assert math.isfinite(LogDet(s=1.1).value(W))


def test_a_dag_with_large_weights_is_inside() -> None:
    W = random_dag(np.random.default_rng(0), 30, scale=100.0)
    value, C = LogDet().value_and_core_grad(W)
    assert value == 0.0
    reaches = np.linalg.inv(np.eye(30) - 1e-2 * (W != 0.0)) > 1e-70
    np.testing.assert_array_equal(C.T > 0.0, reaches)


def test_s_must_be_positive() -> None:
    with pytest.raises(InvalidParameterError, match="s must be a number > 0"):
        LogDet(s=0.0)
