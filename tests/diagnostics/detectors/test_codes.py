"""Sentinels: codes for missing values are questioned, values that look like them are not."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.diagnostics.detectors.codes import Sentinel, sentinels_of
from daglock.typing import Array

RNG = np.random.default_rng(0)
HEIGHTS = RNG.normal(170.0, 10.0, 300).round(1)
GRADES = RNG.integers(1, 6, 300).astype(float)
AMOUNTS = RNG.lognormal(6.0, 1.0, 300).round()


def find_sentinels(column: Array) -> list[Sentinel]:
    values, counts = np.unique(column[np.isfinite(column)], return_counts=True)
    return sentinels_of(values, counts)


@pytest.mark.parametrize(
    ("column", "code", "count"),
    [
        (HEIGHTS, -999.0, 1),
        (HEIGHTS, 9999.0, 7),
        (HEIGHTS / 1e3, -99.9, 2),
        (GRADES, 99.0, 4),
        (GRADES, -9.0, 60),
        (AMOUNTS, -1.0, 40),
        (AMOUNTS, 999999999.0, 1),
    ],
)
def test_a_code_is_found(column: Array, code: float, count: int) -> None:
    coded = column.copy()
    coded[:count] = code
    coded[count] = np.nan
    assert find_sentinels(coded) == [Sentinel(code, count)]


def test_two_codes() -> None:
    coded = HEIGHTS.copy()
    coded[:3], coded[3:5] = -999.0, 9999.0
    assert {found.value for found in find_sentinels(coded)} == {-999.0, 9999.0}


@pytest.mark.parametrize(
    "column",
    [
        HEIGHTS,
        GRADES,
        AMOUNTS,
        np.arange(900.0, 1100.0),  # 999 among its like
        np.append(np.arange(0.0, 998.0), 999.0),
        np.append(AMOUNTS, 9999.0),  # the end of a long tail
        np.round(RNG.normal(0.0, 1.0, 300)),  # -1 among its like
        np.append(RNG.poisson(60.0, 300), 99.0),  # a large count
        np.append(RNG.integers(0, 30, 300), -9.0),  # once
        np.array([-999.0, -999.0]),
        np.array([np.nan, np.nan]),
        np.array([]),
    ],
)
def test_no_false_alarm(column: Array) -> None:
    assert find_sentinels(column) == []
