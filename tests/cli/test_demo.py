"""The demonstration: what was found beside the truth, a report, the table of solvers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daglock.cli import main
from daglock.cli.solvers import entries
from daglock.confidence.words import SIGNS, share, verdict
from daglock.datasets import load_sachs
from daglock.moments import Moments
from daglock.table import read_file

SMALL = ["--nodes", "5", "--samples", "1000"]


def test_demo_shows_the_truth_beside_what_was_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", *SMALL]) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    graph = json.loads((tmp_path / "daglock-demo" / "graph.json").read_text(encoding="utf-8"))
    truth = load_sachs().truth_17
    for edge in graph["edges"]:
        line = next(x for x in lines if x.split()[::2][:2] == [edge["source"], edge["target"]])
        assert line.split()[1] == SIGNS[edge["claim"]]
        shares = [share(edge[part]) for part in ("link", "direction", "arrow")]
        assert line.split()[4:7] == shares
        i, j = (graph["nodes"].index(edge[end]) for end in ("source", "target"))
        agrees = truth[i, j] or (truth[j, i] and edge["claim"] == "open")
        expected = "yes" if agrees else "reversed" if truth[j, i] else "no"
        assert line.split()[-1] == expected
    claims, because = ([edge[part] for edge in graph["edges"]] for part in ("claim", "because"))
    assert verdict(claims, because) in lines
    assert "8 of the 17 published links are found." in printed
    known, found, empty, paper = (
        next(line.split()[-5:] for line in lines if line.strip().startswith(name))
        for name in ("the true graph", "daglock ", "the empty graph", "the paper's solver (SPG) ")
    )
    assert known == ["5", "5", "0", "0", "0"]
    said = "daglock claims 4 arrows as reliable, at nine in ten or more: 4 of them right"
    assert said in " ".join(printed.split())
    assert printed.index("1. Simulated data") < printed.index("2. Real data")
    assert found == known
    assert empty == paper == ["0", "0", "0", "0", "5"]
    folder = tmp_path / "daglock-demo"
    assert "Report of the second graph: daglock-demo/report.html" in lines
    assert "Sachs et al., 2005" in (folder / "report.html").read_text(encoding="utf-8")
    assert set(graph["nodes"]) == set(load_sachs().names)
    assert (read_file(folder / "sachs.csv").data == load_sachs().data).all()
    assert read_file(folder / "simulated.csv").data.shape == (1000, 5)
    assert len((folder / "simulated_truth.csv").read_text().splitlines()) == 6
    # its own folder is replaced, that of someone else is not
    (folder / "simulated.csv").write_text("old")
    assert main(["demo", *SMALL]) == 0
    assert (folder / "simulated.csv").read_text() != "old"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("text")
    assert main(["demo", *SMALL, "--out", "mine"]) == 4
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def test_demo_draws_the_graph_of_the_shipped_data(tmp_path: Path) -> None:
    picture = tmp_path / "sachs.png"
    assert main(["demo", *SMALL, "--out", str(tmp_path / "x"), "--picture", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_demo_without_matplotlib_says_so_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daglock.cli.commands.demo.find_spec", lambda name: None)
    out = tmp_path / "x"
    assert main(["demo", "--out", str(out), "--picture", str(tmp_path / "x.png")]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "daglock: Pictures need matplotlib: pip install 'daglock[plot]'\n"
    assert not out.exists()


def test_demo_prints_a_row_for_each_solver(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    arguments = ["demo", "--solvers", "--nodes", "4", "--samples", "50", "--time-limit", "0.1"]
    assert main([*arguments, "--out", str(tmp_path / "x")]) == 0
    printed = capsys.readouterr().out.replace(str(tmp_path), "")
    assert max(map(len, printed.splitlines())) <= 80
    head, _, body = printed.partition("method ")
    assert "4 nodes, 4 edges" in head
    moments = Moments.from_covariance([[1.0, 0.5], [0.5, 1.0]], n=10)
    for name in ["empty graph", "daglock", *(entry.name for entry in entries(moments))]:
        assert name in body
    assert "SHD" in body
