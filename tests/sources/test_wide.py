"""Row groups of many columns: read in turns, they are what they are when read at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from daglock import Moments
from daglock.errors import InvalidDataError
from daglock.sources import as_source, parquet
from daglock.sources.source import Batch


def table(n: int = 900, d: int = 130) -> pa.Table:
    rng = np.random.default_rng(0)
    columns: dict[str, pa.Array] = {f"x{j}": pa.array(rng.normal(size=n)) for j in range(d)}
    columns["x7"] = pa.array([None if k % 5 == 0 else float(k) for k in range(n)])
    columns["word"] = pa.array([f"w{k % 11}" for k in range(n)])
    columns["level"] = pa.array([f"l{k % 3}" for k in range(n)]).dictionary_encode()
    return pa.table(columns)


def batches(path: Path, columns: list[str]) -> list[pa.RecordBatch]:
    source = as_source(path)
    assert source is not None
    found: list[Batch] = source.reduce(list, lambda a, b: a + b, columns=columns)
    assert [batch.first_row for batch in found if batch.piece == 1][:2] == [0, 256]
    return [batch.data for batch in found]


@pytest.mark.parametrize("files", [2, 200])
def test_the_rows_are_those_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    monkeypatch.setattr(parquet, "_FILES", files)
    monkeypatch.setattr("daglock.sources.source.CELLS", 1 << 12)  # batches of 256 rows
    whole = table()
    write_table(whole, str(tmp_path / "wide.parquet"), row_group_size=400)
    names = whole.column_names[::-1]
    got = pa.Table.from_batches(batches(tmp_path / "wide.parquet", names))
    assert got.column_names == names
    assert got.to_pylist() == whole.select(names).to_pylist()


def test_moments_and_no_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(kept))
    whole = table()
    numbers = whole.select([f"x{j}" for j in range(130) if j != 7])
    write_table(numbers, str(tmp_path / "wide.parquet"), row_group_size=400)
    source = as_source(tmp_path / "wide.parquet")
    assert source is not None
    seen = source.reduce(lambda own: [len(list(kept.iterdir())) for _ in own], lambda a, b: a + b)
    assert set(seen) == {1}  # one row group at a time
    found = Moments.from_source(tmp_path / "wide.parquet")
    X = np.column_stack([column.to_numpy() for column in numbers.itercolumns()])
    np.testing.assert_allclose(found.cov, np.cov(X.T, bias=True), atol=1e-12)
    assert not list(kept.iterdir())


def test_a_page_that_cannot_be_read_is_named_and_no_file_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(kept))
    file = tmp_path / "wide.parquet"
    write_table(table(), str(file), row_group_size=400, use_dictionary=False)
    data = bytearray(file.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4000] = b"\xff" * 4000
    file.write_bytes(data)
    with pytest.raises(InvalidDataError, match="row group 1 cannot be read"):
        Moments.from_source(file, columns=[f"x{j}" for j in range(130) if j != 7])
    assert not list(kept.iterdir())
