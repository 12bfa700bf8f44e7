"""Points and commas between thousands: read right or refused, in files, folders and frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock.errors import InvalidDataError
from daglock.sources import as_source
from daglock.sources import text as text_files
from daglock.sources.files import open_files
from daglock.table import quick, read_file, read_table
from daglock.table.source import Hints
from tests.table.reader import read
from tests.table.workbooks import workbook

ASKED = "say which with --decimal"
# What is asked about, by the cells that are shown.
DOUBTFUL = {
    "points": ("a;b\n2.050;1\n950;2\n1.200;4\n", r"'2\.050' in line 2.* and '950' in line 3"),
    "points, and a column of years": ("a;y\n2.050;1999\n950;2004\n", r"'2\.050' in line 2"),
    "points, round numbers": ("a;b\n1.000;1\n500;2\n2.000;4\n", r"'1\.000' in line 2"),
    "points, none missing elsewhere": ("a;b\n2.050;1.100\n-950;2.300\n", r"'a' holds '2\.050'"),
    "points in a table with commas": ("a,b\n1,2.050\n2,950\n3,-1.125\n", r"'b' holds '2\.050'"),
    "a comma": ("a;b\n2,050;1\n950;2\n", r"'2,050' in line 2.*; '2,050' is 2\.050 or 2050"),
}
# What is read, and as what.
CLEAR: dict[str, tuple[str, list[list[float]]]] = {
    "decimals throughout": ("a;b\n0.123;1.250\n0.5;2.125\n", [[0.123, 1.25], [0.5, 2.125]]),
    "three decimals in every number": ("a;b\n1.250;1\n2.125;2\n", [[1.25, 1], [2.125, 2]]),
    "no zeros at the end": ("a;b\n2.05;1\n950;2\n1.125;4\n", [[2.05, 1], [950, 2], [1.125, 4]]),
    "decimals in another column": ("a;b\n2.050;0.5\n950;1\n", [[2.05, 0.5], [950, 1]]),
    "a zero before the point": (
        "a;b\n2.050;1\n950;2\n0.125;4\n",
        [[2.05, 1], [950, 2], [0.125, 4]],
    ),
    "1500 without a point": ("a;b\n2.050;1\n1500;2\n950;4\n", [[2.05, 1], [1500, 2], [950, 4]]),
    "1500 in another column": ("a;b\n2.050;1500\n950;2.125\n", [[2.05, 1500], [950, 2.125]]),
    "two points": ("a;b\n1.234.567;2\n950;1.500\n", [[1234567, 2], [950, 1500]]),
    "points and decimal commas": ("a;b\n2.050;1,5\n950;2\n", [[2050, 1.5], [950, 2]]),
    "commas and decimal points": ("a;b\n2,050;1.5\n950;2\n", [[2050, 1.5], [950, 2]]),
}


def folder(tmp_path: Path, text: str, decimal: str | None = None) -> list[list[float]]:
    """Read the only file of a folder."""
    parts = tmp_path / "parts"
    parts.mkdir(exist_ok=True)
    (parts / "1.csv").write_text(text)
    source = open_files(parts, Hints(decimal=decimal))
    assert source is not None
    return source.reduce(
        lambda batches: [
            list(row)
            for batch in batches
            for row in zip(*(own.to_pylist() for own in batch.data.columns), strict=True)
        ],
        lambda some, more: some + more,
    )


@pytest.mark.parametrize("case", DOUBTFUL)
def test_what_can_be_read_in_two_ways_is_asked_about(case: str, tmp_path: Path) -> None:
    text, shown = DOUBTFUL[case]
    for refused in (read, folder):
        with pytest.raises(InvalidDataError, match=f"{shown}.*{ASKED}"):
            refused(tmp_path, text)
    columns = pd.read_csv(tmp_path / "parts" / "1.csv", sep=None, engine="python", dtype=str)
    with pytest.raises(InvalidDataError, match="may be a decimal mark or stand between thousands"):
        read_table(columns)


@pytest.mark.parametrize("case", CLEAR)
def test_what_can_be_read_in_one_way_is_read(case: str, tmp_path: Path) -> None:
    text, wanted = CLEAR[case]
    assert read(tmp_path, text).data.tolist() == wanted
    assert folder(tmp_path, text) == wanted


@pytest.mark.parametrize(("decimal", "value"), [(".", 2.05), (",", 2050.0)])
def test_the_answer_is_taken(decimal: str, value: float, tmp_path: Path) -> None:
    text = DOUBTFUL["points"][0]
    assert read(tmp_path, text, decimal=decimal).data[0, 0] == value
    assert folder(tmp_path, text, decimal)[0][0] == value


ROWS = [f"{j % 900 + 1};{j % 7}" for j in range(1000)]


@pytest.mark.parametrize("late", ["2.050", "1.000"])
def test_a_point_far_below_is_seen(
    late: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "LARGE", 1000)
    text = "\n".join(["a;b", *ROWS, f"{late};3", ""])
    with pytest.raises(
        InvalidDataError, match=f"'{late}' in line 1002 and '1' in line 2; .*{ASKED}"
    ):
        read(tmp_path, text)
    with pytest.raises(InvalidDataError, match=f"'{late}' in row 1,001 of 1.csv.*{ASKED}"):
        folder(tmp_path, text)
    told = read(tmp_path, text + "2.5;3\n")
    assert told.data[-2:, 0].tolist() == [float(late), 2.5]


@pytest.mark.parametrize(("mark", "between"), [(".", ","), (",", ".")])
def test_thousands_far_below_are_read(
    mark: str, between: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "_BLOCK", 1000)
    rows = [f"{j};{j % 7}{mark}5" for j in range(1000)]
    text = "\n".join(["a;b", *rows, f"2{between}050;3", f"7;1{between}234{mark}5", ""])
    for found in (read(tmp_path, text).data.tolist(), folder(tmp_path, text)):
        assert found[:2] == [[0, 0.5], [1, 1.5]]
        assert found[999:] == [[999, 5.5], [2050, 3], [7, 1234.5]]


def test_a_point_in_a_later_file_is_seen(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("\n".join(["a;b", *ROWS, ""]))
    (tmp_path / "2.csv").write_text("a;b\n2.050;1\n3.100;2\n")
    source = as_source(tmp_path)
    assert source is not None
    with pytest.raises(InvalidDataError, match=rf"'2\.050' in row 1 of 2\.csv.*{ASKED}"):
        source.reduce(list, lambda some, more: some + more)


def test_a_large_table_of_thousands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "LARGE", 1000)
    rows = [f"{1 + j % 9}.{j % 1000:03};{j % 10},{j % 3}" for j in range(1000)]
    found = read(tmp_path, "\n".join(["a;b", *rows, "950;1,5", ""]))
    assert found.data[0].tolist() == [1000, 0]
    assert found.data[-2:].tolist() == [[1999, 9], [950, 1.5]]


def test_a_large_table_of_decimal_commas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "LARGE", 1000)
    rows = [f"{1_500_000 + j};{j % 10},{j % 3}" for j in range(1000)]
    found = read(
        tmp_path, "\n".join(["a;b", *rows, ""]), columns=["a", "b"], kinds={"a": "continuous"}
    )
    assert found.data[-1].tolist() == [1_500_999, 9.0]


def test_numbers_of_a_sheet_have_decimals(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["a", "b"], [2.125, 1], [950, 2], [3.375, 5]]
    (tmp_path / "data.xlsx").write_bytes(workbook({"one": rows}))
    np.testing.assert_array_equal(read_file(tmp_path / "data.xlsx").data, rows[1:])
