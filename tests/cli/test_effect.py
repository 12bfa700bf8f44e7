"""effect: what a result says of one column's effect on another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import daglock
from daglock.cli.command import Exit
from daglock.table import read_file
from tests.cli.conftest import Run


@pytest.fixture
def pair(result: Path) -> tuple[str, str]:
    """Return the two ends of an edge."""
    source, target, *_ = daglock.load(result).named_edges()[0]
    return source, target


def test_in_words(run: Run, result: Path, pair: tuple[str, str]) -> None:
    shown = run("effect", str(result), *pair)
    assert shown.code == 0
    expected = str(daglock.load(result).effect(*pair))
    assert " ".join(shown.out.split()) == expected
    assert all(len(line) <= 80 for line in shown.out.splitlines())
    assert f"Raising {pair[0]} by 1 " in shown.out


def test_as_json(run: Run, result: Path, pair: tuple[str, str]) -> None:
    shown = run("effect", str(result), *pair, "--json", "--level", "0.5")
    assert (shown.code, shown.err) == (0, "")
    record = json.loads(shown.out)
    expected = daglock.load(result).effect(*pair, level=0.5)
    assert record == json.loads(json.dumps(expected.to_dict()))
    assert (record["cause"], record["effect"], record["level"]) == (*pair, 0.5)
    assert record["low"] <= record["value"] <= record["high"]


def test_with_the_rows(run: Run, result: Path, pair: tuple[str, str]) -> None:
    shown = run("effect", str(result), *pair, "--data", "data.csv", "--json")
    record = json.loads(shown.out)
    assert record["drawn_from"] == "rows"
    expected = daglock.load(result).effect(*pair, X=read_file("data.csv"))
    assert record["low"] == expected.low
    assert run("effect", str(result), *pair, "--json") == shown  # replicates were kept
    assert run("learn", "data.csv", "--bootstrap", "0", "--out", "none", "--quiet").code == 0
    drawn = "The interval is drawn from the fitted model"
    words = [run("effect", "none", *pair, *more).out for more in ((), ("--data", "data.csv"))]
    assert [drawn in " ".join(said.split()) for said in words] == [True, False]
    other = Path("other.csv")
    other.write_text("a,b,c,d,e\n" + "\n".join(f"{k},{k * k},{-k},{k % 3},1.5" for k in range(9)))
    shown = run("effect", str(result), *pair, "--data", "other.csv")
    assert shown.code == Exit.DATA


def test_a_saved_model(run: Run, result: Path, pair: tuple[str, str]) -> None:
    daglock.load(result).save("m.json")
    assert run("effect", "m.json", *pair) == run("effect", str(result), *pair)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("a", "z"), "There is no variable 'z'; the variables are a, b, c, d, e."),
        (("a", "a"), "'a' is both cause and effect: name two different columns."),
    ],
)
def test_wrong_columns(run: Run, result: Path, names: tuple[str, str], message: str) -> None:
    assert run("effect", str(result), *names) == (Exit.USAGE, "", f"daglock: {message}\n")


def test_with_gaps_rows_are_drawn_as_ever(run: Run) -> None:
    head, first, *lines = Path("data.csv").read_text().splitlines()
    gap = f",{first.partition(',')[2]}"
    Path("gaps.csv").write_text("\n".join([head, gap, *lines]))
    learn = run("learn", "gaps.csv", "--missing", "model", "--bootstrap", "5", "--quiet")
    assert learn.code == 0
    model = daglock.load("gaps.daglock")
    source, target, *_ = model.named_edges()[0]
    said = [
        json.loads(run("effect", "gaps.daglock", source, target, "--json", *more).out)
        for more in ((), ("--data", "gaps.csv"))
    ]
    assert said[0] == said[1]
    assert said[0]["drawn_from"] == "rows"


def test_a_column_that_was_left_out(run: Run) -> None:
    head, *lines = Path("data.csv").read_text().splitlines()
    lines = [f"{head},id", *(f"{line},{k}" for k, line in enumerate(lines))]
    Path("more.csv").write_text("\n".join(lines))
    assert run("learn", "more.csv", "--bootstrap", "0", "--quiet").code == 0
    error = run("effect", "more.daglock", "id", "b").err
    assert "There is no variable 'id', for that column was left out (counts the rows); " in error


def test_wrong_use(run: Run) -> None:
    for level in ("0", "1", "90%"):
        shown = run("effect", "x", "a", "b", "--level", level)
        assert shown.code == Exit.USAGE
        assert f"--level: must be a number between 0 and 1; got '{level}'" in shown.err
    assert run("effect", "nowhere", "a", "b").code == Exit.DATA
