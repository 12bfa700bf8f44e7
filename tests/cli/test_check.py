"""check: what a table can tell, and what learn would refuse."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from daglock import Moments
from daglock.cli.command import Exit
from daglock.diagnostics.table import diagnose_table
from daglock.table import read_file
from tests.cli.conftest import Run


def test_the_findings_are_those_of_the_library(run: Run, folder: Path) -> None:
    shown = run("check", "data.csv")
    assert shown.code == 0
    assert shown.err == ""
    text = " ".join(shown.out.split())
    table = read_file("data.csv")
    for finding in diagnose_table(Moments.from_data(table.data, names=table.names)).sentences():
        assert f"{finding.title} {finding.text}" in text
    assert max(map(len, shown.out.splitlines())) <= 80
    assert [file.name for file in folder.iterdir()] == ["data.csv"]


def test_json(run: Run) -> None:
    shown = run("check", "data.csv", "--json")
    assert (shown.code, shown.err) == (0, "")
    content = json.loads(shown.out)
    assert content["usable"] is True
    assert content["columns"] == list("abcde")
    assert content["rows"] == 500
    assert content["table"]["n"] == 500
    assert {finding["level"] for finding in content["findings"]} <= {"good", "note", "warning"}


def test_what_learn_would_refuse_is_named_all_at_once(run: Run) -> None:
    Path("bad.csv").write_text("id,a,b,c,d\n1,2,5,1,\n2,3,5,4,1\n3,1,5,9,7\n4,5,5,2,1\n5,6,5,6,2\n")
    shown = run("check", "bad.csv")
    assert shown.code == Exit.DATA
    text = " ".join(shown.out.split())
    assert "! Missing values 1 of 5 rows have one, the first in line 2, column 'd'" in text
    assert "d (20.0%)" in text
    assert "it uses the other 4 rows" in text
    assert "Left out, as no variables: b (does not vary)" in text
    assert "! 4 rows, 4 columns" in text
    content = json.loads(run("check", "bad.csv", "--json").out)
    assert content["usable"] is False
    assert content["columns"] == ["id", "a", "c", "d"]
    assert content["left_out"] == {"b": "does not vary"}
    # and learn does
    assert run("learn", "bad.csv").code == Exit.DATA
    assert run("learn", "bad.csv", "--missing", "drop", "--drop", "id").code == 0


def test_nothing_is_left(run: Run) -> None:
    Path("bad.csv").write_text("a,b\n1,\n,2\n3,\n,4\n")
    shown = run("check", "bad.csv")
    assert shown.code == Exit.DATA
    assert "it uses the other 0 rows" in " ".join(shown.out.split())


def test_columns_that_others_determine_are_named(run: Run) -> None:
    rng = np.random.default_rng(0)
    parts = rng.normal(100.0, 20.0, (200, 2))
    table = np.column_stack([parts, parts.sum(axis=1), rng.normal(size=200)]).round(1)
    np.savetxt("sums.csv", table, delimiter=",", header="rent,food,total,mood", comments="")
    shown = run("check", "sums.csv")
    assert shown.code == Exit.DONE
    text = " ".join(shown.out.split())
    assert "! Columns that repeat others total is determined up to rounding by rent, food." in text
    assert "learn sets total aside, a node without edges" in text
    content = json.loads(run("check", "sums.csv", "--json").out)
    assert content["table"]["aside"] == ["total"]
    assert content["table"]["determined"] == ["rent", "food", "total"]
    assert run("learn", "sums.csv", "--determined", "keep").code == Exit.DONE
    assert run("learn", "sums.csv", "--determined", "no").code == Exit.USAGE
