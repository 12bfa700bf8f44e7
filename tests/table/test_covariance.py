"""Covariances in files: Tetrad's triangle, square matrices, and what is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table import read_file
from daglock.table.covariance import Covariance, is_covariance, read_covariance
from daglock.table.file import read_raw
from daglock.table.source import Hints, Source, open_source

MATRIX = np.array([[1.4, 0.3, 0.5], [0.3, 2.3, -0.2], [0.5, -0.2, 5.3]])
TRIANGLE = "100\nX1\tX2\tX3\t\n1.4\t\n0.3\t2.3\t\n0.5\t-0.2\t5.3\t\n"
SQUARE = "X1,X2,X3\n1.4,0.3,0.5\n0.3,2.3,-0.2\n0.5,-0.2,5.3\n"
LABELLED = ",X1,X2,X3\nX1,1.4,0.3,0.5\nX2,0.3,2.3,-0.2\nX3,0.5,-0.2,5.3\n"


def read(text: str, ending: str = ".cov", rows: int | None = None) -> Covariance:
    return read_covariance(Source(f"m{ending}", text.encode(), ending), read_raw, rows=rows)


@pytest.mark.parametrize(
    ("text", "ending", "rows"),
    [
        (TRIANGLE, ".cov", None),
        (TRIANGLE, ".txt", None),
        (TRIANGLE, ".cov", 100),
        ("/Covariance\n" + TRIANGLE, ".txt", None),
        ("// made by hand\n/covariance\n\n" + TRIANGLE.replace("\t", "  "), ".cov", None),
        ("100\nX1 X2 X3\n1.4 .3 .5\n.3 2.3 -.2\n.5 -.2 5.3\n", ".cov", None),
        (SQUARE, ".csv", 100),
        (SQUARE, ".cov", 100),
        (SQUARE.replace(",", "\t"), ".tsv", 100),
        (LABELLED, ".csv", 100),
        (SQUARE.replace(",", ";").replace(".", ","), ".csv", 100),
    ],
)
def test_the_same_matrix_in_all_forms(text: str, ending: str, rows: int | None) -> None:
    found = read(text, ending, rows)
    np.testing.assert_array_equal(found.matrix, MATRIX)
    assert (found.names, found.n) == (("X1", "X2", "X3"), 100)


def test_columns_are_chosen() -> None:
    source = Source("m.cov", TRIANGLE.encode(), ".cov")
    found = read_covariance(source, read_raw, drop=["X2"])
    np.testing.assert_array_equal(found.matrix, MATRIX[np.ix_([0, 2], [0, 2])])
    assert found.names == ("X1", "X3")
    with pytest.raises(InvalidParameterError, match="There is no column 'X4'; did you mean"):
        read_covariance(source, read_raw, keep=["X4"])


def test_a_correlation_of_zeros_and_ones_stays_numbers() -> None:
    found = read("a,b,c\n1,0,0\n0,1,0\n0,0,1\n", ".csv", 50)
    np.testing.assert_array_equal(found.matrix, np.eye(3))


def test_knowledge_below_is_not_read_in_silence() -> None:
    found = read(TRIANGLE + "/knowledge\naddtemporal\n1 X1\n")
    assert found.notes == (
        "The knowledge in m.cov was not read: give it in a file of its own to --knowledge.",
    )


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (TRIANGLE, True),
        ("/Covariance\n5\n", True),
        (SQUARE, False),
        ("a,b\n1,2\n3,4\n", False),
        ("a\n1\n2\n3\n", False),
        ("7\n1 2\n1\n1 2\n", False),
        ("", False),
        ("5\na b c\n1 2 3\n4 5 6\n", False),
    ],
)
def test_what_says_so_by_its_form(text: str, is_one: bool) -> None:
    assert is_covariance(Source("m.txt", text.encode(), ".txt")) is is_one
    assert is_covariance(Source("m.cov", text.encode(), ".cov"))
    assert not is_covariance(Source("m.txt", text.encode() + b"\0", ".txt"))


@pytest.mark.parametrize(
    ("text", "ending", "message"),
    [
        ("", ".cov", "m.cov is empty"),
        ("100\n", ".cov", "m.cov ends too early"),
        ("100\nX1 X2\n1\n", ".cov", "m.cov ends too early"),
        ("1.5\nX1 X2\n1\n0 1\n", ".cov", "Line 1 of m.cov must be the number of rows"),
        ("-3\nX1 X2\n1\n0 1\n", ".cov", "2 or more; it is '-3'"),
        (
            "/Covariance\nX1 X2\n1\n0 1\n1 2\n",
            ".txt",
            "must be the number of rows .*; it is 'X1 X2'",
        ),
        (
            "100\nX1 X2 X3\n1\n0 1\n",
            ".cov",
            "m.cov has 3 names and 2 lines of numbers: one is needed",
        ),
        ("9\nX1 X2\n1\n0 1 2\n", ".cov", "Line 4 of m.cov has 3 numbers; it must have 2, for the"),
        ("9\nX1 X2\n1\n* 1\n", ".cov", "covariance of 'X2' and 'X1' in line 4 of m.cov is missing"),
        ("9\nX1 X2\n1\nx 1\n", ".cov", "is no number, 'x'"),
        ("9\nX1 X1\n1\n0 1\n", ".cov", "has the name 'X1' more than once"),
        ("9\nX1 X2\n1 0.5\n0.4 1\n", ".cov", "is not symmetric: 0.5 stands for 'X1' and 'X2', 0.4"),
        ("9\nX1 X2\n0\n0 1\n", ".cov", "The variance of 'X1' in m.cov is not positive"),
        ("9\nX1 X2\n1\nnan 1\n", ".cov", "covariance of 'X1' and 'X2' in m.cov is missing or inf"),
        ("9\nX1 X2\n1\ninf 1\n", ".cov", "is missing or infinite"),
        ("a,b\n1,2\n3,4\n5,6\n", ".csv", "has 3 rows and 2 columns: a covariance is a square"),
        (
            "a,b\n1,x\nx,1\n",
            ".csv",
            "Column 'b' of m.csv holds 'x' in line 2: a covariance has|'a'",
        ),
        ("a,a\n1,0\n0,1\n", ".csv", "has the name 'a' more than once"),
        (",a,b\nb,1,0\na,0,2\n", ".csv", "are in another order than its columns"),
        ("a,b\n1,\n0,1\n", ".csv", "missing or infinite"),
    ],
)
def test_what_is_none(text: str, ending: str, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message) as caught:
        read(text, ending, rows=9)
    assert "\n" not in str(caught.value)


def test_how_many_rows() -> None:
    with pytest.raises(
        InvalidParameterError, match=r"m\.csv does not say how many rows .* --rows N"
    ):
        read(SQUARE, ".csv")
    with pytest.raises(InvalidParameterError, match="says 100 rows and --rows 99"):
        read(TRIANGLE, rows=99)


def test_it_is_no_table_of_rows(tmp_path: Path) -> None:
    for name in ("m.cov", "m.txt"):
        (tmp_path / name).write_text(TRIANGLE)
        with pytest.raises(InvalidDataError, match="holds a covariance, not rows: daglock learn"):
            read_file(tmp_path / name)
    assert read_covariance(open_source(tmp_path / "m.cov", Hints()), read_raw).n == 100
