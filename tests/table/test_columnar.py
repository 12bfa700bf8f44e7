"""Parquet and Arrow: types are known, indices of pandas are told apart, words are refused."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import ipc
from pyarrow.parquet import write_table

from daglock.errors import InvalidDataError
from daglock.table import read_file

KINDS = ["parquet", "arrow", "arrows"]


def write(table: pa.Table, file: Path) -> Path:
    if file.suffix == ".parquet":
        write_table(table, str(file))
    else:
        new = ipc.new_file if file.suffix == ".arrow" else ipc.new_stream
        with new(str(file), table.schema) as writer:
            writer.write_table(table)
    return file


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_all_types(kind: str, tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "float": pa.array([1.5, None, -2.0]),
        "int": pa.array([1, 2, None], pa.int64()),
        "large": pa.array([2**62 + 1, 0, 1], pa.int64()),
        "decimal": pa.array([Decimal("1.25"), Decimal("2.50"), None]),
        "truth": pa.array([True, None, False]),
    }
    table = read_file(write(pa.table(columns), tmp_path / f"data.{kind}"))
    assert table.names == tuple(columns)
    nan = np.nan
    expected = [
        [1.5, 1, 2.0**62, 1.25, 1],
        [nan, 2, 0, 2.5, nan],
        [-2.0, nan, 1, nan, 0],
    ]
    np.testing.assert_array_equal(table.data, np.array(expected))
    assert table.notes == ("True and false became 1 and 0 in 'truth'.",)
    assert table.first_missing == "row 2, column 'float'"


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_refused_by_row(kind: str, tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "a": [1.0, 2.0],
        "word": [None, "x"],
        "day": [date(2020, 1, 2), None],
        "list": [[1], [2]],
        "b": [3, 5],
    }
    file = write(pa.table(columns), tmp_path / f"data.{kind}")
    message = (
        r"These 3 columns are not numeric: 'word' \('x' in row 2\), 'day' \('2020-01-02' in "
        r"row 1\), 'list' \('\[1\]' in row 1\)"
    )
    with pytest.raises(InvalidDataError, match=message):
        read_file(file)
    table = read_file(file, drop=["word", "day", "list"])
    assert table.names == ("a", "b")
    np.testing.assert_array_equal(table.data, [[1, 3], [2, 5]])


def test_categories_are_words(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 5.0], "c": pd.Categorical(["x", "y"])})
    frame.to_parquet(tmp_path / "data.parquet")
    with pytest.raises(InvalidDataError, match=r"not numeric: 'c' \('x' in row 1\)"):
        read_file(tmp_path / "data.parquet")


def test_the_index_of_pandas_is_left_out(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]}, index=[7, 9])
    frame.to_parquet(tmp_path / "data.parquet")
    table = read_file(tmp_path / "data.parquet")
    assert table.names == ("a", "b")
    assert table.notes == ("The index of the data frame was left out.",)
    frame.reset_index(drop=True).to_feather(tmp_path / "data.feather")
    table = read_file(tmp_path / "data.feather")
    assert table.names == ("a", "b")
    assert table.notes == ()


def test_what_polars_writes(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0], "b": [3, 5]})
    frame.write_parquet(tmp_path / "data.parquet")
    frame.write_ipc(tmp_path / "data.arrow")
    for name in ("data.parquet", "data.arrow"):
        np.testing.assert_array_equal(read_file(tmp_path / name).data, frame.to_numpy())


@pytest.mark.parametrize("kind", KINDS)
def test_damaged(kind: str, tmp_path: Path) -> None:
    file = write(pa.table({"a": [1.0] * 99, "b": [2.0] * 99}), tmp_path / f"data.{kind}")
    file.write_bytes(file.read_bytes()[:300])
    with pytest.raises(InvalidDataError, match=rf"data\.{kind} is a damaged "):
        read_file(file)


def test_no_rows_or_columns(tmp_path: Path) -> None:
    file = tmp_path / "data.parquet"
    with pytest.raises(InvalidDataError, match="has no rows"):
        read_file(
            write(
                pa.table({"a": pa.array([], pa.float64()), "b": pa.array([], pa.float64())}), file
            )
        )
    with pytest.raises(InvalidDataError, match=r"At least two columns .* only 'a'"):
        read_file(write(pa.table({"a": [1.0]}), file))
