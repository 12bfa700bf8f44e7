"""report: the page of a result, again or in another place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import daglock
from daglock.cli.command import Exit
from daglock.cli.learned import read_bootstrap
from daglock.report.html import render_report
from daglock.table import read_file
from tests.cli.conftest import Run


def test_the_report_is_made_anew(run: Run, result: Path) -> None:
    page = (result / "report.html").read_bytes()
    (result / "report.html").unlink()
    assert run("report", str(result)) == (0, "The report is in data.daglock/report.html\n", "")
    assert (result / "report.html").read_bytes() == page
    (result / "report.html").write_text("old")
    assert run("report", str(result)).code == 0
    assert (result / "report.html").read_bytes() == page


def test_the_bootstrap_comes_back(run: Run) -> None:
    assert run("learn", "data.csv", "--noise", "unequal", "--bootstrap", "5").code == 0
    page = Path("data.daglock", "report.html").read_bytes()
    assert run("report", "data.daglock", "--out", "x.html").code == 0
    assert Path("x.html").read_bytes() == page
    assert b"bootstrap" in page
    model = daglock.load("data.daglock")
    back = read_bootstrap(Path("data.daglock"), model)
    once = model.bootstrap(5, X=read_file("data.csv").data, rng=0, progress=False)
    assert back is not None
    assert (back.n, back.names, back.drawn_from) == (once.n, once.names, once.drawn_from)
    for part in ("first", "second", "forward", "backward", "adjacent", "order"):
        np.testing.assert_array_equal(getattr(back, part), getattr(once, part))
    table = Path("data.daglock", "bootstrap.csv")
    table.write_text(table.read_text().replace('"a"', '"z"'))
    shown = run("report", "data.daglock")
    assert shown.code == Exit.DATA
    assert "The bootstrap in 'data.daglock' does not belong to its graph" in shown.err


def test_a_saved_model(run: Run, result: Path) -> None:
    model = daglock.load(result)
    model.save("m.json")
    assert run("report", "m.json", "--title", "A & B") == (0, "The report is in m.html\n", "")
    assert Path("m.html").read_text("utf-8") == render_report(model, title="A & B")
    assert run("report", "m.json").code == Exit.OUTPUT
    assert run("report", "m.json", "--force").code == 0
    assert run("report", "m.json", "--out", "m.html").code == Exit.OUTPUT


def test_open(run: Run, result: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert run("report", str(result), "--open").code == 0
    assert opened == [(Path.cwd() / result / "report.html").as_uri()]


def test_what_is_no_result(run: Run) -> None:
    assert run("report", "nowhere").code == Exit.DATA
    assert run("report", "data.csv").code == Exit.DATA
    assert not Path("data.html").exists()
