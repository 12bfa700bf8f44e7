from __future__ import annotations

import numpy as np
import pytest

from daglock.constraints.core import Constant, Frobenius
from daglock.errors import InvalidParameterError


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e200, 1e307])
def test_frobenius_norm_neither_overflows_nor_underflows(size: float) -> None:
    M = size * np.array([[0.0, 3.0], [4.0, 0.0]])
    scaled = Frobenius(5e-324).apply(M)
    np.testing.assert_allclose(scaled.A, [[0.0, 0.6], [0.8, 0.0]], rtol=2e-3)
    assert scaled.direction is not None
    np.testing.assert_allclose(scaled.direction, [[0.0, 0.6], [0.8, 0.0]], rtol=2e-3)


def test_the_scaled_matrix_is_inside_the_unit_ball() -> None:
    M = np.random.default_rng(0).random((6, 6))
    assert np.linalg.norm(Frobenius(0.5).apply(M).A) == pytest.approx(
        np.linalg.norm(M) / (np.linalg.norm(M) + 0.5)
    )


def test_gradient_is_the_adjoint_of_the_differential() -> None:
    rng = np.random.default_rng(1)
    M, G, step = rng.random((3, 4, 4))
    scaling = Frobenius(0.3)
    forward = (scaling.apply(M + 1e-6 * step).A - scaling.apply(M - 1e-6 * step).A) / 2e-6
    assert np.vdot(G, forward) == pytest.approx(
        float(np.vdot(scaling.apply(M).gradient(G), step)), rel=1e-7
    )


def test_invalid_parameters_are_named() -> None:
    for bad in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(InvalidParameterError, match="epsilon"):
            Frobenius(bad)
        with pytest.raises(InvalidParameterError, match="s must"):
            Constant(bad)
