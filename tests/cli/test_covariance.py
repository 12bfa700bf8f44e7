"""A covariance on the command line: learned from as moments are, and said so."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import daglock
from daglock import DAGLock, Moments
from daglock.cli.command import Exit
from daglock.table import read_file
from tests.cli.conftest import Run

NOTE = (
    "There are no rows: replicates are drawn from the Gaussian distribution with this covariance."
)


def moments() -> Moments:
    table = read_file("data.csv")
    return Moments.from_data(table.data, names=table.names)


def triangle(known: Moments) -> str:
    rows = [" ".join(repr(float(known.cov[i, j])) for j in range(i + 1)) for i in range(known.d)]
    return "\n".join([str(known.n), " ".join(known.labels), *rows]) + "\n"


def square(known: Moments) -> str:
    rows = (",".join(map(repr, row)) for row in known.cov.tolist())
    return "\n".join([",".join(known.labels), *rows]) + "\n"


def test_it_is_learned_from_as_moments_are(run: Run) -> None:
    known = moments()
    Path("my.cov").write_text(triangle(known))
    Path("square.csv").write_text(square(known))
    shown = run("learn", "my.cov", "--bootstrap", "4")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("my.cov: the covariance of 5 columns from 500 rows\n• There are no")
    assert NOTE in " ".join(shown.out.split())
    content = json.loads(Path("my.daglock", "graph.json").read_text("utf-8"))
    model = DAGLock(random_state=0).fit_moments(known)
    found = {(e["source"], e["target"]): e["weight"] for e in content["edges"]}
    assert found == pytest.approx({(e.source, e.target): e.weight for e in model.named_edges()})
    assert content["bootstrap"] == {
        "replicates": 4,
        "usual": 100,
        "stopped": "",
        "drawn_from": "moments",
    }
    assert content["data"]["rows"] == 500
    assert content["data"]["notes"] == [NOTE]
    assert daglock.load("my.daglock").certificate_.is_dag
    again = run(
        "learn", "square.csv", "--covariance", "--rows", "500", "--bootstrap", "0", "--json"
    )
    assert json.loads(again.out)["data"]["notes"] == []
    weights = {(e["source"], e["target"]): e["weight"] for e in json.loads(again.out)["edges"]}
    assert weights == pytest.approx(found)


def test_options_hold(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("my.cov").write_text(triangle(moments()))
    options = ["--json", "--bootstrap", "0", "--drop", "b", "--tiers", "e < *"]
    content = json.loads(run("learn", "my.cov", *options).out)
    assert content["nodes"] == ["a", "c", "d", "e"]
    assert all(edge["target"] != "e" for edge in content["edges"])
    raw = io.TextIOWrapper(io.BytesIO(square(moments()).encode()))
    monkeypatch.setattr(sys, "stdin", raw)
    shown = run("learn", "-", "--covariance", "--rows", "500", "--json", "--bootstrap", "0")
    assert json.loads(shown.out)["nodes"] == list("abcde")


def test_a_packed_one_is_found(run: Run) -> None:
    Path("my.txt.gz").write_bytes(gzip.compress(triangle(moments()).encode()))
    shown = run("learn", "my.txt.gz", "--json", "--bootstrap", "0")
    assert json.loads(shown.out)["data"]["rows"] == 500


def test_wrong_inputs(run: Run) -> None:
    known = moments()
    Path("square.csv").write_text(square(known))
    cov = known.cov.copy()
    cov[0, 1] = cov[1, 0] = 10 * np.sqrt(cov[0, 0] * cov[1, 1])
    Path("no.cov").write_text(triangle(Moments(cov, 500, known.means, known.names)))
    for arguments, code, message in (
        (["square.csv", "--covariance"], Exit.USAGE, "does not say how many rows"),
        (["square.csv", "--rows", "500"], Exit.USAGE, "--rows is for a covariance"),
        (["square.csv", "--covariance", "--rows", "1"], Exit.USAGE, "a whole number >= 2"),
        (["data.csv", "--covariance", "--rows", "9"], Exit.DATA, "500 rows and 5 columns: a cov"),
        (["no.cov"], Exit.DATA, "is not a covariance matrix: it has a negative eigenvalue"),
        (["gone.cov"], Exit.DATA, "There is no file 'gone.cov'"),
    ):
        shown = run("learn", *arguments)
        assert shown.code == code, shown.err
        assert message in shown.err
        assert shown.out == ""
    assert not list(Path().glob("*.daglock"))
    Path("my.cov").write_text(triangle(known))
    shown = run("check", "my.cov")
    assert shown.code == Exit.DATA
    assert "holds a covariance, not rows" in shown.err
