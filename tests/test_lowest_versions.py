"""What a new version of another package can break: files, models, pictures, sources, exports.

`make test` runs this with the newest versions, `make lowest` with the lowest declared ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from packaging.requirements import Requirement
from pyarrow import ipc, parquet

import daglock
from daglock import DAGLock
from daglock.cli import main
from daglock.errors import InvalidDataError
from daglock.interop import FORMATS, convert
from daglock.table import read_file
from tests.table.workbooks import workbook

ROOT = Path(__file__).parents[1]
LOWEST = [
    Requirement(line)
    for line in (ROOT / "tests/lowest.txt").read_text().splitlines()
    if not line.startswith("#")
]

READ_OFTEN = """
import sys
from daglock.errors import InvalidDataError
from daglock.table import read_file

for _ in range(5):
    try:
        read_file(sys.argv[1])
    except InvalidDataError as error:
        assert "line 400002" in str(error)
    else:
        raise AssertionError
"""


@cache
def frame() -> pd.DataFrame:
    """Return a chain a → b → c."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    b = 2.0 * a + rng.normal(size=300)
    return pd.DataFrame({"a": a, "b": b, "c": b + rng.normal(size=300)})


@cache
def model() -> DAGLock:
    return DAGLock("unequal", n_restarts=0, random_state=0).fit(frame())


def write_arrow(new: Callable[..., Any], rows: pd.DataFrame, file: str) -> None:
    table = pa.Table.from_pandas(rows, preserve_index=False)
    with new(file, table.schema) as writer:
        writer.write_table(table)


def write_workbook(rows: pd.DataFrame, file: str) -> None:
    Path(file).write_bytes(workbook({"rows": [[*map(str, rows)], *rows.to_numpy().tolist()]}))


WRITERS: dict[str, Callable[[pd.DataFrame, str], Any]] = {
    "csv": partial(pd.DataFrame.to_csv, index=False),
    "csv.gz": partial(pd.DataFrame.to_csv, index=False),
    "tsv": partial(pd.DataFrame.to_csv, index=False, sep="\t"),
    "xlsx": write_workbook,
    "parquet": lambda rows, file: parquet.write_table(pa.Table.from_pandas(rows), file),
    "feather": pd.DataFrame.to_feather,
    "arrow": partial(write_arrow, ipc.new_file),
    "arrows": partial(write_arrow, ipc.new_stream),
    "dta": pyreadstat.write_dta,
    "sav": pyreadstat.write_sav,
    "xpt": pyreadstat.write_xport,
}


def test_the_file_of_lowest_versions_says_what_is_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = declared["project"]["optional-dependencies"]
    needed = [*declared["project"]["dependencies"], *extras["plot"], *extras["dask"]]
    tests = map(Requirement, declared["dependency-groups"]["test"])
    needs = [need for need in tests if need.name in ("pytest", "hypothesis", "pandas")]
    lowest = {
        (need.name, f"=={bound.version}")
        for need in (*map(Requirement, needed), *needs)
        for bound in need.specifier
        if bound.operator == ">="
    }
    assert {(pin.name, str(pin.specifier)) for pin in LOWEST} == lowest


@pytest.mark.skipif("DAGLOCK_LOWEST" not in os.environ, reason="for `make lowest`")
@pytest.mark.parametrize("pin", LOWEST, ids=lambda pin: pin.name)
def test_the_lowest_version_is_installed(pin: Requirement) -> None:
    assert pin.specifier.contains(version(pin.name))


@pytest.mark.parametrize("ending", WRITERS)
def test_every_kind_of_file_is_read(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"rows.{ending}"
    WRITERS[ending](frame(), str(file))
    table = read_file(file)
    assert table.names == ("a", "b", "c")
    np.testing.assert_allclose(table.data, frame().to_numpy(), rtol=1e-13)


def test_a_file_of_sas_is_read() -> None:
    assert read_file(ROOT / "tests/table/data/small.sas7bdat.gz").data.shape[1] > 1


@pytest.mark.slow
def test_a_wrong_line_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,b\n" + "3,4\n" * 400_000 + '1,"2\n' + "3,4\n" * 400_000)
    # in a process that can be ended: threads that wait for each other did so by the third time
    command = [sys.executable, "-c", READ_OFTEN, str(file)]
    subprocess.run(command, check=True, timeout=60)


def test_an_infinite_value_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,b\n1e999,2\n3,4\n")
    with pytest.raises(InvalidDataError, match="infinite"):
        read_file(file)


@pytest.mark.parametrize("name", ["model.json", "model.npz"])
def test_a_model_comes_back(name: str, tmp_path: Path) -> None:
    model().save(tmp_path / name)
    back = daglock.load(tmp_path / name)
    pd.testing.assert_frame_equal(back.edges_, model().edges_)
    pd.testing.assert_frame_equal(back.confidence_, model().confidence_)
    one, other = (own.effect("a", "c", n=20, rng=0) for own in (model(), back))
    assert str(one) == str(other)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_folder_is_learned_from(ending: str, tmp_path: Path) -> None:
    for part, rows in enumerate((frame()[:100], frame()[100:])):
        WRITERS[ending](rows, str(tmp_path / f"part-{part}.{ending}"))
    learned = DAGLock("unequal", n_restarts=0).fit(tmp_path)
    np.testing.assert_allclose(learned.moments_.cov, model().moments_.cov, rtol=1e-9)


def test_a_frame_of_dask_is_learned_from() -> None:
    dask = pytest.importorskip("dask.dataframe")
    learned = DAGLock("unequal", n_restarts=0).fit(dask.from_pandas(frame(), npartitions=2))
    np.testing.assert_allclose(learned.moments_.cov, model().moments_.cov, rtol=1e-9)


def test_the_picture_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    axes = model().plot(pytest.importorskip("matplotlib.figure").Figure().add_subplot())
    assert {text.get_text() for text in axes.texts} >= {"a", "b", "c"}


@pytest.mark.parametrize("fmt", FORMATS)
def test_every_export_is_written(fmt: str) -> None:
    assert convert(model(), fmt)


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_the_command_line_learns_with_knowledge(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame().to_csv("rows.csv", index=False)
    known = {"yaml": "tiers: [[c], [b], [a]]\n", "json": '{"tiers": [["c"], ["b"], ["a"]]}'}
    Path(f"known.{ending}").write_text(known[ending])
    options = ("--knowledge", f"known.{ending}", "--bootstrap", "10", "--out", "result", "--quiet")
    assert main(["learn", "rows.csv", *options]) == 0
    assert "<html" in Path("result/report.html").read_text()
    assert {*daglock.load("result").edges_["source"]} <= {"b", "c"}  # a is last in the tiers


def test_a_covariance_is_learned_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame().cov().to_csv("rows.cov", index=False)
    options = ("--covariance", "--rows", "300", "--bootstrap", "0", "--out", "result", "--quiet")
    assert main(["learn", "rows.cov", *options]) == 0
    assert daglock.load("result").names_ == ("a", "b", "c")
