"""No spreadsheet takes a name for a formula, and every name comes back as it was."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daglock import DAGLock
from daglock._csv import csv_rows, csv_text
from daglock.cli import main
from daglock.cli.learned import read_bootstrap
from daglock.estimator import load
from daglock.interop import convert
from daglock.simulate import linear_sem
from daglock.table import Table

RUN = ("=", "+", "-", "@", "\t", "\r")
HOSTILE = ('=HYPERLINK("http://x")', "+1", "-2+3", "@SUM(A1)", "\tx", "\ry", "'=z", "''+", "it's")
CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0")) | st.text("'=+-@\t\r\n\",a1")


def raw_cells(text: str) -> list[str]:
    """Return the cells as a spreadsheet sees them, without those that are numbers."""
    rows = csv.reader(io.StringIO(text, newline=""), quoting=csv.QUOTE_NONNUMERIC)
    return [cell for row in rows for cell in row if isinstance(cell, str)]


@given(st.lists(st.lists(CELL, min_size=1), min_size=1))
def test_text_comes_back_and_nothing_runs(rows: list[list[str]]) -> None:
    text = csv_text(rows)
    assert csv_rows(text) == rows
    assert not any(cell.startswith(RUN) for cell in raw_cells(text))


@given(st.floats(allow_nan=False))
def test_numbers_stay_numbers(number: float) -> None:
    assert csv_text([[number]]) == f"{number!r}\n"


@pytest.fixture(scope="module")
def hostile() -> DAGLock:
    W = np.diag(np.full(len(HOSTILE) - 1, 0.9), k=1)
    X = linear_sem(W, 400, rng=0)
    return DAGLock(random_state=0).fit(Table(X, HOSTILE))


@pytest.mark.parametrize("form", ["csv", "lingam", "pcalg"])
def test_what_is_handed_over(hostile: DAGLock, form: str) -> None:
    text = convert(hostile, form)
    assert not any(cell.startswith(RUN) for cell in raw_cells(text))
    assert {*HOSTILE} <= {cell for row in csv_rows(text) for cell in row}


def test_the_files_of_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["=a", "+b", "-c", "@d"]
    X = linear_sem(np.diag(np.full(3, 0.9), k=1), 300, rng=0)
    lines = [",".join(names), *(",".join(map(repr, row)) for row in X.tolist())]
    Path("data.csv").write_text("\n".join(lines) + "\n")
    assert main(["learn", "data.csv", "--bootstrap", "10", "--quiet"]) == 0
    folder = Path("data.daglock")
    files = sorted(folder.glob("*.csv"))
    assert [file.name for file in files] == ["bootstrap.csv", "edges.csv"]
    for file in files:
        assert not any(cell.startswith(RUN) for cell in raw_cells(file.read_text()))
    model = load(folder)
    assert list(model.names_) == names
    bootstrap = read_bootstrap(folder, model)
    assert bootstrap is not None
    again = model.bootstrap(10, X=X, rng=0)
    assert np.array_equal(bootstrap.adjacent, again.adjacent)
