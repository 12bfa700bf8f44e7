"""What cannot be read correctly is refused, in one sentence with the line where it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from daglock.errors import DaglockError, InvalidDataError, InvalidParameterError
from tests.table.reader import read

REFUSED: dict[str, tuple[bytes | str, str]] = {
    "empty": (b"", r"data\.csv is empty: it has no rows\."),
    "blank lines only": ("\n\n  \n", "is empty"),
    "comments only": ("# a\n# b\n", "is empty"),
    "a mark only": ("\ufeff", "is empty"),
    "header only": ("a,b,c\n", r"has a header \(line 1\) but no rows"),
    "header below comments": ("#x\n\na,b,c\n", r"has a header \(line 3\) but no rows"),
    "one column": (
        "a\n1\n2\n3\n",
        r"At least two columns .* only 'a' is there \(separated by a comma",
    ),
    "long line": (
        "a,b\n1,2\n3,4,5\n6,7\n",
        r"Line 3 of data\.csv has 3 cells, but the table has 2 columns \(separated by a comma\)",
    ),
    "short line": ("a,b,c\n1,2,3\n3,4\n6,7,8\n", r"Line 3 of data\.csv has 2 cells"),
    "short line below blanks and remarks": (
        "#x\n\na,b\n\n1,2\n# y\n \n3\n",
        r"Line 8 of data\.csv has 1 cell, but",
    ),
    "short line below a long name": ('"a\n\nb",c\n1,2\n3\n', r"Line 5 of data\.csv has 1 cell"),
    "short line after a thousand": ("a,b\n" + "1,2\n" * 1000 + "3\n4,5\n", "Line 1002 of"),
    "short line, old Mac": ("a,b\r1,2\r\r3\r", r"Line 4 of data\.csv has 1 cell"),
    "short line, blanks": ("a  b\n1  2\n3\n4 5\n", r"Line 3 of .* \(separated by a space\)"),
    "header too long": ("a,b,c,d\n1,2\n3,4\n", r"header \(line 1\) has 4 cells, but line 2 has 2"),
    "header too short": ("a,b\n1,2,3,4\n5,6,7,8\n", "has 2 cells, but line 2 has 4"),
    "words among numbers": (
        "a,b,c\n1,x,low\n2,7,3\n4,8,low\n5,9,4\n",
        r"These 2 columns are not numeric: 'b' \('x' in line 2\), 'c' \('low' in line 2, 2 "
        r"times\)\. Make the words missing with --na=x --na=low, .*--drop b,c\.",
    ),
    "one word, late": (
        "a,b\n" + "1,2\n" * 30_000 + "3,oops\n",
        r"This column is not numeric: 'b' \('oops' in line 30002\)",
    ),
    "a word below what pyarrow does not count": (
        '#c\n\n"a\nb",c\n1,2\n\n# d\n3,hello\n',
        r"'c' \('hello' in line 8\)",
    ),
    "a word after a cell of two lines": ('a,b\n"1\n",2\n3,x\n', "A quote .* line 2|in line 4"),
    "a word among decimal commas": ("a;b\n1,5;2\nx;3\n", r"'a' \('x' in line 3\)"),
    "units in one column": ("a,b\n(kg),\n1,2\n", r"'a' \('\(kg\)' in line 2\)"),
    "a header not closed": ('a,"b\n1,2\n3,4\n', "opens in line 1 "),
    "percent": (
        "a,b\n10%,2\n11%,4\n",
        r"'a' \('10%' in line 2, also '11%'\)\. Take off the unit \(%\)",
    ),
    "underscores": ("a,b\n1_000,2\n2,3\n", r"'a' \('1_000' in line 2\)"),
    "truth and numbers": ("a,b\nTrue,2\n2,3\n", r"'a' \('True' in line 2\)"),
    "digits of another script": ("a,b\n١,2\n2,3\n", r"'a' \('١' in line 2\)"),
    "a word without a header": ("1,2,3\n2,x,4\n3,7,5\n", r"'x1' \('x' in line 2\)"),
    "a name that a shell would split": (
        '"my, name",a,b\nx,1,2\n7,3,4\n',
        r"""--drop '"my, name"'\.""",
    ),
    "many words": (
        ",".join(f"c{j}" for j in range(12)) + "\n1" + ",x" * 11 + "\n2" + ",3" * 11 + "\n",
        r"These 11 columns .* and 1 more\..*--drop, or choose columns with --columns",
    ),
    "a long cell": ("a,b\n1," + "x" * 1000 + "\n2,3\n", r"'x{37}\.\.\.' in line 2"),
    "infinite": ("a,b\n1,2\n3,-inf\n", r"Column 'b' holds '-inf' in line 3, which is infinite"),
    "too large": ("a,b\n1e999,2\n3,4\n", r"Column 'a' holds '1e999' in line 2, which is infinite"),
    "two readings": (
        "a;b\n12;5\n1,234;6\n",
        r"'a' holds '1,234' in line 3; '1,234' is 1\.234 or 1234: say which with --decimal , \(a",
    ),
    "two decimal marks": (
        "a;b\n1,5;5.5\n2,5;6\n",
        "Column 'a' holds '1,5' and column 'b' holds '5.5': make the decimal mark the same",
    ),
    "two decimal marks in a column": (
        "a;b\n1,5;5\n2.5;6\n",
        r"'a' .*make the decimal mark|Make the decimal mark",
    ),
    "open quote": ('a,b\n1,"2\n3,4\n', r'A quote \("\) opens in line 2 of data\.csv'),
    "open quote above much": ('a,b\n1,"2\n' + "3,4\n" * 400_000, "A quote .* line 2 of"),
    "open quote after much": (
        "a,b\n" + "3,4\n" * 400_000 + '1,"2\n' + "3,4\n" * 400_000,
        "A quote .* line 400002 of",
    ),
    "knowledge": (
        "// made by hand\n\n/knowledge\naddtemporal\n1 a b\n2 c\n",
        r"data\.csv is a knowledge file, .* no table: .* --knowledge data\.csv",
    ),
    "NUL": (b"a,b\n1,\x002\n3,4\n", "is a binary file, .* line 2"),
    "binary": (bytes(range(256)) * 10, "is a binary file"),
    "damaged UTF-16": ("a,b\n1,2\n3,4\n".encode("utf-16")[:-1], "is not utf-16: line"),
    "a ZIP": (b"PK\x03\x04 nothing", "is a ZIP archive: unpack it first"),
    "an old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 sheet", "is no workbook that can be"),
    "bzip2": (b"BZh91AY", "is compressed by bzip2: unpack it"),
    "a NumPy file": (b"\x93NUMPY\x01", "is a NumPy file: load it in Python"),
    "Feather of version 1": (b"FEA1\0\0", "Feather file of version 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path) -> None:
    raw, message = REFUSED[case]
    with pytest.raises(InvalidDataError, match=message) as caught:
        read(tmp_path, raw)
    assert str(caught.value).endswith((".", "?"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["a", "heightx"]}, "There is no column 'heightx'; did you mean 'height'?"),
        ({"drop": ["zzz"]}, r"There is no column 'zzz'; the columns are 'a', 'height', 'c'\."),
        ({"index_column": "zzz"}, "There is no column 'zzz'"),
        ({"columns": ["a"], "drop": ["a"]}, "'a' is both to be kept and to be left out"),
        ({"separator": ";;"}, "The separator must be one character or one of comma, semicolon"),
        ({"separator": '"'}, "The separator must be"),
        ({"separator": ""}, "The separator must be"),
        ({"decimal": ";"}, "The decimal mark must be a point or a comma; got ';'"),
        ({"encoding": "klingon"}, "There is no text encoding called 'klingon'"),
        ({"encoding": "rot13"}, "There is no text encoding called 'rot13'"),
        ({"skip_lines": -1}, "skip_lines must be a whole number >= 0"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        read(tmp_path, "a,height,c\n1,2,3\n4,5,7\n", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "utf-8"}, "data.csv is not utf-8: line 3 cannot be decoded"),
        ({"encoding": "ascii"}, "data.csv is not ascii: line 3 cannot be decoded"),
        ({"skip_lines": 9}, "is empty"),
        ({"separator": "|"}, "separated by a pipe"),
    ],
)
def test_options_that_do_not_fit_the_file(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(DaglockError, match=message):
        read(tmp_path, "a,b\n1,2\n3,\xfc\n".encode("latin-1"), **options)
