"""Sentences about singular covariances: they name the right columns, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.diagnostics import singular
from daglock.diagnostics.singular import copied_columns, determined_columns, warnings_about
from daglock.moments import Moments
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array

SCALES = pytest.mark.parametrize("scale", [1.0, 1e-8, 1e8])


def rows(n: int = 60, d: int = 5, seed: int = 0) -> Array:
    return linear_sem(erdos_renyi(d, d, rng=seed), n, rng=seed + 1)


def test_nothing_to_say() -> None:
    assert warnings_about(Moments.from_data(rows())) == []
    assert warnings_about(Moments.from_data(rows(6, 5))) == []


@SCALES
def test_copies_and_sums_are_named(scale: float) -> None:
    x = rows()
    table = np.column_stack([x, -2.0 * scale * x[:, 1]])
    assert determined_columns(Moments.from_data(table).cov).tolist() == [1, 5]
    table = np.column_stack([x, scale * (x[:, 0] - x[:, 3])])
    assert determined_columns(Moments.from_data(table).cov).tolist() == [0, 3, 5]
    two = np.column_stack([x, x[:, 0], x[:, 2] + x[:, 4]])
    assert determined_columns(Moments.from_data(two).cov).tolist() == [0, 2, 4, 5, 6]


def test_a_combination_of_all_the_others() -> None:
    x = rows()
    table = np.column_stack([x, x.sum(axis=1)])
    assert determined_columns(Moments.from_data(table).cov).tolist() == list(range(6))


@pytest.mark.parametrize(("noise", "named"), [(1e-7, [0, 5]), (1e-3, [])])
def test_how_near_is_near(noise: float, named: list[int]) -> None:
    x = rows()
    other = x[:, 0] + noise * np.random.default_rng(5).normal(size=60)
    S = Moments.from_data(np.column_stack([x, other])).cov
    assert determined_columns(S).tolist() == named
    assert copied_columns(S).tolist() == named


def test_the_sentence() -> None:
    x = rows()
    names = ["smoking", "age", "income", "b", "c", "years"]
    moments = Moments.from_data(np.column_stack([x, x[:, 1]]), names=names)
    (sentence,) = warnings_about(moments)
    assert sentence.startswith("Columns age, years determine each other linearly")
    (unnamed,) = warnings_about(Moments.from_data(np.column_stack([x, x[:, 1]])))
    assert unnamed.startswith("Columns x1, x5 determine")


def test_many_columns_are_counted() -> None:
    x = rows(200, 12)
    (sentence,) = warnings_about(Moments.from_data(np.column_stack([x, x])))
    assert "x0, x1, x2, x3, x4, x5, x6, x7, x8, x9 and 14 more determine" in sentence


def test_few_rows_and_copies_among_them() -> None:
    x = rows(8, 20)
    (sentence,) = warnings_about(Moments.from_data(x))
    assert sentence.startswith("There are 8 rows for 20 columns")
    first, second = warnings_about(Moments.from_data(np.column_stack([x, 3.0 * x[:, 7]])))
    assert first.startswith("There are 8 rows for 21 columns")
    assert second.startswith("Columns x7, x20 determine each other")
    assert len(warnings_about(Moments.from_data(rows(20, 20)))) == 1


def test_very_many_columns_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    x = rows()
    moments = Moments.from_data(np.column_stack([x, x]))
    monkeypatch.setattr(singular, "MAX_CHECKED", 9)
    assert warnings_about(moments) == []


def test_the_covariance_is_left_alone() -> None:
    S = np.cov(rows().T)
    before = S.copy()
    copied_columns(S)
    determined_columns(S)
    np.testing.assert_array_equal(S, before)
