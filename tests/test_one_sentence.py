"""Whatever is given to daglock, it says what is wrong in one sentence of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import daglock
from daglock.errors import DaglockError, InvalidParameterError


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("k.yaml", "roots: [2020-99-99]", "is not YAML"),
        ("k.yaml", "roots: " + "[" * 50_000, "nested too deeply"),
        ("k.json", '{"roots": ' + "[" * 50_000, "nested too deeply"),
        ("k.json", '{"roots": [' + "9" * 5000 + "]}", "too long"),
        ("k.yaml", "roots: [" + "9" * 5000 + "]", "is not YAML"),
        ("k.yaml", "? [a]\n: b\n", "is not YAML|no part|parts"),
        ("k.yaml", "a: &a [x]\nroots: [" + "*a, " * 200 + "]", "repeats parts of itself 200 times"),
        ("k.yaml", "#" * 8_000_001, "is too long to be knowledge: it may have 8 MB"),
    ],
)
def test_knowledge_that_cannot_be(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidParameterError, match=message) as caught:
        daglock.Knowledge.from_file(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_what_is_no_table_is_said_so() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X = np.random.default_rng(0).normal(size=(20, 3))
    cases = [
        pandas.Series(X[:, 0]),
        polars.Series("a", X[:, 0]),
        pandas.DataFrame(X, columns=["a", 1, None]),
        pandas.DataFrame(X, columns=["a", ("b", 1), 3.5]),
        pandas.DataFrame({"a": [pandas.Series([1])] * 3, "b": [1, 2, 3]}),
        np.zeros((4, 2), dtype="M8[D]"),
        [[10**400, 1], [2, 3], [4, 5]],
        *(None, "table.csv", Path("table.csv"), 3, {"a": [1]}, {1}, X[:, 0], X + 1j, X[None]),
    ]
    for case in cases:
        with pytest.raises(DaglockError) as caught:
            daglock.DAGLock().fit(case)
        assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_full_disk_under_standard_output(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    rows = np.random.default_rng(0).normal(size=(30, 2))
    np.savetxt(tmp_path / "d.csv", rows, delimiter=",", header="a,b", comments="")
    learn = ["learn", "d.csv", "--out", "result", "--bootstrap", "0"]
    for command in (
        ["check", "d.csv"],
        ["check", "d.csv", "--json"],
        ["--help"],
        ["--version"],
        learn,
    ):
        with Path("/dev/full").open("w") as full:
            ended = subprocess.run(
                [sys.executable, "-m", "daglock", *command],
                cwd=tmp_path,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert ended.returncode == 4
        assert "Traceback" not in ended.stderr
        assert "standard output cannot be" in ended.stderr
    # the work was done all the same
    assert json.loads((tmp_path / "result" / "graph.json").read_text())["format"]
