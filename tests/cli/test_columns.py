"""Kinds of columns on the command line: shown, written, edited, given back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import daglock
from daglock.cli.command import Exit
from tests.cli.conftest import Run
from tests.test_categories import counted_frame, mixed_frame


@pytest.fixture
def mixed(folder: Path) -> Path:
    """Return a table with an identifier, text, codes and numbers."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    table = pd.DataFrame(
        {
            "nr": range(1, 121),
            "x": x,
            "sex": ["M", "F", "I"] * 40,
            "grade": np.array(["low", "mid", "high"])[np.digitize(x, [-0.5, 0.5])],
            "code": rng.integers(1, 5, 120),
            "site": 4,
            "y": x + rng.normal(size=120),
        }
    )
    table.to_csv(folder / "mixed.csv", index=False)
    return folder / "mixed.csv"


def said(text: str) -> str:
    return " ".join(text.split())


def test_kinds_are_shown_before_anything_is_learned(run: Run, mixed: Path) -> None:
    shown = run("learn", "mixed.csv", "--bootstrap", "0")
    assert (shown.code, shown.err) == (0, "")
    text = said(shown.out)
    assert "mixed.csv: 120 rows, 5 columns" in text
    assert "Left out, as no variables: nr (counts the rows), site (does not vary)." in text
    assert "• sex (F, I, M), grade (high, low, mid) are categorical • code is ordinal" in text
    assert "code is ordinal (4 different whole numbers from 1 to 4)" in text
    model = daglock.load("mixed.daglock")
    assert model.kinds_["sex"] == "categorical"
    assert model.left_out_ == {"nr": "counts the rows", "site": "does not vary"}


def test_what_was_found_is_written_edited_and_given_back(run: Run, mixed: Path) -> None:
    shown = run("check", "mixed.csv", "--write", "columns.yaml")
    assert shown.code == Exit.DONE
    assert "What the columns are: columns.yaml" in said(shown.out)
    text = Path("columns.yaml").read_text()
    assert "sex: categorical" in text
    assert "site: constant" in text
    before = json.loads(run("check", "mixed.csv", "--json").out)
    after = json.loads(run("check", "mixed.csv", "--columns", "columns.yaml", "--json").out)
    assert before["kinds"] == after["kinds"]
    assert before["columns"] == after["columns"] == ["x", "sex", "grade", "code", "y"]
    assert set(before["left_out"]) == set(after["left_out"]) == {"nr", "site"}
    edited = text.replace("grade: categorical", "grade: [low, mid, high]")
    Path("columns.yaml").write_text(edited.replace("sex: categorical", "sex: ignore"))
    shown = run("learn", "mixed.csv", "--columns", "columns.yaml", "--bootstrap", "0")
    assert (shown.code, shown.err) == (0, "")
    assert "grade (low, mid, high), code are ordinal" in shown.out
    assert daglock.load("mixed.daglock").names_ == ("x", "grade", "code", "y")


def test_names_and_a_file_can_be_given_together(run: Run, mixed: Path) -> None:
    Path("kinds.json").write_text('{"code": "categorical"}')
    shown = run("check", "mixed.csv", "--columns", "x,y,code", "--columns", "kinds.json", "--json")
    kinds = json.loads(shown.out)["kinds"]
    assert kinds == {"x": "continuous", "code": "categorical", "y": "continuous"}


def test_a_file_is_not_replaced_unasked(run: Run, mixed: Path) -> None:
    Path("columns.yaml").write_text("mine")
    shown = run("check", "mixed.csv", "--write", "columns.yaml")
    assert shown.code == Exit.OUTPUT
    assert "'columns.yaml' exists: replace it with --force" in said(shown.err)
    assert Path("columns.yaml").read_text() == "mine"
    assert run("check", "mixed.csv", "--write", "columns.yaml", "--force").code == Exit.DONE
    assert "sex: categorical" in Path("columns.yaml").read_text()
    assert run("check", "mixed.csv", "--write", "columns.txt").code == Exit.OUTPUT
    assert run("check", "mixed.csv", "--write", "no/columns.yaml").code == Exit.OUTPUT


def test_wrong_files_of_kinds(run: Run, mixed: Path) -> None:
    shown = run("check", "mixed.csv", "--columns", "nowhere.yaml")
    assert shown.code == Exit.USAGE
    assert "Kinds of columns cannot be read from nowhere.yaml: No such file" in said(shown.err)
    Path("columns.yaml").write_text("sexx: binary\nx: contnuous\n")
    shown = run("learn", "mixed.csv", "--columns", "columns.yaml")
    assert shown.code == Exit.USAGE
    assert "did you mean 'sex'? And 'contnuous' is no kind of column: did you mean" in said(
        shown.err
    )


def test_columns_of_one_kind_are_told_in_one_line(run: Run, folder: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 4, (80, 12)), columns=[f"q{j}" for j in range(12)])
    table.assign(q11=["a", "b"] * 40).to_csv("many.csv", index=False)
    text = said(run("check", "many.csv").out)
    assert "• q0, q1, q2, q3 and 7 more are ordinal • q11 is binary (a, b)" in text


def test_what_no_longer_varies_without_rows_is_said(run: Run, folder: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(50, 2)), columns=["a", "b"]).assign(c=0.0)
    table.loc[3, "c"] = 1.5
    table.loc[3, "a"] = np.nan
    table.to_csv("gap.csv", index=False)
    assert run("check", "gap.csv").code == Exit.DONE  # gaps are modelled
    shown = run("learn", "gap.csv", "--missing", "drop", "--bootstrap", "0")
    assert shown.code == 0
    assert "Left out, for they do not vary any more: c." in said(shown.out)


def test_too_few_columns_are_left(run: Run, folder: Path) -> None:
    Path("few.csv").write_text("nr,a\n" + "".join(f"{j},{j * j}\n" for j in range(30)))
    shown = run("check", "few.csv")
    assert shown.code == Exit.DATA
    assert "! Too few columns At least two columns are needed" in said(shown.out)
    shown = run("learn", "few.csv")
    assert shown.code == Exit.DATA
    assert "only 'a' is left without 'nr' (counts the rows)" in said(shown.err)


def test_strengths_are_explained_where_there_are_categories(run: Run, folder: Path) -> None:
    mixed_frame(400).to_csv("mixed.csv", index=False)
    shown = run("learn", "mixed.csv", "--bootstrap", "4")
    text = said(shown.out)
    assert "cause effect weight in sd link direction" in text
    how = "how strongly the two depend on each other given the other causes, 0 to 1"
    assert f"where one end is a category, both: {how}" in text
    (clinic,) = re.findall(r"(?m)^  clinic\W+response +(.*)$", shown.out)
    (dose,) = re.findall(r"(?m)^  dose\W+response +(.*)$", shown.out)
    assert re.match(r"0\.\d\d +0\.\d\d ", clinic)
    assert re.match(r"\+0\.\d+ +\+0\.\d\d ", dose)
    assert "one yes/no column for each level but the first." in text
    assert "(blocks of columns)" in text
    assert "KKT" not in text
    content = json.loads(Path("mixed.daglock", "graph.json").read_text())
    assert content["kinds"]["clinic"] == "categorical"
    assert content["levels"]["clinic"] == ["A", "B", "C", "D"]
    assert content["noise"]["variances"]["clinic"] is None
    assert content["noise"]["variances"]["dose"] > 0
    strong = {tuple(sorted((e["source"], e["target"]))) for e in content["edges"] if e["strength"]}
    assert strong == {("clinic", "response"), ("dose", "group")}
    assert 'rx="1"' in Path("mixed.daglock", "graph.svg").read_text()


def test_a_table_of_categories_has_one_column_of_strengths(run: Run, folder: Path) -> None:
    counted_frame(800).to_csv("counted.csv", index=False)
    shown = run("learn", "counted.csv", "--bootstrap", "0")
    text = said(shown.out)
    assert "cause effect strength" in text
    assert "weight:" not in text
    assert "strength: how strongly" in text
    assert "The model has categories only, rows counted for each combination of levels." in text
    assert set(
        json.loads(Path("counted.daglock", "graph.json").read_text())["noise"]["variances"].values()
    ) == {None}
    assert run("convert", "counted.daglock", "--to", "lingam").code == Exit.USAGE


def test_rows_that_depend_on_each_other_are_told_with_a_way_out(run: Run, folder: Path) -> None:
    walk = np.cumsum(np.random.default_rng(0).normal(size=(200, 3)), axis=0)
    pd.DataFrame(walk, columns=list("abc")).to_csv("walk.csv", index=False)
    text = said(run("learn", "walk.csv", "--bootstrap", "0").out)
    assert "! Rows may not be independent: in 3 of 3 columns a row resembles the next: draw" in text
    assert "draw rows together (--groups COLUMN, --blocks ROWS)" in text
