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
from daglock.table.columnar import unpacked_size

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
    assert table.notes[0] == "True and false became 1 and 0 in 'truth'."
    assert len(table.notes) == 2
    assert "beyond 2**53 (about 9e15) in 'large' lost their last digits" in table.notes[1]
    assert table.rounded == ("large",)
    assert table.first_missing == "row 2, column 'float'"


@pytest.mark.parametrize("kind", KINDS)
def test_words_dates_and_lists_are_told_apart(kind: str, tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "a": [1.0, 2.0, 4.0],
        "word": [None, "x", "w"],
        "day": [date(2020, 1, 2), None, date(2020, 1, 3)],
        "list": [[1], [2], [3]],
        "b": [3, 5, 4],
    }
    file = write(pa.table(columns), tmp_path / f"data.{kind}")
    table = read_file(file)
    assert table.left_out == {"day": "holds dates or times", "list": "holds lists, not values"}
    assert table.columns == tuple(columns)
    assert table.names == ("a", "word", "b")
    assert table.kinds[1].levels == ("w", "x")
    np.testing.assert_array_equal(table.data, [[1, np.nan, 3], [2, 1, 5], [4, 0, 4]])
    table = read_file(file, drop=["word", "day", "list"])
    assert table.names == ("a", "b")
    assert table.left_out == {}


def test_categories_keep_their_order(tmp_path: Path) -> None:
    sizes = pd.Categorical(["S", "L", "M", "L"], categories=["S", "M", "L", "XL"], ordered=True)
    frame = pd.DataFrame({"a": [1.0, 2, 4, 8], "b": [1.0, 5, 2, 3], "size": sizes})
    frame["colour"] = pd.Categorical(["red", "blue", "red", "green"])
    frame.to_parquet(tmp_path / "data.parquet")
    table = read_file(tmp_path / "data.parquet")
    assert [found.kind.value for found in table.kinds[2:]] == ["ordinal", "categorical"]
    assert table.kinds[2].levels == ("S", "M", "L")
    np.testing.assert_array_equal(table.data[:, 2:].T, [[0, 2, 1, 2], [2, 0, 2, 1]])


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


# --- packed Arrow


def packed(rows: int, compression: str, *, as_file: bool, categories: bool = False) -> bytes:
    cells = pa.array(np.arange(rows) % 2 * 1.0)
    table = pa.table({"a": cells, "b": pa.array(np.arange(rows) % 8 * 1.0)})
    if categories:
        words = pa.array(["u" * 50_000] * 3 + ["v"] * (rows - 3)).dictionary_encode()
        table = pa.table({"a": cells, "b": words})
    sink = pa.BufferOutputStream()
    make = ipc.new_file if as_file else ipc.new_stream
    options = ipc.IpcWriteOptions(compression=compression)
    with make(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("as_file", [True, False])
@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_a_packed_arrow_file_is_refused_before_it_is_unpacked(
    tmp_path: Path, compression: str, as_file: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = packed(5 << 20, compression, as_file=as_file)  # 84 MB
    assert unpacked_size(raw, is_file=as_file) == 16 * (5 << 20)
    path = tmp_path / "data.arrow"
    path.write_bytes(raw)
    assert len(read_file(path, max_size=10**8).data) == 5 << 20
    for name in ("open_file", "open_stream"):
        monkeypatch.setattr(ipc, name, None)
    with pytest.raises(InvalidDataError, match=r"unpacks to 83\.9 MB.*--max-size 84M"):
        read_file(path)


@pytest.mark.parametrize("as_file", [True, False])
def test_a_forged_length_is_refused(tmp_path: Path, as_file: bool) -> None:
    raw = packed(4096, "zstd", as_file=as_file)
    size = (8 * 4096).to_bytes(8, "little")
    assert raw.count(size) >= 2  # the two columns
    for forged, said in (((1 << 42), "unpacks to 4.4e\\+03 GB"), (-5, "negative length")):
        path = tmp_path / "data.arrow"
        at = raw.rindex(size)
        path.write_bytes(raw[:at] + forged.to_bytes(8, "little", signed=True) + raw[at + 8 :])
        with pytest.raises(InvalidDataError, match=said):
            read_file(path)


def test_dictionaries_and_what_is_not_packed_count(tmp_path: Path) -> None:
    raw = packed(4096, "zstd", as_file=True, categories=True)
    assert unpacked_size(raw, is_file=True) > 8 * 4096 + 50_000
    sink = pa.BufferOutputStream()
    table = pa.table({"a": np.arange(1000.0), "b": np.arange(1000.0) ** 2})
    with ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    assert unpacked_size(sink.getvalue().to_pybytes(), is_file=True) == 16_000
