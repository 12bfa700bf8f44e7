"""The study of parents that act together: its mechanisms, and what it counts."""

from __future__ import annotations

import numpy as np
import pytest

from daglock_evaluation.harness.mechanisms import Mechanism
from daglock_evaluation.studies import surfaces
from daglock_evaluation.studies.curves import Cell


@pytest.mark.parametrize("mechanism", [surfaces.products, surfaces.network])
@pytest.mark.parametrize("m", [1, 2, 5])
def test_mechanisms_are_functions_of_all_parents(mechanism: Mechanism, m: int) -> None:
    X = np.random.default_rng(0).standard_normal((50, m))
    plain = mechanism(X, np.random.default_rng(1))
    assert plain.shape == (50,)
    assert np.isfinite(plain).all()
    for j in range(m):
        moved = X.copy()
        moved[:, j] += 1.0
        assert not np.allclose(mechanism(moved, np.random.default_rng(1)), plain)
    np.testing.assert_array_equal(mechanism(X, np.random.default_rng(1)), plain)


def test_both_ways_are_compared_on_the_same_table() -> None:
    shd, told, wrong, other, other_told, other_wrong, together = surfaces._one(
        Cell("products of tanh", surfaces.products, 5, 6), 1
    )
    assert 0 <= other <= shd
    assert 0 <= wrong <= told <= 10
    assert 0 <= other_wrong <= other_told <= 10
    assert together in (0, 1)
