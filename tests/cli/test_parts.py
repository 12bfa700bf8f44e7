"""`daglock learn` and `check` on data that are read in parts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import daglock
from daglock.cli import main


@pytest.fixture
def events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of three Parquet files, and the same rows as one CSV file beside it."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "events"
    folder.mkdir()
    rng = np.random.default_rng(0)
    lines = ["dose,pulse,sex,extra"]
    for k in range(3):
        dose = rng.normal(size=500)
        pulse = dose + rng.normal(size=500)
        sex = rng.choice(["f", "m"], 500)
        own = pa.table(
            {"dose": dose, "pulse": pulse, "sex": sex, "extra": pulse + rng.normal(size=500)}
        )
        pq.write_table(own, str(folder / f"{k}.parquet"), row_group_size=200)
        lines += [",".join(map(str, row.values())) for row in own.to_pylist()]
    (tmp_path / "whole.csv").write_text("\n".join(lines) + "\n")
    return folder


def edges(folder: str) -> list[tuple[str, str]]:
    """Return the edges in a folder of results."""
    document = json.loads(Path(folder, "graph.json").read_text())
    return [(edge["source"], edge["target"]) for edge in document["edges"]]


@pytest.mark.parametrize("data", ["events", "events/*.parquet"])
def test_learn(data: str, events: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", data, "--bootstrap", "5", "--drop", "extra"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"{data}: 1,500 rows, 3 columns" in said
    assert "1,500 rows of 3 files" in said
    assert "were read in parts" in said
    assert main(["learn", "whole.csv", "--bootstrap", "5", "--drop", "extra"]) == 0
    assert edges("events.daglock") == edges("whole.daglock") != []
    document = json.loads(Path("events.daglock/graph.json").read_text())
    assert document["data"]["source"]["files"] == 3
    assert document["data"]["rows"] == 1500
    assert document["bootstrap"] == {
        "replicates": 5,
        "usual": 100,
        "stopped": "",
        "drawn_from": "rows",
    }
    assert "were read in parts" in Path("events.daglock/report.html").read_text()
    assert daglock.load("events.daglock").source_ == document["data"]["source"]


def test_learn_with_regimes_and_kinds(events: Path) -> None:
    Path("kinds.yaml").write_text("extra: ignore\n")
    arguments = [
        "learn",
        "events",
        "--regime",
        "sex",
        "--columns",
        "kinds.yaml",
        "--bootstrap",
        "3",
    ]
    assert main(arguments) == 0
    document = json.loads(Path("events.daglock/graph.json").read_text())
    assert document["regimes"]["labels"] == ["f", "m"]
    assert {edge["source"] for edge in document["edges"]} <= {"dose", "pulse"}


def test_check(events: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "events"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "What follows is about these 1,500 rows" in said


@pytest.mark.parametrize(
    "option", [["--na=-9"], ["--groups", "sex"], ["--blocks", "9"], ["--ragged", "drop"]]
)
def test_options_that_need_the_whole_table(
    option: list[str], events: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", "events", *option]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"{option[0].partition('=')[0]}: not for data that are read in parts" in said
    assert not Path("events.daglock").exists()


def test_a_damaged_file_leaves_nothing_behind(
    events: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = events / "1.parquet"
    file.write_bytes(file.read_bytes()[:-100])
    assert main(["learn", "events"]) != 0
    assert "1.parquet cannot be read" in " ".join(capsys.readouterr().err.split())
    assert not Path("events.daglock").exists()
