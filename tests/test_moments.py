"""Moments against NumPy and against exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daglock.errors import InvalidDataError
from daglock.moments import Moments, raw
from daglock.typing import Array
from tests.examples import examples


def table(seed: int = 0, n: int = 40, d: int = 5) -> Array:
    rng = np.random.default_rng(seed)
    mixing: Array = rng.normal(size=(d, d))
    return np.asarray(rng.normal(size=(n, d)) @ mixing + rng.normal(size=d), dtype=np.float64)


def test_agrees_with_numpy_and_leaves_the_table_alone() -> None:
    X = table()
    before = X.copy()
    moments = Moments.from_data(X)
    np.testing.assert_allclose(moments.cov, np.cov(X.T, bias=True), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(moments.means, X.mean(axis=0), rtol=1e-14)
    assert np.array_equal(moments.cov, moments.cov.T)
    np.testing.assert_array_equal(X, before)
    assert X.flags.writeable
    assert (moments.n, moments.d, moments.names) == (40, 5, None)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.bool_, object])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_numeric_type_and_order(dtype: Any, order: Any) -> None:
    X = np.asarray(table() > 0, dtype=dtype, order=order)
    expected = np.cov(X.astype(float).T, bias=True)
    np.testing.assert_allclose(Moments.from_data(X).cov, expected, rtol=1e-12, atol=1e-14)


def test_blocks_of_rows_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X = table(n=101, d=7)
    whole = Moments.from_data(X)
    monkeypatch.setattr(raw, "_BLOCK_CELLS", 30)
    np.testing.assert_allclose(Moments.from_data(X).cov, whole.cov, rtol=1e-12, atol=1e-14)


def test_wide_covariance_is_mirrored_block_by_block() -> None:
    X = np.random.default_rng(0).normal(size=(30, 1100))
    cov = Moments.from_data(X).cov
    np.testing.assert_allclose(cov, np.cov(X.T, bias=True), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("shift", [1e8, 1e15 + 0.125])
def test_large_mean_costs_no_accuracy(shift: float) -> None:
    X = table(n=50, d=3) + shift
    rows = [[Fraction(float(x)) for x in row] for row in X]
    means = [sum(column, Fraction(0)) / 50 for column in zip(*rows, strict=True)]
    exact = [
        [float(sum((r[i] - means[i]) * (r[j] - means[j]) for r in rows) / 50) for j in range(3)]
        for i in range(3)
    ]
    np.testing.assert_allclose(Moments.from_data(X).cov, exact, rtol=1e-12)


@examples(30)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 40), max_size=4))
def test_chunks_and_merge_equal_the_whole(seed: int, cuts: list[int]) -> None:
    X = table(seed % 1000) + 1e4
    whole = Moments.from_data(X)
    streamed = Moments.from_chunks(np.split(X, sorted(cuts)))
    merged = Moments.from_data(X[:17]).merge(Moments.from_data(X[17:]))
    for other in (streamed, merged):
        np.testing.assert_allclose(other.cov, whole.cov, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(other.means, whole.means, rtol=1e-13)
        assert other.n == whole.n


def test_chunks_may_be_constant_on_their_own_but_not_together() -> None:
    X = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 3.0], [0.3, 4.0]])
    assert Moments.from_chunks([X[:3], X[3:]]).cov[0, 0] == pytest.approx(0.0075)
    X[3, 0] = 0.1
    with pytest.raises(InvalidDataError, match="do not vary; remove them: column 0"):
        Moments.from_chunks([X[:3], X[3:]])


def test_regimes() -> None:
    X, labels = table(n=30), np.repeat([3, 1, 2], 10)
    shifted = X + labels[:, None] * 100
    within = Moments.within_regimes(shifted, labels, names=list("abcde"))
    assert within.names == tuple("abcde")
    expected = np.mean([np.cov(X[labels == g].T, bias=True) for g in (1, 2, 3)], axis=0)
    np.testing.assert_allclose(within.cov, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(within.means, shifted.mean(axis=0))
    X[20:, 2] = 0.1
    assert Moments.within_regimes(X, labels).n == 30
    X[:, 2] = 0.1 * labels
    with pytest.raises(InvalidDataError, match="column 2"):
        Moments.within_regimes(X, labels)
    with pytest.raises(InvalidDataError, match="one regime for each of the 30 rows"):
        Moments.within_regimes(X, labels[:4])


def test_standardised_is_the_correlation() -> None:
    X = table()
    standardised = Moments.from_data(X).standardised()
    np.testing.assert_allclose(standardised.cov, np.corrcoef(X.T), rtol=1e-12, atol=1e-14)
    assert np.array_equal(np.diagonal(standardised.cov), np.ones(5))
    assert not standardised.means.any()


def test_from_covariance_round_trip_and_read_only() -> None:
    moments = Moments.from_data(table())
    S = moments.cov.copy()
    again = Moments.from_covariance(S, 40, moments.means)
    S[:] = 0
    np.testing.assert_array_equal(again.cov, moments.cov)
    for array in (again.cov, again.means, moments.cov, moments.means):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


class Frame:
    """What daglock needs of a data frame: columns and an array."""

    columns = ("left", 2)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array([[1.0, 2.0], [2.0, 5.0], [3.0, 1.0]])


def test_names_come_from_a_frame() -> None:
    assert Moments.from_data(Frame()).names == ("left", "2")
    assert Moments.from_data(Frame(), names=["a", "b"]).names == ("a", "b")


GOOD = [[1.0, 2.0], [2.0, 1.0], [4.0, 4.0]]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], r"2-D table.*1 dimension"),
        ([[1.0], [2.0]], "At least two columns.*got 1"),
        ([[1.0, 2.0]], "At least two rows.*n = 1"),
        (np.empty((0, 3)), "At least two rows.*n = 0"),
        ([[1.0, 2.0], [3.0]], "same length"),
        ([[1.0, 2.0], [np.nan, 1.0], [np.inf, 3.0]], r"2 value\(s\).*row 1 of column 0"),
        (np.ma.masked_equal(GOOD, 2.0), r"2 value\(s\).*row 0 of column 1"),
        ([[1.0, 5.0], [2.0, 5.0]], "do not vary.*column 1"),
        ([[0.1, 5.0], [0.1, 4.0], [0.1, 4.0]], "do not vary.*column 0"),
        ([[1.0, "a"], [2.0, "b"]], "real numbers"),
        (np.array([[1.0, "a"], [2.0, "b"]], dtype=object), "row 0 of column 1 holds 'a'"),
        (np.array([[1.0, None], [2.0, 3.0]], dtype=object), "missing or infinite"),
        ([[1j, 2.0], [2.0, 1.0]], "real numbers"),
        ([[1e300, 2.0], [-1e300, 1.0]], "not finite: the values of column 0 are too large"),
        ([[1e-200, 2.0], [0.0, 1.0]], r"vary, but by so little .*column 0 \(by 1e-200\)"),
    ],
)
def test_bad_tables_are_named(X: Any, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        Moments.from_data(X)


def test_bad_names_are_named() -> None:
    with pytest.raises(InvalidDataError, match="3 names for 2 columns"):
        Moments.from_data(GOOD, names=["a", "b", "c"])
    with pytest.raises(InvalidDataError, match="'a' occurs more than once"):
        Moments.from_data(GOOD, names=["a", "a"])
    with pytest.raises(InvalidDataError, match="column 'b'"):
        Moments.from_data([[1.0, 5.0], [2.0, 5.0]], names=["a", "b"])


@pytest.mark.parametrize(
    ("cov", "n", "message"),
    [
        ([[1.0, 0.0]], 10, "square"),
        ([[1.0, 0.5], [0.2, 1.0]], 10, r"symmetric, but cov\[0, 1\] = 0.5"),
        ([[1.0, 2.0], [2.0, 1.0]], 10, "negative eigenvalue"),
        ([[1.0, -0.9, -0.9], [-0.9, 1.0, -0.9], [-0.9, -0.9, 1.0]], 10, "negative eigenvalue"),
        ([[1.0, 0.0], [0.0, 0.0]], 10, "do not vary"),
        ([[1.0, np.nan], [np.nan, 1.0]], 10, "missing or infinite"),
        ([[1.0, 0.0], [0.0, 1.0]], 1, "At least two rows"),
        ([[1.0, 0.0], [0.0, 1.0]], 2.5, "At least two rows.*n = 2.5"),
        ([[1.0, 0.0], [0.0, 1.0]], "x", "At least two rows.*n = 'x'"),
    ],
)
def test_bad_covariances_are_named(cov: Any, n: Any, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        Moments.from_covariance(cov, n)


def test_bad_means_are_named() -> None:
    with pytest.raises(InvalidDataError, match="one entry for each of the 2 columns"):
        Moments.from_covariance(np.eye(2), n=10, means=[1.0, 2.0, 3.0])
    with pytest.raises(InvalidDataError, match="means must be an array of real numbers"):
        Moments.from_covariance(np.eye(2), n=10, means=["a", "b"])


def test_moments_of_different_tables_do_not_merge() -> None:
    a = Moments.from_data(GOOD, names=["a", "b"])
    with pytest.raises(InvalidDataError, match="different names"):
        a.merge(Moments.from_data(GOOD, names=["b", "a"]))
    with pytest.raises(InvalidDataError, match="2 and of 5"):
        a.merge(Moments.from_data(table()))
    with pytest.raises(InvalidDataError, match="same columns"):
        Moments.from_chunks([GOOD, table()])
