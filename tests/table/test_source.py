"""Where bytes come from: files, standard input, gzip; and what is said when there are none."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from daglock.errors import InvalidDataError
from daglock.table import read_file

CSV = b"a,b\n1,2\n3,4.5\n"
TABLE = np.array([[1.0, 2.0], [3.0, 4.5]])


@pytest.mark.parametrize("name", ["data.csv.gz", "data.gz", "data.csv", "data"])
def test_gzip_whatever_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(gzip.compress(CSV))
    np.testing.assert_array_equal(read_file(tmp_path / name).data, TABLE)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(CSV))))
    table = read_file("-")
    np.testing.assert_array_equal(table.data, TABLE)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1\n2,3\n4,5\n")))
    with pytest.raises(InvalidDataError, match="Line 2 of standard input has 1 cell"):
        read_file("-")


def test_damaged_gzip(tmp_path: Path) -> None:
    file = tmp_path / "data.csv.gz"
    for raw in (gzip.compress(CSV)[:-9], gzip.compress(CSV)[:12] + b"xxxx", b"\x1f\x8b"):
        file.write_bytes(raw)
        with pytest.raises(InvalidDataError, match=r"data\.csv\.gz is a damaged gzip file"):
            read_file(file)


def test_no_file(tmp_path: Path) -> None:
    (tmp_path / "proteins.csv").write_bytes(CSV)
    with pytest.raises(InvalidDataError, match=r"There is no file .*; there is 'proteins\.csv'\."):
        read_file(tmp_path / "protein.csv")
    with pytest.raises(InvalidDataError, match=r"There is no file '[^;]*'\.$"):
        read_file(tmp_path / "zzz")
    with pytest.raises(InvalidDataError, match=r"There is no file '[^;]*'\.$"):
        read_file(tmp_path / "nowhere" / "data.csv")
    with pytest.raises(InvalidDataError, match="is a folder: name the file in it"):
        read_file(tmp_path)
    with pytest.raises(InvalidDataError, match="download it first"):
        read_file("https://example.org/data.csv")
    with pytest.raises(InvalidDataError, match="cannot be read"):
        read_file("a\0b")


def test_no_permission(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_bytes(CSV)
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(InvalidDataError, match="cannot be read: Permission denied"):
        read_file(file)


def test_an_excel_workbook(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(InvalidDataError, match="is no workbook that can be read, or a damaged one"):
        read_file(file)


def test_an_ending_that_lies(tmp_path: Path) -> None:
    file = tmp_path / "data.parquet"
    file.write_bytes(CSV)
    with pytest.raises(InvalidDataError, match=r"ends in \.parquet, but .* not Parquet"):
        read_file(file)
