"""Sheets of Excel: read as the text that they would be saved as, rows told as Excel counts them."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table import read_file
from daglock.table.excel import read_excel
from daglock.table.source import Hints, Source
from tests.table.workbooks import Cell, Date, workbook

ROWS: list[list[Cell]] = [
    ["height", "weight", "old"],
    [1.8125, 82.1, 41.0],
    [1.65, None, 23.0],
    [1.7, 71.3, 1e300],
]


def save(folder: Path, raw: bytes, name: str = "book.xlsx") -> Path:
    (folder / name).write_bytes(raw)
    return folder / name


def test_numbers_keep_all_their_digits(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).standard_normal((50, 2)).tolist()
    table = read_file(save(tmp_path, workbook({"s": [["a", "b"], *rows]})))
    assert table.names == ("a", "b")
    np.testing.assert_array_equal(table.data, rows)
    assert table.notes == ()


def test_gaps_and_rows_as_excel_counts_them(tmp_path: Path) -> None:
    table = read_file(save(tmp_path, workbook({"s": ROWS})))
    np.testing.assert_array_equal(table.data[:, 0], [1.8125, 1.65, 1.7])
    assert np.isnan(table.data[1, 1])
    assert table.first_missing == "row 3, column 'weight'"


def test_a_table_that_does_not_begin_in_the_corner(tmp_path: Path) -> None:
    rows: list[list[Cell]] = [[], [], [None, "a", "b"], [None, 1.5, 2.0], [None, 3.25, None]]
    table = read_file(save(tmp_path, workbook({"s": [*rows, [None, 4.0, 7.0]]})))
    assert table.names == ("a", "b")
    assert table.data[:, 0].tolist() == [1.5, 3.25, 4.0]
    assert table.first_missing == "row 5, column 'b'"


def test_a_title_above_the_table(tmp_path: Path) -> None:
    rows: list[list[Cell]] = [["My study, 2020"], [], ["a", "b"], [1.5, 2.0], [3.25, None]]
    table = read_file(save(tmp_path, workbook({"s": [*rows, [4.0, 7.0]]})))
    assert table.names == ("a", "b")
    assert table.notes == ("Passed over: 2 rows with a title above the table.",)
    assert table.first_missing == "row 5, column 'b'"


def test_several_sheets(tmp_path: Path) -> None:
    other: list[list[Cell]] = [["x", "y"], [1.0, 2.0], [3.0, 5.0], [4.0, 4.5]]
    file = save(tmp_path, workbook({"people": ROWS, "more": other}))
    table = read_file(file)
    assert table.names == ("height", "weight", "old")
    assert table.notes == (
        "Of the sheets 'people', 'more' the first, 'people', was read: give --sheet to take "
        "another.",
    )
    table = read_file(file, sheet="more")
    assert (table.names, table.notes) == (("x", "y"), ())
    with pytest.raises(
        InvalidParameterError, match="has no sheet 'peoples'; did you mean 'people'"
    ):
        read_file(file, sheet="peoples")
    with pytest.raises(InvalidParameterError, match="no sheet 'zzz'; there is 'people', 'more'"):
        read_file(file, sheet="zzz")
    hidden = save(tmp_path, workbook({"people": ROWS, "more": other}, hidden=["people"]))
    assert read_file(hidden).names == ("x", "y")
    assert read_file(hidden, sheet="people").names == ("height", "weight", "old")


def test_what_stands_above_the_header_and_between(tmp_path: Path) -> None:
    rows: list[list[Cell]] = [["# made in", "spring"], *ROWS, [None, None, None], [1.5, 60.0, 3.0]]
    table = read_file(save(tmp_path, workbook({"s": rows})))
    assert table.names == ("height", "weight", "old")
    assert table.data[-1].tolist() == [1.5, 60.0, 3.0]


def test_cells_of_all_kinds_as_text() -> None:
    rows: list[list[Cell]] = [["a", "day", "yes", "word"]]
    rows += [[1.0, Date(45322.0), True, "two\nlines"], [2.5, Date(45323.0), False, 'say "no", x']]
    raw = read_excel(Source("b.xlsx", workbook({"s": rows})), [])
    cells = {column.name: column.text.to_pylist() for column in raw.columns}
    assert cells == {
        "a": ["1", "2.5"],
        "day": ["2024-01-31", "2024-02-01"],
        "yes": ["TRUE", "FALSE"],
        "word": ["two lines", 'say "no", x'],
    }
    assert raw.place(1) == "row 3"


def test_it_is_told_by_what_it_holds(tmp_path: Path) -> None:
    raw = workbook({"s": ROWS})
    for name, content in {"book.csv": raw, "b.xlsx.gz": gzip.compress(raw)}.items():
        assert read_file(save(tmp_path, content, name)).names == ("height", "weight", "old")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "book.xlsx ends in .xlsx, but what it holds is not an Excel workbook"),
        (b"a,b\n1,2\n", "ends in .xlsx, but what it holds is not an Excel workbook"),
        (bytes(range(256)) * 20, "ends in .xlsx, but what it holds is not"),
        (b"PK\x03\x04 xl/ junk", "is no workbook that can be read, or a damaged one"),
        (b"PK\x03\x04 something else", "is a ZIP archive: unpack it first"),
        (workbook({"s": ROWS})[:600], "is no workbook that can be read, or a damaged one|ZIP"),
        (workbook({"s": []}), "The sheet 's' of book.xlsx is empty"),
        (workbook({}), "book.xlsx has no sheet with cells"),
        (workbook({"s": [["a", "b"]]}), "book.xlsx"),
        (workbook({"s": [["a"], [1.0], [2.0]]}), "At least two columns"),
    ],
)
def test_what_is_no_table(tmp_path: Path, raw: bytes, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message) as caught:
        read_file(save(tmp_path, raw))
    assert "\n" not in str(caught.value)


def test_a_damaged_sheet(tmp_path: Path) -> None:
    raw = bytearray(workbook({"s": [["a", "b"], *[[float(j), 1.0] for j in range(2000)]]}))
    raw[200:600] = bytes(400)
    with pytest.raises(InvalidDataError, match=r"book\.xlsx"):
        read_file(save(tmp_path, bytes(raw)))


def test_a_sheet_is_for_workbooks(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,b\n1,2\n3,4\n5,7\n")
    with pytest.raises(InvalidParameterError, match="--sheet is for Excel workbooks, and data"):
        read_file(tmp_path / "data.csv", sheet="x")


def test_options_for_text_hold(tmp_path: Path) -> None:
    rows: list[list[Cell]] = [[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]]
    file = save(tmp_path, workbook({"s": rows}))
    assert read_file(file).names == ("x0", "x1")
    assert read_file(file, header=True).names == ("1", "2")
    assert len(read_file(file, skip_lines=1).data) == 2
    german: list[list[Any]] = [["a", "b"], ["1,5", 2.0], ["2,5", 3.0], ["7,25", 1.0]]
    table = read_file(save(tmp_path, workbook({"s": german})))
    np.testing.assert_array_equal(table.data[:, 0], [1.5, 2.5, 7.25])


def test_hints_reach_the_reader() -> None:
    hints = Hints(sheet="two")
    raw = workbook({"one": ROWS, "two": [["p", "q"], [1.0, 2.0]]})
    assert [c.name for c in read_excel(Source("b", raw, hints=hints), []).columns] == ["p", "q"]


def test_a_cell_far_out_is_named_before_memory_goes() -> None:
    sheet = workbook({"s": [["a", "b"], [1.0, 2.0], [3.0, 5.0]]})
    far, packed = io.BytesIO(), zipfile.ZipFile(io.BytesIO(sheet))
    empty = b'<row r="1048575"><c r="XFC1048575" s="0"/></row>'
    for cell, is_far in ((b'<c r="XFD1048576"><v>7</v></c>', True), (b"", False)):
        far = io.BytesIO()
        with zipfile.ZipFile(far, "w") as archive:
            for name in packed.namelist():
                content = packed.read(name)
                row = empty + b'<row r="1048576">' + cell + b"</row>"
                content = content.replace(b"</sheetData>", row + b"</sheetData>")
                archive.writestr(name, content)
        source = Source("b.xlsx", far.getvalue())
        if is_far:
            with pytest.raises(InvalidDataError, match=r"column XFD and row 1,048,576, .*cells"):
                read_excel(source, [])
        else:
            assert len(read_excel(source, []).columns) == 2


def test_a_workbook_that_unpacks_to_much() -> None:
    packed = io.BytesIO(workbook({"s": [["a", "b"], [1.0, 2.0], [3.0, 5.0]]}))
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/zeros.bin", bytes(70 << 20))
    with pytest.raises(InvalidDataError, match=r"b\.xlsx unpacks to 73\.4 MB, .*--max-size 74M"):
        read_excel(Source("b.xlsx", packed.getvalue()), [])
