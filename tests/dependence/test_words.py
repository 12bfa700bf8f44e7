"""Sentences about singular covariances: they name the right columns, and no others."""

from __future__ import annotations

import numpy as np

from daglock.dependence.determined import find_determined
from daglock.dependence.words import warnings_about
from daglock.moments import Moments
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array


def rows(n: int = 60, d: int = 5, seed: int = 0) -> Array:
    return linear_sem(erdos_renyi(d, d, rng=seed), n, rng=seed + 1)


def test_nothing_to_say() -> None:
    assert warnings_about(Moments.from_data(rows())) == []
    assert warnings_about(Moments.from_data(rows(6, 5))) == []


def test_the_sentence() -> None:
    x = rows()
    names = ["smoking", "age", "income", "b", "c", "years"]
    moments = Moments.from_data(np.column_stack([x, x[:, 1]]), names=names)
    (sentence,) = warnings_about(moments)
    assert sentence.startswith("years is a copy of age, up to scale and shift. Which of them")
    assert "all are searched" in sentence
    (dropped,) = warnings_about(moments, find_determined(moments), set_aside=True)
    assert "years is set aside, a node without edges" in dropped
    (unnamed,) = warnings_about(Moments.from_data(np.column_stack([x, x[:, 1]])))
    assert unnamed.startswith("x5 is a copy of x1")


def test_many_columns_are_counted() -> None:
    x = rows(200, 12)
    (sentence,) = warnings_about(Moments.from_data(np.column_stack([x, x])))
    assert sentence.startswith("x12 is a copy of x0")
    assert "x16 is a copy of x4, up to scale and shift. 7 more columns like these." in sentence


def test_few_rows_and_copies_among_them() -> None:
    x = rows(8, 20)
    (sentence,) = warnings_about(Moments.from_data(x))
    assert sentence.startswith("There are 8 rows for 20 columns")
    first, second = warnings_about(Moments.from_data(np.column_stack([x, 3.0 * x[:, 7]])))
    assert first.startswith("There are 8 rows for 21 columns")
    assert second.startswith("x20 is a copy of x7")
    assert len(warnings_about(Moments.from_data(rows(20, 20)))) == 1
