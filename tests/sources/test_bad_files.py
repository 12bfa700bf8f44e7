"""What is wrong with files is said in a sentence that names file and row group."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from daglock import DAGLock, Moments
from daglock.errors import InvalidDataError
from daglock.sources import as_source


def table(n: int = 900, seed: int = 0, **more: Any) -> pa.Table:
    """Three columns of numbers, and what a test adds."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {name: rng.standard_normal(n) for name in "abc"}
    return pa.table({**columns, **more})


def write(folder: Path, *tables: pa.Table) -> Path:
    """Write each table to a file of its own, in row groups of 300."""
    for k, own in enumerate(tables):
        pq.write_table(own, str(folder / f"part-{k}.parquet"), row_group_size=300)
    return folder


def refused(what: Any, *parts: str) -> None:
    """Demand an error with all of these in it."""
    with pytest.raises(InvalidDataError) as caught:
        Moments.from_source(what)
    said = str(caught.value)
    assert "\n" not in said
    for part in parts:
        assert part in said


def test_different_columns_are_named_all_at_once(tmp_path: Path) -> None:
    lacks = table().select(["a", "b"])
    more = table(z=np.zeros(900))
    write(tmp_path, table(), lacks, table(), more)
    refused(tmp_path, "part-1.parquet lacks 'c'", "part-3.parquet has 'z' besides", "(2)")


def test_text_in_one_of_many_files_is_named(tmp_path: Path) -> None:
    tables = [table(30, seed=k) for k in range(70)]
    tables[57] = table(30).select(["a", "b"])
    tables[57] = pa.table({**tables[57].to_pydict(), "c": ["x"] * 30})
    write(tmp_path, *tables)
    refused(tmp_path, "'c' holds text in part-57.parquet and numbers in part-0.parquet")


def test_whole_numbers_in_one_file_and_fractions_in_another_are_numbers(tmp_path: Path) -> None:
    write(tmp_path, table(a=np.arange(900)), table(a=np.arange(900) / 7))
    found = Moments.from_source(tmp_path)
    whole = np.concatenate([np.arange(900), np.arange(900) / 7])
    assert found.cov[0, 0] == pytest.approx(whole.var(), rel=1e-12)


def test_an_empty_file_and_one_without_rows(tmp_path: Path) -> None:
    write(tmp_path, table(), table(0), table(300, seed=1))
    assert Moments.from_source(tmp_path).n == 1200
    (tmp_path / "part-1.parquet").write_bytes(b"")
    refused(tmp_path, "part-1.parquet is empty")


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, table(), table())
    file = tmp_path / "part-1.parquet"
    file.write_bytes(file.read_bytes()[:-300])
    refused(tmp_path, "part-1.parquet cannot be read")


def test_a_damaged_row_group_is_named(tmp_path: Path) -> None:
    write(tmp_path, table(), table())
    file = tmp_path / "part-1.parquet"
    column = pq.ParquetFile(str(file)).metadata.row_group(2).column(1)
    raw = bytearray(file.read_bytes())
    raw[column.data_page_offset : column.data_page_offset + 12] = b"\xff" * 12
    file.write_bytes(raw)
    refused(tmp_path, "part-1.parquet, row group 2 cannot be read")
    with pytest.raises(InvalidDataError, match=r"part-1\.parquet, row group 2"):
        DAGLock().fit(tmp_path)


def test_hidden_files_are_no_data_and_other_formats_are_told(tmp_path: Path) -> None:
    write(tmp_path, table())
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".part.parquet").write_text("no")
    (tmp_path / "notes.md").write_text("# notes")
    assert Moments.from_source(tmp_path).n == 900
    (tmp_path / "more.csv").write_text("a,b,c\n1,2,3\n")
    refused(tmp_path, "holds Parquet and other files, such as more.csv")


def test_nothing_to_read(tmp_path: Path) -> None:
    refused(tmp_path, "has no Parquet or CSV file in it")
    refused(str(tmp_path / "*.parquet"), "No file is called like")
    refused(str(tmp_path / "a.parquet"), "There is no file")


CSV = "a,b\n" + "".join(f"{k},{k * k % 17}\n" for k in range(60))


def test_a_word_in_a_csv_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(CSV)
    (tmp_path / "two.csv").write_text(CSV + "61,many\n")
    refused(tmp_path, "Column 'b' holds 'many' in line 62 of two.csv", "--drop b")


def test_a_line_that_is_too_long_is_named(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(CSV + "61,2,3\n")
    refused(str(tmp_path / "*.csv"), "Line 62 of one.csv has 3 cells")


def test_csv_files_with_other_columns(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(CSV)
    (tmp_path / "two.csv").write_text(CSV.replace("a,b", "b,a"))  # another order is fine
    assert Moments.from_source(tmp_path).names == ("a", "b")
    (tmp_path / "two.csv").write_text(CSV.replace("a,b", "a,z"))
    refused(tmp_path, "two.csv lacks 'b' and has 'z' besides")
    (tmp_path / "two.csv").write_text("")
    refused(tmp_path, "two.csv is empty")


def test_csv_as_people_write_it(tmp_path: Path) -> None:
    lines = (
        "\ufeffa;b\n# a remark\n" + "".join(f"{k},5;{k * k % 17}\n" for k in range(40)) + "NA;3\n\n"
    )
    (tmp_path / "one.csv").write_text(lines, encoding="utf-8")
    (tmp_path / "two.csv.gz").write_bytes(gzip.compress(lines.encode()))
    found = Moments.from_source(tmp_path, missing="drop")
    assert (found.n, found.names) == (80, ("a", "b"))
    assert found.means[0] == pytest.approx(20.0)


def test_columns_of_a_csv_file_in_another_order_are_not_mixed_up(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2)) * [1.0, 100.0]
    (tmp_path / "one.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in X[:200]))
    (tmp_path / "two.csv").write_text("b,a\n" + "".join(f"{b},{a}\n" for a, b in X[200:]))
    found = Moments.from_source(tmp_path)
    np.testing.assert_allclose(found.cov, np.cov(X.T, bias=True), rtol=1e-9)


def test_progress_tells_rows_and_bytes(tmp_path: Path) -> None:
    source = as_source(write(tmp_path, table(), table()))
    assert source is not None
    told: list[tuple[int, int]] = []
    counted = source.reduce(
        lambda batches: sum(batch.data.num_rows for batch in batches),
        lambda first, second: first + second,
        progress=lambda rows, size: told.append((rows, size)),
    )
    assert counted == source.n_rows == told[-1][0] == 1800
    assert told[-1][1] == pytest.approx(source.n_bytes, rel=0.01)
    assert told == sorted(told)
