"""Numbers at the ends of what a double holds: what is said of them is true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from daglock import DAGLock
from daglock.cli import main
from daglock.diagnostics.checking import check_table
from daglock.errors import DataWarning, InvalidDataError
from daglock.table.frames import read_table
from daglock.table.rounding import loses_digits
from daglock.table.table import Table
from tests.table.reader import read

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
NEAR = {
    "int64": 2**62 + RNG.integers(0, 200, 60),
    "uint64": np.uint64(2**64 - 1) - RNG.integers(0, 200, 60).astype(np.uint64),
    "negative": -(2**62) - RNG.integers(0, 200, 60),
}


@pytest.mark.parametrize("kind", NEAR)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_whole_numbers_that_lose_digits(kind: str, library: str) -> None:
    columns: dict[str, Any] = {"a": X[:, 0], "b": X[:, 1], "k": NEAR[kind]}
    make: dict[str, Any] = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    table = read_table(make[library](columns))
    assert table.rounded == ("k",)
    assert table.left_out == {"k": "varies only in digits that a double does not keep"}


@pytest.mark.parametrize("kind", NEAR)
def test_in_text(kind: str, tmp_path: Path) -> None:
    rows = [f"{a},{b},{k}" for (a, b), k in zip(X.tolist(), NEAR[kind].tolist(), strict=True)]
    table = read(tmp_path, "\n".join(["a,b,k", *rows]))
    assert table.rounded == ("k",)
    assert "in 'k' lost their last digits" in table.notes[0]


def test_fit_says_so() -> None:
    with pytest.warns(DataWarning) as said:
        DAGLock(n_restarts=0).fit(pd.DataFrame(X, columns=["a", "b"]).assign(k=NEAR["int64"]))
    assert any("beyond 2**53 (about 9e15) in 'k'" in str(one.message) for one in said)


def test_arrays_of_whole_numbers() -> None:
    whole = np.column_stack([NEAR["int64"] * 1, np.arange(60) ** 2, np.arange(60) % 7 * 3])
    assert read_table(whole).rounded == ("x0",)


def test_whole_numbers_of_python_have_no_end() -> None:
    rows = [[2**70 + 7 * i, i * i % 11, i % 7 * 3] for i in range(60)]
    for table in (rows, np.array(rows, dtype=object)):
        assert read_table(table).rounded == ("x0",)
    with pytest.warns(DataWarning) as said:
        DAGLock(n_restarts=0).fit(rows)
    assert any("x0 (varies only in digits that" in str(one.message) for one in said)
    assert read_table([[2**70, i * i % 11, i % 7 * 3] for i in range(60)]).rounded == ()


def test_numbers_that_are_kept() -> None:
    assert not loses_digits(np.array([2**53, -(2**53), 5]))
    assert not loses_digits(np.array([2**62, 2**60]))
    assert loses_digits(np.array([2**53 + 1]))
    assert not loses_digits(np.array([0.5, 1e300]))
    large = pd.DataFrame({"a": X[:, 0] * 1e30, "b": X[:, 1]})
    assert read_table(large).rounded == ()


def test_columns_too_small_to_be_squared() -> None:
    tiny = pd.DataFrame({"a": X[:, 0] * 1e-300, "b": X[:, 1]})
    with pytest.raises(InvalidDataError, match=r"vary, but by so little .* column 'a' \(by"):
        DAGLock().fit(tiny)


def test_columns_too_large_to_be_squared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    huge = pd.DataFrame({"a": X[:, 0] * 1e300, "b": X[:, 1], "c": X[:, 0]})
    with pytest.raises(InvalidDataError, match=r"the values of column 'a' are too large"):
        DAGLock().fit(huge)
    huge.to_csv(tmp_path / "huge.csv", index=False)
    assert main(["check", str(tmp_path / "huge.csv")]) == 3  # and no warning of NumPy's
    assert capsys.readouterr().err.count("\n") == 1


def test_check_calls_one_row_no_copy() -> None:
    data = RNG.normal(size=(300, 3))
    data[7] = [1e4, 1e4, 0.1]
    found = [finding.title for finding in check_table(Table(data, ("a", "b", "c"))).findings]
    assert "One row carries a correlation" in found
    assert not any("repeat" in title for title in found)
    copies = np.column_stack([data, 2.0 * data[:, 2] + 1e-3 * RNG.normal(size=300)])
    found = [finding.title for finding in check_table(Table(copies, tuple("abcd"))).findings]
    assert any("repeat" in title or "cop" in title for title in found)


def test_one_row_is_no_copy() -> None:
    far = pd.DataFrame(RNG.normal(size=(200, 3)), columns=["a", "b", "c"])
    far.loc[7, ["a", "b"]] = 1e9
    with pytest.warns(DataWarning, match=r"Row 7 \(counted from 0\) has over 99% of the variance"):
        model = DAGLock(n_restarts=0).fit(far)
    assert not any("copy" in caution for caution in model.learned_.cautions)
    assert "Row 7" in model.message_
    assert "copy" not in model.message_


def test_a_copy_with_an_outlier_is_a_copy() -> None:
    far = pd.DataFrame(RNG.normal(size=(200, 2)), columns=["a", "b"])
    far.loc[7, "a"] = 1e9
    with pytest.warns(DataWarning, match=r"c is a copy of a"):
        DAGLock(n_restarts=0).fit(far.assign(c=2.0 * far["a"] + 1.0))
