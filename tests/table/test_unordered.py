"""Codes that name beside codes that rank."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from daglock import DAGLock
from daglock.table import Table, read_table
from daglock.table.kinds import ColumnKind, Kind
from daglock.table.unordered import _monotone, with_unordered_codes
from daglock.typing import Array

ORDINAL, NUMBER = ColumnKind(Kind.ORDINAL), ColumnKind(Kind.CONTINUOUS)


def coded(effect: list[float], n: int = 600, seed: int = 0, noise: float = 1.0) -> Table:
    """A code, a column that depends on it, and one that does not."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, len(effect), size=n)
    y = np.array(effect)[code] + noise * rng.standard_normal(n)
    data = np.column_stack([code + 1.0, y, rng.standard_normal(n)])
    return Table(data, ("code", "y", "z"), kinds=(ORDINAL, NUMBER, NUMBER))


@pytest.mark.parametrize("effect", [[0.0, 2.0, -1.0], [3.0, 0.0, 3.0, 0.0], [0.0, 1.0, 2.0, 0.0]])
def test_a_code_that_names_is_a_category(effect: list[float]) -> None:
    table = coded(effect)
    found = with_unordered_codes(table)
    assert found.kinds[0].kind is Kind.CATEGORICAL
    assert found.kinds[0].levels == tuple(str(k + 1) for k in range(len(effect)))
    assert "y follows" in found.kinds[0].reason
    np.testing.assert_array_equal(found.data[:, 0], table.data[:, 0] - 1)
    assert table.kinds[0] is ORDINAL  # the one that was given is as it was


@pytest.mark.parametrize(
    "effect",
    [[0.0, 1.0, 2.0], [2.0, 0.5, 0.4, 0.0], [0.0, 0.0, 0.0], [1, 1, 5], [0.0, 3.0, 4.0, 3.4]],
)
def test_a_code_that_ranks_stays(effect: list[float]) -> None:
    for seed in range(40):
        table = coded(effect, seed=seed)
        assert with_unordered_codes(table) is table


def test_few_rows_tell_nothing() -> None:
    wide = coded([0.0, 9.0, -9.0], n=25)
    assert with_unordered_codes(wide) is wide
    assert with_unordered_codes(coded([0.0, 1.0, 0.0], n=20)).kinds[0] is ORDINAL


def test_what_a_user_says_stands() -> None:
    table = coded([0.0, 2.0, -1.0])
    given = ColumnKind(Kind.ORDINAL, given=True)
    said = Table(table.data, table.names, kinds=(given, NUMBER, NUMBER))
    assert with_unordered_codes(said) is said
    frame = {"code": table.data[:, 0], "y": table.data[:, 1], "z": table.data[:, 2]}
    import pandas as pd

    assert read_table(pd.DataFrame(frame)).kinds[0].kind is Kind.CATEGORICAL
    kept = read_table(pd.DataFrame(frame), columns={"code": "ordinal"})
    assert kept.kinds[0].kind is Kind.ORDINAL
    assert kept.kinds[0].levels is None
    assert DAGLock(random_state=0).fit(pd.DataFrame(frame)).noise_model_ == "mixed"


def test_gaps_do_no_harm() -> None:
    table = coded([0.0, 2.0, -1.0])
    data = table.data.copy()
    data[::7, 0] = np.nan
    data[::5, 1] = np.nan
    found = with_unordered_codes(Table(data, table.names, kinds=table.kinds))
    assert found.kinds[0].kind is Kind.CATEGORICAL
    np.testing.assert_array_equal(np.isnan(found.data[:, 0]), np.isnan(data[:, 0]))


def test_monotone_means() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        means: Array = rng.standard_normal(6)
        weight = rng.uniform(0.5, 3.0, size=6)
        expected = isotonic_regression(means, weights=weight).x
        np.testing.assert_allclose(_monotone(means, weight), expected)
