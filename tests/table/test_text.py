"""CSV as it is in the wild: each small file gives the table that its author meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.table.reader import read

NAN = float("nan")
TABLE = [[1.0, 2.0], [3.0, 4.5]]

# name: what the file holds, the names, the numbers, words that the notes must have (none: no note)
CASES: dict[str, tuple[bytes | str, tuple[str, ...], list[list[float]], tuple[str, ...]]] = {
    "commas": ("a,b\n1,2\n3,4.5\n", ("a", "b"), TABLE, ()),
    "semicolons": ("a;b\n1;2\n3;4.5\n", ("a", "b"), TABLE, ()),
    "tabs": ("a\tb\n1\t2\n3\t4.5\n", ("a", "b"), TABLE, ()),
    "pipes": ("a|b\n1|2\n3|4.5\n", ("a", "b"), TABLE, ()),
    "one blank": ("a b\n1 2\n3 4.5\n", ("a", "b"), TABLE, ()),
    "runs of blanks": ("  a     b\n  1 \t 2\n  3   4.5  \n", ("a", "b"), TABLE, ()),
    "runs of blanks, old Mac": ("  a  b\r 1  2\r 3  4.5 \r", ("a", "b"), TABLE, ()),
    "blanks and quotes": ('"a x"  b\n1 2\n3 4.5\n', ("a x", "b"), TABLE, ()),
    "blanks after commas": ("a, b\n1, 2\n3 ,4.5\n", ("a", "b"), TABLE, ()),
    "no end of line at the end": ("a,b\n1,2\n3,4.5", ("a", "b"), TABLE, ()),
    "Windows": ("a,b\r\n1,2\r\n3,4.5\r\n", ("a", "b"), TABLE, ()),
    "old Mac": ("a,b\r1,2\r3,4.5\r", ("a", "b"), TABLE, ()),
    "all ends of lines": ("a,b\r\n1,2\n3,4.5\r", ("a", "b"), TABLE, ()),
    "blank lines": (
        "\n\na,b\n\n1,2\n  \n3,4.5\n\n",
        ("a", "b"),
        TABLE,
        ("There are rows below a blank line (line 6)",),
    ),
    "units": (
        "a,b\n(kg),(m)\n1,2\n3,4.5\n",
        ("a (kg)", "b (m)"),
        TABLE,
        ("Lines 1 to 2 name the columns together, as in 'a (kg)'.",),
    ),
    "groups of columns above": (
        "x,x\na,b\nm,s\n1,2\n3,4.5\n",
        ("x a m", "x b s"),
        TABLE,
        ("Lines 1 to 3 name",),
    ),
    "titles filled up": (
        "A table,\nMade by,me\n,\na,b\n1,2\n3,4.5\n",
        ("a", "b"),
        TABLE,
        ("What stands above line 4",),
    ),
    "a source below": (
        "a,b\n1,2\n3,4.5\n\nSource: somebody\nof somewhere,\n",
        ("a", "b"),
        TABLE,
        ("What stands below the rows is no table and was passed over: lines 5 to 6.",),
    ),
    "the header again": (
        "a,b\n1,2\na,b\n3,4.5\n",
        ("a", "b"),
        TABLE,
        ("The header stands again, and was passed over, in 1 line: 3.",),
    ),
    "a header with semicolons": (
        "a;b\n1,2\n3,4.5\n",
        ("a", "b"),
        TABLE,
        ("The names of the columns were taken from line 1, which is separated by a semicolon.",),
    ),
    "single quotes": (
        "'a','b'\n'1','2'\n'3','4.5'\n",
        ("a", "b"),
        TABLE,
        ("The marks '' round the names", "Quotes round the numbers were left out in 'a', 'b'."),
    ),
    "typographic quotes": (
        "“a”,“b”\n“1”,“2”\n“3”,“4.5”\n",
        ("a", "b"),
        TABLE,
        ("The marks “” round the names", "Quotes round the numbers were left out in 'a', 'b'."),
    ),
    "backslashes": (
        'a,"the \\"b\\""\n1,2\n3,4.5\n',
        ("a", 'the "b"'),
        TABLE,
        ("A backslash before a quote in the header was left out.",),
    ),
    "a backslash and a quote": (
        'a,"n\\""x"""\n1,2\n3,4.5\n',
        ("a", 'n\\"x"'),
        TABLE,
        (),
    ),
    "a backslash": ('a,"C:\\"\n1,2\n3,4.5\n', ("a", "C:\\"), TABLE, ()),
    "quoted numbers": ('"a","b"\n"1","2"\n"3","4.5"\n', ("a", "b"), TABLE, ()),
    "quoted names": (
        '"a,1","b ""x""",c\n1,2,3\n4,5,6\n',
        ("a,1", 'b "x"', "c"),
        [[1, 2, 3], [4, 5, 6]],
        (),
    ),
    "a name of two lines": ('"a\nx",b\n1,2\n3,4.5\n', ("a\nx", "b"), TABLE, ()),
    "UTF-8": ("größe,β\n1,2\n3,4.5\n", ("größe", "β"), TABLE, ()),
    "byte order mark": ("\ufeffa,b\n1,2\n3,4.5\n", ("a", "b"), TABLE, ()),
    "mark and quotes": ('\ufeff"a",b\n1,2\n3,4.5\n', ("a", "b"), TABLE, ()),
    "Latin-1": (
        "größe,b\n1,2\n3,4.5\n".encode("latin-1"),
        ("größe", "b"),
        TABLE,
        ("not UTF-8",),
    ),
    "Windows-1252": (
        "€,b\n1,2\n3,4.5\n".encode("cp1252"),
        ("€", "b"),
        TABLE,
        ("not UTF-8",),
    ),
    "UTF-16": ("größe,b\n1,2\n3,4.5\n".encode("utf-16"), ("größe", "b"), TABLE, ()),
    "UTF-16 big": (
        b"\xfe\xff" + "größe,b\n1,2\n3,4.5\n".encode("utf-16-be"),
        ("größe", "b"),
        TABLE,
        (),
    ),
    "UTF-16 unmarked": ("größe,b\n1,2\n3,4.5\n".encode("utf-16-le"), ("größe", "b"), TABLE, ()),
    "UTF-16 big unmarked": ("größe,b\n1,2\n3,4.5\n".encode("utf-16-be"), ("größe", "b"), TABLE, ()),
    "UTF-32": ("größe,b\n1,2\n3,4.5\n".encode("utf-32"), ("größe", "b"), TABLE, ()),
    "decimal commas": (
        "a;b;c\n1,5;2;3,25\n-4;5,1;,5\n1e3;1,5e-3;+6,\n",
        ("a", "b", "c"),
        [[1.5, 2, 3.25], [-4, 5.1, 0.5], [1000, 0.0015, 6]],
        ("decimal mark is a comma",),
    ),
    "decimal commas that split evenly": (
        "a;b\n1,5;2,5\n3,5;4,5\n",
        ("a", "b"),
        [[1.5, 2.5], [3.5, 4.5]],
        ("decimal mark is a comma",),
    ),
    "decimal commas that split evenly, without a header": (
        "1,5;2,5\n3,5;4,5\n",
        ("x0", "x1"),
        [[1.5, 2.5], [3.5, 4.5]],
        ("No header", "decimal mark is a comma"),
    ),
    "decimal commas in quotes": (
        'a,b\n"1,5",2\n"3,25",4\n',
        ("a", "b"),
        [[1.5, 2], [3.25, 4]],
        ("decimal mark is a comma",),
    ),
    "three decimals": (
        "a;b\n0,125;2\n1,375;4\n",
        ("a", "b"),
        [[0.125, 2], [1.375, 4]],
        ("decimal mark is a comma",),
    ),
    "points in thousands": (
        "a;b;c\n1.234,5;0,5;1.000\n2.000.000,0;1;2.345\n",
        ("a", "b", "c"),
        [[1234.5, 0.5, 1000], [2e6, 1, 2345]],
        ("decimal mark is a comma", "thousands was left out in 'a', 'c'"),
    ),
    "commas in thousands": (
        'a,b\n"1,234",5.5\n"2,345,678",6\n',
        ("a", "b"),
        [[1234, 5.5], [2345678, 6]],
        ("thousands was left out in 'a'",),
    ),
    "commas in thousands beside points": (
        "a;b\n1,234;5.5\n2,345;6\n",
        ("a", "b"),
        [[1234, 5.5], [2345, 6]],
        ("thousands was left out in 'a'",),
    ),
    "narrow blanks in thousands": (
        "a;b\n1\u202f234,5;2\n3;4\n",
        ("a", "b"),
        [[1234.5, 2], [3, 4]],
        ("decimal mark is a comma", "thousands"),
    ),
    "apostrophes in thousands": (
        "a;b\n1'234.5;2\n3;4\n",
        ("a", "b"),
        [[1234.5, 2], [3, 4]],
        ("thousands",),
    ),
    "typographic minus": ("a,b\n\u22121.5,2\n3,4\n", ("a", "b"), [[-1.5, 2], [3, 4]], ()),
    "forms of numbers": (
        "a,b\n+1,.5\n1.,-.5e+3\n007,1E2\n123456789012345678901234567890,5e-324\n",
        ("a", "b"),
        [[1, 0.5], [1, -500], [7, 100], [123456789012345678901234567890.0, 5e-324]],
        ("in 'a' lost their last digits",),
    ),
    "missing": (
        'a,b\n1,NA\nNaN,4\n,5\nnull, n/a \n?,.\n7,#N/A\n8,None\n9,""\n',
        ("a", "b"),
        [[1, NAN], [NAN, 4], [NAN, 5], [7, NAN], [8, NAN], [9, NAN]],
        ("Taken as missing in 'b': 1 cell with 'None'", "Left out: 2 rows without any value"),
    ),
    "truth": (
        "a,b\n1,True\n2,FALSE\n3,\n5,false\n",
        ("a", "b"),
        [[1, 1], [2, 0], [3, NAN], [5, 0]],
        ("True and false became 1 and 0 in 'b'",),
    ),
    "index of pandas": (
        ",a,b\n0,1,2\n1,3,4\n2,3,5\n",
        ("a", "b"),
        [[1, 2], [3, 4], [3, 5]],
        ("The first column, unnamed and counting rows, was taken as an index and left out.",),
    ),
    "index of pandas, written twice": (
        "Unnamed: 0,a,b\n0,1,2\n1,3,4\n2,3,5\n",
        ("a", "b"),
        [[1, 2], [3, 4], [3, 5]],
        ("counting rows, was taken as an index",),
    ),
    "names of rows": (
        ",a,b\ncell1,1,2\ncell2,3,4.5\n",
        ("a", "b"),
        TABLE,
        ("unnamed and holding text, was taken as an index",),
    ),
    "write.csv of R": (
        '"","a","b"\n"1",1,2\n"2",3,4.5\n"3",NA,1\n',
        ("a", "b"),
        [*TABLE, [NAN, 1]],
        ("counting rows, was taken as an index",),
    ),
    "write.table of R": (
        '"a" "b"\n"1" 1 2\n"2" 3 4.5\n"3" NA 1\n',
        ("a", "b"),
        [*TABLE, [NAN, 1]],
        ("counting rows, was taken as an index",),
    ),
    "a first column without a name that is data": (
        ",b,c\n0.5,1,2\n0.1,3,4.5\n",
        ("column1", "b", "c"),
        [[0.5, 1, 2], [0.1, 3, 4.5]],
        ("Column 1 has no name; it is called 'column1'.",),
    ),
    "a column that counts": (
        "id,a\n1,7\n2,5\n3,6\n",
        ("id", "a"),
        [[1, 7], [2, 5], [3, 6]],
        ("Column 'id' counts the rows: if it is no variable, leave it out with --drop id.",),
    ),
    "comments above": (
        "# made by a machine\n# x, y, z\n\na,b\n1,2\n3,4.5\n",
        ("a", "b"),
        TABLE,
        ("What stands above line 4 is no table",),
    ),
    "a title above": (
        "My table, 2020\n\na,b,c\n1,2,3\n3,4.5,6\n".replace(", 2020", ""),
        ("a", "b", "c"),
        [[1, 2, 3], [3, 4.5, 6]],
        ("What stands above line 3 is no table",),
    ),
    "remarks between": (
        "a,b\n1,2\n# here the sensor was changed\n3,4.5\n",
        ("a", "b"),
        TABLE,
        ("Between the rows 1 line of remarks",),
    ),
    "sep=": ("sep=;\na;b\n1;2\n3;4.5\n", ("a", "b"), TABLE, ()),
    "sep= that only it can tell": ("sep=:\na:b\n1:2\n3:4.5\n", ("a", "b"), TABLE, ()),
    "savetxt of NumPy": (
        "# a b\n1.0 2.0\n3.0 4.5\n",
        ("a", "b"),
        TABLE,
        ("taken from the remark above the numbers",),
    ),
    "no header": (
        "1,2\n3,4.5\n",
        ("x0", "x1"),
        TABLE,
        ("No header was found: the columns are called x0 to x1",),
    ),
    "years as names, quoted": ('"2001","2002"\n1,2\n3,4.5\n', ("2001", "2002"), TABLE, ()),
    "a year and a word as names": ("2001,b\n1,2\n3,4.5\n", ("2001", "b"), TABLE, ()),
    "names that occur twice": (
        "a,a,a.1\n1,2,3\n4,5,6\n",
        ("a", "a.2", "a.1"),
        [[1, 2, 3], [4, 5, 6]],
        ("The name 'a' occurs again; column 2 is called 'a.2'.",),
    ),
    "a separator at every end": (
        "a,b,\n1,2,\n3,4.5,\n",
        ("a", "b"),
        TABLE,
        ("Left out: 1 column without a name and without a value",),
    ),
    "a separator at the end of rows": (
        "a,b\n1,2,\n3,4.5,\n",
        ("a", "b"),
        TABLE,
        ("Left out: 1 column without a name and without a value",),
    ),
    "a separator at the end of the header": ("a,b,\n1,2\n3,4.5\n", ("a", "b"), TABLE, ()),
    "empty rows of a spreadsheet": (
        "a,b\n1,2\n,\n3,4.5\n,\n",
        ("a", "b"),
        TABLE,
        ("Left out: 2 rows without any value.",),
    ),
    "one row": ("a,b\n1,2\n", ("a", "b"), [[1, 2]], ()),
    "a vertical tab is no end of a line": (
        "a\x0bx,b\u2028y\n1,2\n3,4.5\n",
        ("a\x0bx", "b\u2028y"),
        TABLE,
        (),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_of_the_wild(case: str, tmp_path: Path) -> None:
    raw, names, data, notes = CASES[case]
    table = read(tmp_path, raw)
    assert table.names == names
    np.testing.assert_array_equal(table.data, np.array(data))
    assert len(table.notes) == len(notes), table.notes
    for note, words in zip(table.notes, notes, strict=True):
        assert words in note
        assert note.endswith(".")


@pytest.mark.parametrize(
    ("raw", "options", "names", "data"),
    [
        ("a,b\n1,5\n", {"separator": ";", "header": False}, None, None),
        ("a:b\n1:2\n3:4.5\n", {"separator": ":"}, ("a", "b"), TABLE),
        ("a\tb c\n1\t2\n3\t4.5\n", {"separator": "tab"}, ("a", "b c"), TABLE),
        ("a;b\n1,234;5\n2,345;6\n", {"decimal": ","}, ("a", "b"), [[1.234, 5], [2.345, 6]]),
        ("a;b\n1,234;5\n2,345;6\n", {"decimal": "."}, ("a", "b"), [[1234, 5], [2345, 6]]),
        ("a;b\n1.234;5\n2.345;6,5\n", {"decimal": ","}, ("a", "b"), [[1234, 5], [2345, 6.5]]),
        ("2001,2002\n1,2\n3,4.5\n", {"header": True}, ("2001", "2002"), TABLE),
        ("# 7,8\n1,2\n3,4.5\n", {"header": False}, ("x0", "x1"), TABLE),
        ("junk,x,y,z\na,b\n1,2\n3,4.5\n", {"skip_lines": 1}, ("a", "b"), TABLE),
        (",a,b\n0,1,2\n1,3,4\n2,3,5\n", {"index_column": False}, ("column1", "a", "b"), None),
        ("id,a,b\nx,1,2\ny,3,4.5\n", {"index_column": "id"}, ("a", "b"), TABLE),
        ("t,a,b\nx,1,2\ny,3,4.5\n", {"drop": ["t"]}, ("a", "b"), TABLE),
        ("t,b,a\nx,2,1\ny,4.5,3\n", {"columns": ["a", "b"]}, ("b", "a"), [[2, 1], [4.5, 3]]),
        ("größe,b\n1,2\n3,4.5\n".encode("cp437"), {"encoding": "cp437"}, ("größe", "b"), TABLE),
    ],
)
def test_options(
    raw: bytes | str,
    options: dict[str, Any],
    names: tuple[str, ...] | None,
    data: list[list[float]] | None,
    tmp_path: Path,
) -> None:
    if names is None:
        with pytest.raises(ValueError, match="At least two columns"):
            read(tmp_path, raw, **options)
        return
    table = read(tmp_path, raw, **options)
    assert table.names == names
    if data is not None:
        np.testing.assert_array_equal(table.data, np.array(data))


def test_the_place_of_the_first_missing_cell(tmp_path: Path) -> None:
    table = read(tmp_path, '# x\n"a\nb",c\n\n,\n1,2\n3,NA\n,4\n')
    assert table.first_missing == "line 7, column 'c'"
    assert read(tmp_path, "a,b\n1,2\n").first_missing == ""


def test_progress_counts_up_to_all_bytes(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    rows = b"1,2\n" * 600_000
    read(tmp_path, b"a,b\n" + rows, progress=lambda done, total: seen.append((done, total)))
    assert {total for _, total in seen} == {len(rows) + 4}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len({done for done, _ in seen}) > 1
    assert seen[-1][0] == len(rows) + 4


def test_rows_longer_than_what_pyarrow_looks_at(tmp_path: Path) -> None:
    rows = np.arange(12.0 * 20_000).reshape(12, 20_000)
    names = [f"column_{j}" for j in range(20_000)]
    lines = [",".join(names), *(",".join(f"{x:0>200}" for x in row.tolist()) for row in rows)]
    table = read(tmp_path, "\n".join(lines))
    assert table.names == tuple(names)
    np.testing.assert_array_equal(table.data, rows)
