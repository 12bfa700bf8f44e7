"""What is known, on the command line: a file to fill in, tiers in a line, Tetrad's files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daglock
from daglock import DAGLock
from daglock.cli.command import Exit
from daglock.errors import DataWarning
from daglock.knowledge import Knowledge
from tests.cli.conftest import Run


def learn(run: Run, *options: str, code: int = 0) -> dict[str, Any]:
    shown = run("learn", "data.csv", "--json", "--bootstrap", "0", *options)
    assert shown.code == code, shown.err
    content: dict[str, Any] = json.loads(shown.out)
    return content


def causes(content: dict[str, Any], column: str) -> set[str]:
    return {edge["source"] for edge in content["edges"] if edge["target"] == column}


def test_a_file_to_fill_in(run: Run) -> None:
    assert run("knowledge", "data.csv", "--out", "known.yaml") == (0, "", "")
    text = Path("known.yaml").read_text()
    assert "#   a, b, c, d, e\n" in text
    assert Knowledge.from_file("known.yaml") == Knowledge()
    assert learn(run, "--knowledge", "known.yaml")["edges"] == learn(run)["edges"]
    again = run("knowledge", "data.csv", "--out", "known.yaml")
    assert again.code == Exit.OUTPUT
    assert "'known.yaml' exists already: replace it with --force" in again.err
    assert run("knowledge", "data.csv", "--out", "known.yaml", "--force").code == 0
    Path("known.yaml").write_text(text.replace("#roots:\n#  - a\n", "roots:\n  - a\n"))
    assert not causes(learn(run, "--knowledge", "known.yaml"), "a")
    assert run("knowledge", "data.csv") == (0, text, "")


def test_a_file_to_fill_in_for_what_is_no_table(run: Run) -> None:
    assert run("knowledge", "none.csv").code == Exit.DATA
    assert run("knowledge", ".").code == Exit.DATA
    Path("empty.csv").write_text("")
    shown = run("knowledge", "empty.csv", "--out", "known.yaml")
    assert shown.code == Exit.DATA
    assert not Path("known.yaml").exists()


def test_tiers_in_a_line(run: Run) -> None:
    for first in "abcde":
        content = learn(run, "--tiers", f"{first} < *")
        assert not causes(content, first)
        assert content["settings"]["knowledge"]["tiers"] == [f"{first} < *"]
    expected = DAGLock(knowledge={"tiers": "e,d < c < a"}, random_state=0)
    expected.fit(daglock.table.read_file("data.csv"))
    found = learn(run, "--tiers", "e,d < c < a")
    assert {(edge["source"], edge["target"]) for edge in found["edges"]} == {
        (edge.source, edge.target) for edge in expected.named_edges()
    }


def test_directions_that_were_told_are_not_passed_off_as_learned(run: Run) -> None:
    """Terminal, report and summary count them alike, those that follow too."""
    shown = run("learn", "data.csv", "--tiers", "a < b < c < d < e", "--out", "out")
    model = daglock.load("out")
    edges = model.claimed_edges()
    sure = [edge for edge in edges if edge.claim == "directed"]
    assert {edge.identified_by for edge in sure} == {edge.because for edge in sure} == {"knowledge"}
    said = f"{len(edges)} links: {len(sure)} arrows that you told"
    assert len(sure) > 1
    assert said in " ".join(shown.out.split())
    assert said in " ".join(model.summary().split())
    assert said in model._repr_html_()
    assert said in Path("out", "report.html").read_text()
    assert "arrows that you told" not in run("learn", "data.csv", "--out", "plain").out


def test_tiers_and_a_file_hold_together(run: Run) -> None:
    Path("known.yaml").write_text("tiers: [[a], [b]]\nleaves: [d]\n")
    content = learn(run, "--knowledge", "known.yaml", "--tiers", "e < *", "--tiers", "c < b")
    assert content["settings"]["knowledge"]["tiers"] == [["a"], ["b"], "e < *", "c < b"]
    assert not causes(content, "e")
    assert all("d" not in causes(content, column) for column in "abce")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tiers", "b < a"], "The tiers contradict each other: "),
        (
            ["--tiers", "c < a", "--tiers", "a < c"],
            "contradict each other: a before c, c before a|c b",
        ),
        (["--tiers", "e < d"], "d -> e is required, but the tiers forbid it: drop one of them."),
        (["--tiers", "A < *"], "tiers names 'A', which is not a column: did you mean 'a'?"),
        (["--tiers", "x_* < *"], "tiers names 'x_*', which fits no column"),
        (["--tiers", "a"], "The tiers 'a' are only one: write them from early to late"),
        (["--tiers", "a < a"], "'a' is in two tiers, or twice in one."),
        (["--knowledge", "none.yaml"], "Knowledge cannot be read from none.yaml"),
        (["--knowledge", "."], "Is a directory"),
    ],
)
def test_what_contradicts_is_said_in_a_sentence(run: Run, options: list[str], message: str) -> None:
    Path("known.yaml").write_text("tiers: [[a], [b]]\nrequired: ['d -> e']\n")
    given = [] if "--knowledge" in options else ["--knowledge", "known.yaml"]
    shown = run("learn", "data.csv", *given, *options)
    assert shown.code == Exit.USAGE
    assert any(part in shown.err for part in message.split("|"))
    assert shown.err.count("\n") == 1
    assert not Path("data.daglock").exists()


def test_knowledge_of_tetrad(run: Run) -> None:
    Path("t.txt").write_text(
        "/knowledge\naddtemporal\n1* e d\n2 a c Bee C\n\nforbiddirect\nf a\n\nrequiredirect\ne b\n"
    )
    content = learn(run, "--knowledge", "t.txt")
    assert not {"a", "c", "d", "e"} & (causes(content, "e") | causes(content, "d"))
    assert "e" in causes(content, "b")
    assert content["data"]["notes"] == [
        "What t.txt says about 'Bee', 'C' (the table has 'c'), 'f' was passed over: the table has "
        "no such columns."
    ]
    Path("t.txt").write_text("/knowledge\naddtemporal\n1 x y\n2 z\n")
    shown = run("learn", "data.csv", "--knowledge", "t.txt")
    assert shown.code == Exit.USAGE
    assert "t.txt is about other columns than the table has: it names 'x', 'y', 'z'" in shown.err


def test_columns_that_are_left_out_are_passed_over(run: Run) -> None:
    Path("known.yaml").write_text("tiers: [[a, b], [c]]\nrequired: ['a -> c']\n")
    shown = run("learn", "data.csv", "--drop", "a", "--knowledge", "known.yaml")
    assert shown.code == 0
    assert "• What is known about 'a' was passed over: left out of the graph." in shown.out


def test_knowledge_of_columns_that_are_no_variables(folder: Path) -> None:
    table = replace(daglock.table.read_file("data.csv", drop=["a"]), left_out={"a": "row counter"})
    with pytest.warns(DataWarning, match="row counter"):
        model = DAGLock(knowledge={"tiers": "a, b < c", "roots": ["a"]}).fit(table)
    assert model.knowledge_ == Knowledge(tiers="b < c")


def test_an_arrow_into_age_is_questioned(run: Run) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 400))
    rows = np.column_stack([x, y, x + y + rng.normal(size=400)]).tolist()
    lines = ["x,y,Age", *(",".join(map(repr, row)) for row in rows)]
    Path("data.csv").write_text("\n".join(lines))
    shown = run("learn", "data.csv", "--bootstrap", "3", "--no-names")
    text = " ".join(shown.out.split())
    question = (
        "into Age (from x, y). If nothing in the table can cause it, say so: --tiers 'Age < *'"
    )
    assert f"! In the graph that fits best arrows point {question}" in text
    assert "arrows point into Age (from x, y)" in Path("data.daglock", "report.html").read_text(
        "utf-8"
    )
    content = json.loads(Path("data.daglock", "graph.json").read_text("utf-8"))
    (asked,) = (found for found in content["findings"] if "Age" in found["title"])
    assert asked["level"] == "warning"
    assert question in asked["text"]
    for more in (("--tiers", "Age < *"), ()):
        told = run("learn", "data.csv", "--bootstrap", "3", *more, "--force")
        said = " ".join(told.out.split())
        assert "If nothing in the table can cause it" not in said
        assert ("Assumed from its name: nothing in the table causes Age" in said) == (not more)
    content = json.loads(Path("data.daglock", "graph.json").read_text("utf-8"))
    assert content["assumed"] == {"Age": "age"}
    # a report that is made anew asks as the first did
    assert run("learn", "data.csv", "--bootstrap", "3", "--no-names", "--force").code == 0
    page = Path("data.daglock", "report.html").read_text("utf-8")
    assert run("report", "data.daglock").code == 0
    assert Path("data.daglock", "report.html").read_text("utf-8") == page


def test_a_model_outlives_the_file_of_its_knowledge(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=300)
    rows = np.column_stack([a, a + rng.normal(size=300)])
    (tmp_path / "known.yaml").write_text("tiers: x1 < x0")
    model = DAGLock(knowledge=tmp_path / "known.yaml").fit(rows)
    assert model.knowledge_ == Knowledge(tiers="x1 < x0")
    (tmp_path / "known.yaml").unlink()
    model.save(tmp_path / "model.json")
    loaded = daglock.load(tmp_path / "model.json")
    assert loaded.knowledge == Knowledge(tiers="x1 < x0") == loaded.knowledge_
    for fitted in (model, loaded):
        assert fitted.bootstrap(3, X=rows, rng=0).forward.tolist() in ([0.0], [])
    with pytest.raises(daglock.errors.InvalidParameterError, match="cannot be read"):
        model.fit(rows)
    assert model.learned_ is not None
