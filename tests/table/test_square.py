"""Covariances that are given as rows are refused; tables of rows that are square are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from daglock import DAGLock
from daglock.cli import main
from daglock.errors import InvalidDataError
from daglock.table import read_file
from daglock.table.frames import read_table

NAMES = ["age", "dose", "pulse", "pain"]


def rows(n: int = 200) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).normal(size=(n, 4)), columns=NAMES)


@pytest.mark.parametrize("what", ["cov", "corr"])
@pytest.mark.parametrize("form", ["labels", "called labels", "plain", "part", "two"])
def test_a_file(what: str, form: str, tmp_path: Path) -> None:
    matrix = rows().cov() if what == "cov" else rows().corr()
    matrix = matrix.iloc[:2, :2] if form == "two" else matrix
    path = tmp_path / "c.csv"
    label = "variable" if form == "called labels" else None
    matrix.round(4).to_csv(path, index=form != "plain", index_label=label)
    with pytest.raises(InvalidDataError, match="with --covariance and --rows N"):
        read_file(path, drop=["dose"] if form == "part" else [])


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.csv"
    rows().cov().to_csv(path)
    arguments = ["learn", str(path), "--out", str(tmp_path / "out"), "--bootstrap", "0"]
    assert main(arguments) != 0
    error = capsys.readouterr().err
    assert "holds a covariance or correlations, not rows" in error
    assert "with --covariance and --rows N" in " ".join(error.split())
    assert main([*arguments, "--covariance", "--rows", "200"]) == 0


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, np.asarray])
def test_in_memory(make: Any) -> None:
    with pytest.raises(InvalidDataError, match=r"fit_moments\(Moments.from_covariance\(X, n\)\)"):
        DAGLock().fit(make(rows().cov()))


def test_square_tables_of_rows_are_read(tmp_path: Path) -> None:
    square = rows(4)
    across = [[1.0, 2.0, 0.5], [2.0, 1.0, 3.0], [0.5, 3.0, -1.0]]  # of no variances
    signs = pd.DataFrame(across, columns=NAMES[:3])
    for table in (square, signs):
        assert len(read_table(table).data) == len(table)
        table.to_csv(tmp_path / "rows.csv", index=False)
        assert len(read_file(tmp_path / "rows.csv").data) == len(table)
