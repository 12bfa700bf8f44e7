"""Lines with too few or too many cells: all are named, or left out, or filled up."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from daglock.errors import InvalidDataError, InvalidParameterError
from tests.table.reader import read

NAN = np.nan
TEXT = "# x\na,b,c\n1,2,3\n4,5\n6,7,8,9\n\n5,9,1\n7\n8,4,2\n"


def test_all_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError) as caught:
        read(tmp_path, TEXT)
    assert str(caught.value) == (
        "Line 4 of data.csv has 2 cells, but the table has 3 columns (separated by a comma); 2 "
        "other lines too: 5 (4 cells), 8 (1 cell): mend them, give --ragged drop to leave such "
        "lines out or --ragged fill to fill up short ones, or give --separator."
    )


def test_many_are_counted(tmp_path: Path) -> None:
    text = "a,b\n" + "1,2\n3,5\n" * 40 + "4\n" * 30
    with pytest.raises(InvalidDataError, match=r"; 29 other lines too: 83 \(1 cell\), .* 21 more"):
        read(tmp_path, text)


def test_dropped(tmp_path: Path) -> None:
    table = read(tmp_path, TEXT, ragged="drop")
    np.testing.assert_array_equal(table.data, [[1, 2, 3], [5, 9, 1], [8, 4, 2]])
    assert table.notes[-1] == (
        "Left out: 3 lines with another number than 3 cells: 4 (2 cells), 5 (4 cells), 8 (1 cell)."
    )


def test_filled(tmp_path: Path) -> None:
    table = read(tmp_path, TEXT, ragged="fill")
    wanted = [[1, 2, 3], [4, 5, NAN], [5, 9, 1], [7, NAN, NAN], [8, 4, 2]]
    np.testing.assert_array_equal(table.data, wanted)
    assert table.notes[-2:] == (
        "Filled up with missing values at the end: 2 lines with fewer than 3 cells: 4 (2 cells), "
        "8 (1 cell).",
        "Left out: 1 line with more than 3 cells: 5 (4 cells).",
    )
    assert table.first_missing == "line 4, column 'c'"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_lines_keep_their_numbers(separator: str, end: str, tmp_path: Path) -> None:
    rows = ["a b c", "1 2 3", "4 5", '"6" 7 8', "9 1 oops", "2 5 7 1", "3 3 1"]
    text = end.join(row.replace(" ", separator) for row in rows) + end
    for how in ("drop", "fill"):
        with pytest.raises(InvalidDataError, match=r"'c' \('oops' in line 5\)"):
            read(tmp_path, text, ragged=how)
        data = read(tmp_path, text.replace("oops", "0"), ragged=how).data
        assert len(data) == (4 if how == "drop" else 5)


def test_a_row_of_two_lines_is_one_row(tmp_path: Path) -> None:
    text = 'a,b,c\n1,2,x\n"3\n\n4",5\n6,7,y\n8,3,x\n'
    dropped = read(tmp_path, text, ragged="drop")
    np.testing.assert_array_equal(dropped.data[:, 0], [1, 6, 8])
    assert dropped.notes[-1].endswith("another number than 3 cells: 3 to 5 (2 cells).")


@pytest.mark.parametrize("ragged", [None, "drop", "fill"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_quote_that_does_not_close_drops_no_rows(
    tmp_path: Path, ragged: str | None, end: str
) -> None:
    text = 'a,b,c\n1,2,3\n4,"5,6\n7,8,9\n1,2,4' + end
    with pytest.raises(InvalidDataError, match=r"opens in line 3 .* does not close"):
        read(tmp_path, text, ragged=ragged)
    last = 'a,b,c\n1,2,3\n7,8,9\n4,"5,6'
    if ragged != "drop":
        with pytest.raises(InvalidDataError, match=r"line 4 of|Line 4 of"):
            read(tmp_path, last + end, ragged=ragged)


UNQUESTIONED = {
    "empty cells beyond": ("a,b\n1,2\n3,4,\n5,7\n", r"Empty cells .* in 1 line: 3 \(3 cells\)\."),
    "semicolons": ("a,b\n1,2\n3;4\n5,7\n", r"separated otherwise.* in 1 line: 3 \(1 cell\)\."),
    "blanks": ("a,b\n1,2\n3 4\n5,7\n", r"separated otherwise"),
    "tab": ("a,b\n1,2\n3\t4\n5,7\n", r"separated otherwise"),
    "in quotes": ('a,b\n1,2\n"3.0,4"\n5,7\n', r"separated otherwise"),
}


@pytest.mark.parametrize("case", UNQUESTIONED)
def test_read_where_there_is_no_doubt(case: str, tmp_path: Path) -> None:
    text, note = UNQUESTIONED[case]
    table = read(tmp_path, text)
    np.testing.assert_array_equal(table.data, [[1, 2], [3, 4], [5, 7]])
    assert re.search(note, table.notes[-1])


@pytest.mark.parametrize(
    "line",
    ["3,,4", ",3,4", "3,4,5", "3", "1 234", "3,4,,5", "x;y", "3;4;5", "3,,", "3, ,"],
)
def test_refused_where_there_is_doubt(line: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match=r"Line 3 of .*--ragged drop"):
        read(tmp_path, f"a,b\n1,2\n{line}\n5,7\n")


def test_a_comma_in_a_name_moves_no_cell(tmp_path: Path) -> None:
    """The cells are all there, but the last one is missing and the first is two."""
    text = "name,town,age\nAda,Rome,7\nBo, jr.,Paris,\nEve,Oslo,9\nIda,Kiel,5\n"
    with pytest.raises(InvalidDataError, match=r"Line 3 of .* has 4 cells"):
        read(tmp_path, text)


def test_a_decimal_comma_is_no_other_separator(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match="Line 3"):
        read(tmp_path, "a;b;c;d\n1,5;2;3;4\n3,5,4,5\n5;7;8;9\n")


def test_a_large_file(tmp_path: Path) -> None:
    text = "a,b\n" + "1,2.5\n3,5\n" * 120_000 + "4\n7,8,9\n"
    with pytest.raises(InvalidDataError, match=r"Line 240002 of .*; 1 other line too: 240003 "):
        read(tmp_path, text)
    table = read(tmp_path, text, ragged="fill")
    assert len(table.data) == 240_001
    assert np.isnan(table.data[-1, 1])


def test_only_two_ways(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="ragged must be fill or drop; got 'pad'"):
        read(tmp_path, TEXT, ragged="pad")


# --- a header with one name too few


@pytest.mark.parametrize(
    "first",
    [("1", "2", "3"), ("0", "1", "2"), ("u", "v", "w"), ('"1"', '"2"', '"3"'), ("r1", "r2", "r3")],
)
def test_row_names_have_no_name(first: tuple[str, ...], tmp_path: Path) -> None:
    rows = [f"{label},{k + 0.5},{k * k + 2}" for k, label in enumerate(first)]
    table = read(tmp_path, "\n".join(["A,B", *rows]))
    assert table.names == ("A", "B")
    assert "was taken as an index" in table.notes[0]


@pytest.mark.parametrize("first", [("7", "9", "2"), ("1.5", "2.5", "3.5"), ("u", "u", "v")])
def test_names_do_not_shift(first: tuple[str, ...], tmp_path: Path) -> None:
    rows = [f"{label},{k + 0.5},{k * k + 2}" for k, label in enumerate(first)]
    message = r"header \(line 1\) has 2 cells, but line 2 has 3, and the first column holds no"
    with pytest.raises(InvalidDataError, match=message):
        read(tmp_path, "\n".join(["A,BC", *rows]))
