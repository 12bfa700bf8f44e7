"""Files that are too large, too wide or without an end are refused before memory goes."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table import read_file
from daglock.table.limits import Limits
from daglock.table.records import squeeze
from tests.table.reader import read

CSV = b"a,b\n" + b"1,2\n3,5\n" * 100


def test_files_up_to_a_size(tmp_path: Path) -> None:
    assert len(read(tmp_path, CSV, max_size=len(CSV)).data) == 200
    with pytest.raises(InvalidDataError, match=r"has 804 bytes, .* give --max-size 1M \(max_size"):
        read(tmp_path, CSV, max_size=len(CSV) - 1)


def test_gzip_up_to_a_size(tmp_path: Path) -> None:
    packed = gzip.compress(CSV)
    assert len(read(tmp_path, packed, max_size=len(CSV)).data) == 200
    with pytest.raises(InvalidDataError, match=r"unpack to more than is usual, .*--max-size"):
        read(tmp_path, packed, max_size=len(CSV) - 1)
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * (20 << 20), compresslevel=1)
    with pytest.raises(InvalidDataError, match=r"and no more than 67\.1 MB are read"):
        read(tmp_path, bomb)


def test_standard_input_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CSV)))
    with pytest.raises(InvalidDataError, match="standard input has more, and no more than 99 b"):
        read_file("-", max_size=99)


def test_devices_are_refused() -> None:
    with pytest.raises(InvalidDataError, match="zero is a device, which has no end"):
        read_file("/dev/zero")
    with pytest.raises(InvalidDataError, match="is empty"):
        read_file(os.devnull)


def test_columns_up_to_a_number(tmp_path: Path) -> None:
    text = "a,b,c\n1,2,3\n4,5,7\n"
    assert read(tmp_path, text, max_columns=3).names == ("a", "b", "c")
    message = r"Line 1 of data\.csv has 3 cells .* give --max-columns 3 \(max_columns"
    with pytest.raises(InvalidDataError, match=message):
        read(tmp_path, text, max_columns=2)
    with pytest.raises(InvalidDataError, match="has 1,000,001 cells"):
        read(tmp_path, "," * 1_000_000)


@pytest.mark.parametrize("above", [1, 2000])
def test_cells_up_to_a_length(above: int, tmp_path: Path) -> None:
    text = "a,b\n" + "1,2\n" * above + "3," + "x" * 200_000 + "\n4,5\n"
    message = rf"Line {above + 2} of data\.csv has a cell of more than 131,072 characters"
    with pytest.raises(InvalidDataError, match=message):
        read(tmp_path, text)
    with pytest.raises(InvalidDataError, match=r"'b' \('x{37}\.\.\.' in line"):
        read(tmp_path, text, max_cell=200_000)


@pytest.mark.parametrize(
    "options", [{"max_size": 0}, {"max_columns": 1.5}, {"max_cell": True}, {"max_size": "1G"}]
)
def test_limits_are_whole_numbers(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match=r"must be a whole number >= 1"):
        read(tmp_path, CSV, **options)


def test_parquet_that_claims_much(tmp_path: Path) -> None:
    zeros = pa.array(np.zeros(100_000))
    write_table(pa.table({"a": zeros, "b": zeros}), str(tmp_path / "data.parquet"))
    with pytest.raises(InvalidDataError, match=r"200,000 cells, which take 1\.6 MB, .*--max-size"):
        read_file(tmp_path / "data.parquet", max_size=10**6)


def test_what_is_packed_may_be_a_hundred_times_as_large() -> None:
    assert Limits().unpacked(1000) == 64 << 20
    assert Limits().unpacked(10**7) == 10**9
    assert Limits().unpacked(10**9) == Limits().bytes == 1 << 32


def test_many_equal_names_differ_afterwards(tmp_path: Path) -> None:
    d = 3000
    rows = np.random.default_rng(0).integers(0, 1000, (12, d))
    lines = [",".join(["a"] * d), *(",".join(map(str, row)) for row in rows.tolist())]
    table = read(tmp_path, "\n".join(lines))
    assert len(set(table.columns)) == d
    assert table.columns[:3] == ("a", "a.1", "a.2")
    assert table.columns[-1] == f"a.{d - 1}"
    assert len(table.notes) < 20


def test_blanks_are_read_once() -> None:
    # a pattern that goes back over blanks would take minutes here
    assert squeeze("a" + " " * 300_000 + "b \n" + " " * 300_000 + "c\r\n") == "a b\nc\r\n"


def test_a_separator_that_cannot_be(tmp_path: Path) -> None:
    message = r"Line 1 of data\.csv says that cells are separated by 'æ'"
    with pytest.raises(InvalidDataError, match=message):
        read(tmp_path, "sep=æ\naæb\n1æ2\n")
