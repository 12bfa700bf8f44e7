"""What is measured of data read in parts: all of the rows are read, and the document says it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from daglock import Moments
from daglock_evaluation.scale import __main__ as command
from daglock_evaluation.scale import tables, work
from daglock_evaluation.scale.document import BEGIN, END

ROWS, COLUMNS = 900, 4


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several files, of several row groups each."""
    monkeypatch.setattr(tables, "FILE", 400)
    monkeypatch.setattr(tables, "GROUP", 150)


@pytest.mark.usefixtures("small")
def test_files_hold_the_same_rows_in_both_formats(tmp_path: Path) -> None:
    size = tables.write(tmp_path / "parquet", ROWS, COLUMNS, "parquet")
    assert size == sum(file.stat().st_size for file in (tmp_path / "parquet").iterdir())
    assert len(list((tmp_path / "parquet").iterdir())) == 3
    tables.write(tmp_path / "csv", 100, COLUMNS, "csv")
    found = Moments.from_source(tmp_path / "csv")
    assert (found.n, found.names) == (100, ("x0", "x1", "x2", "x3"))
    assert np.isfinite(found.cov).all()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("what", ["data set", "iterator", "moments", "fit"])
def test_every_way_reads_all_rows(tmp_path: Path, what: str) -> None:
    tables.write(tmp_path / "rows", ROWS, COLUMNS, "parquet")
    assert work.WORK[what](tmp_path / "rows") == ROWS


@pytest.mark.usefixtures("small")
def test_every_way_reads_all_rows_of_text(tmp_path: Path) -> None:
    tables.write(tmp_path / "rows", ROWS, COLUMNS, "csv")
    assert work.split(tmp_path / "rows") == work.moments(tmp_path / "rows") == ROWS


def test_work_says_what_it_took(capsys: pytest.CaptureFixture[str]) -> None:
    work.main("wide", "30")
    record = json.loads(capsys.readouterr().out)
    assert record["rows"] == 2000
    assert record["seconds"] > 0
    assert record["peak_mb"] > 10


@pytest.mark.usefixtures("small")
def test_the_document_gets_medians_and_the_rest_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rates = {"data set": 4e6, "iterator": 8e6, "CSV": 1e6, "moments": 6e6}
    turns = dict.fromkeys(rates, 0)

    def measure(what: str, where: str, label: str) -> command.Measured:
        turns[what] = turns.get(what, 0) + 1
        rate = rates.get(what, 3e6) * (1 if turns[what] % 4 else 50)  # one of the turns is odd
        return command.Measured(label, ROWS, rate, 400.0 + turns[what])

    monkeypatch.setattr(command, "measure", measure)
    document = tmp_path / "scale.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    options = ["--rows", "300", "--csv-rows", "200", "--columns", "3", "--wide", "1000"]
    assert command.main([*options, "--write", str(document)]) == 0
    text = document.read_text()
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    assert "Moments at 75% of the rate of pyarrow alone" in text
    assert "| pyarrow alone, file by file | 8.00 million | 404 MB | 2 min |" in text
    assert "900 rows of 1,000 columns from an iterator" in text
    assert "496 MB are promised" in text  # 500 · 10⁶ and 20 · 10⁶ bytes
    assert "parquet: 300 rows, 3 columns" in capsys.readouterr().out
