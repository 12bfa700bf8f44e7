from __future__ import annotations

import numpy as np
import pytest

from daglock.constraints.core import LARGEST, HybridCore, SmoothedHybridCore
from daglock.errors import InvalidParameterError


def test_hybrid_core_at_a_few_points() -> None:
    w = np.array([-2.0, -0.0, 0.0, 3.0])
    core = HybridCore(0.25)
    np.testing.assert_allclose(core.value(w), [2.5, 0.0, 0.0, 4.5])
    # From above at zero, whatever the sign of the zero.
    np.testing.assert_allclose(core.derivative(w), [-1.75, 0.75, 0.75, 2.25])
    assert core.kink == 0.75


def test_smoothed_core_tends_to_the_hybrid_one() -> None:
    w = np.linspace(-2.0, 2.0, 9)
    for centered in (False, True):
        smooth = SmoothedHybridCore(0.5, 1e-9, centered)
        np.testing.assert_allclose(smooth.value(w), HybridCore(0.5).value(w), atol=1e-9)
    assert SmoothedHybridCore(0.5, 1e-3, False).value(np.zeros(1))[0] == pytest.approx(5e-4)
    assert SmoothedHybridCore(0.5, 1e-3, True).value(np.zeros(1))[0] == 0.0


def test_centred_core_keeps_its_digits_near_zero() -> None:
    # √(x²+δ²) − δ ≈ x²/(2δ), where the difference of the two roots would be zero.
    np.testing.assert_allclose(SmoothedHybridCore(0.0, 1.0, True).value(np.array([1e-12])), 5e-25)


def test_overflow_stays_at_the_largest_double() -> None:
    w = np.array([1e200, -1.7e308])
    for core in (HybridCore(1.0), HybridCore(0.5), SmoothedHybridCore(0.5, 1.0, False)):
        np.testing.assert_array_equal(core.value(w), LARGEST)
        assert np.isfinite(core.derivative(w)).all()
    np.testing.assert_allclose(HybridCore(0.0).value(w), np.abs(w))


def test_invalid_parameters_are_named() -> None:
    for alpha in (-0.1, 1.1, np.nan):
        with pytest.raises(InvalidParameterError, match="alpha"):
            HybridCore(alpha)
    for delta in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(InvalidParameterError, match="delta"):
            SmoothedHybridCore(0.5, delta, False)
