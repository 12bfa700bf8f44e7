"""A folder with a table in it, in which a command runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from daglock.cli import main
from daglock.estimator.sealing import read_npz
from daglock.simulate import erdos_renyi, linear_sem


class Result(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder that holds data.csv: five columns a to e, 500 rows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    X = linear_sem(erdos_renyi(5, 5, rng=3), 500, rng=4)
    lines = ["a,b,c,d,e", *(",".join(map(repr, row.tolist())) for row in X)]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in that folder."""

    def call(*arguments: str) -> Result:
        capsys.readouterr()
        try:
            code = main(list(arguments))
        except SystemExit as end:  # argparse
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return Result(int(code), printed.out, printed.err)

    return call


def model_of(results: str | Path) -> list[object]:
    """Return what the model of a folder holds, but for the command that made it."""
    record, arrays = read_npz(Path(results, "model.npz"))
    assert record.pop("made_by").startswith("daglock learn ")
    del record["checksum"]
    return [record, *((name, cells.dtype.str, cells.tolist()) for name, cells in arrays.items())]


@pytest.fixture
def result(run: Run) -> Path:
    """Return a folder of results."""
    assert run("learn", "data.csv", "--quiet").code == 0
    return Path("data.daglock")
