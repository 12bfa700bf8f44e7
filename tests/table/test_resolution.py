"""The grid on which columns were recorded: found where there is one, and nowhere else."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

from daglock.moments import Moments
from daglock.table.resolution import find_resolution, merge_resolutions
from daglock.typing import Array


def normal(n: int, d: int = 3, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(50.0, 10.0, (n, d))


@pytest.mark.parametrize("n", [20, 100, 300, 20_000])
def test_continuous_columns_have_no_grid(n: int) -> None:
    for table in (normal(n, 50), np.exp(normal(n, 50) / 5.0)):
        assert not Moments.from_data(table).resolution.any()


@pytest.mark.parametrize("decimals", [-1, 0, 1, 2, 3])
@pytest.mark.parametrize("n", [100, 20_000])
def test_rounded_columns(n: int, decimals: int) -> None:
    table = normal(n).round(decimals)
    np.testing.assert_allclose(find_resolution(table), 10.0**-decimals, rtol=1e-6)


@pytest.mark.parametrize(
    ("scale", "shift"), [(1e-8, 0.0), (1e8, 0.0), (1 / 2.54, 7.3), (-3.0, 1e4)]
)
def test_a_grid_that_was_scaled_and_shifted(scale: float, shift: float) -> None:
    table = scale * normal(500).round(1) + shift
    np.testing.assert_allclose(find_resolution(table), 0.1 * abs(scale), rtol=1e-6)


def test_whole_numbers_of_other_types() -> None:
    table = normal(200).round()
    for kind in (np.int64, np.int16, np.uint8, np.float32):
        np.testing.assert_allclose(find_resolution(table.astype(kind)), 1.0)
    assert find_resolution(np.array([[True, False], [False, True], [True, True]])).tolist() == (
        [np.inf, np.inf]
    )


def test_one_value_off_the_grid_is_enough() -> None:
    table = normal(100, 2).round()
    table[17, 1] += 0.123456789
    first, second = find_resolution(table)
    assert first == 1.0
    assert second < 1e-4


def test_it_is_quick() -> None:
    table = normal(20_000, 300)
    begun = perf_counter()
    find_resolution(table)
    assert perf_counter() - begun < 0.5


def test_moments_carry_it_along() -> None:
    table = np.column_stack([normal(200, 2).round(1), normal(200, 1)])
    moments = Moments.from_data(table, names=["a", "b", "c"])
    np.testing.assert_allclose(moments.resolution, [0.1, 0.1, 0.0])
    assert not moments.resolution.flags.writeable
    deviation = np.sqrt(np.diag(moments.cov))
    np.testing.assert_allclose(moments.standardised().resolution, moments.resolution / deviation)
    np.testing.assert_allclose(moments.select([2, 1]).resolution, [0.0, 0.1])
    chunks = Moments.from_chunks([table[:1], table[1:90], table[90:]])
    np.testing.assert_allclose(chunks.resolution, [0.1, 0.1, 0.0])
    within = Moments.within_regimes(table, [0] * 120 + [1] * 80)
    np.testing.assert_allclose(within.resolution, [0.1, 0.1, 0.0])
    other = Moments.from_data(np.round(table))
    np.testing.assert_allclose(moments.merge(other).resolution, [0.1, 0.1, 0.0])
    assert Moments(moments.cov, 200, moments.means).resolution.tolist() == [0.0, 0.0, 0.0]


def test_grids_that_do_not_fit_have_a_common_one_or_none() -> None:
    found = merge_resolutions(np.array([2.0, 1.0, 0.0]), np.array([3.0, np.sqrt(2.0), 1.0]))
    assert found[0] == pytest.approx(1.0)
    assert found[1] < 0.01
    assert found[2] == 0.0
