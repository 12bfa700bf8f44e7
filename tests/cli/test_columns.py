"""Kinds of columns on the command line: shown, written, edited, given back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import daglock
from daglock.cli.command import Exit
from tests.cli.conftest import Run


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
    assert "• sex is categorical (F, I, M) • grade is categorical (high, low, mid)" in text
    assert "• code is ordinal (4 different whole numbers from 1 to 4)" in text
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
    assert "grade is ordinal (low, mid, high)" in shown.out
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
    assert "nowhere.yaml cannot be read: No such file" in said(shown.err)
    Path("columns.yaml").write_text("sexx: binary\nx: contnuous\n")
    shown = run("learn", "mixed.csv", "--columns", "columns.yaml")
    assert shown.code == Exit.USAGE
    assert "did you mean 'sex'? And 'contnuous' is no kind of column: did you mean" in said(
        shown.err
    )


def test_many_kinds_are_counted(run: Run, folder: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 4, (80, 12)), columns=[f"q{j}" for j in range(12)])
    table.assign(q11=["a", "b"] * 40).to_csv("many.csv", index=False)
    text = said(run("check", "many.csv").out)
    assert "q7 is ordinal" in text
    assert "q8 is" not in text
    assert "4 more columns are not continuous (3 ordinal, 1 binary)" in text


def test_what_no_longer_varies_without_rows_is_said(run: Run, folder: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(50, 2)), columns=["a", "b"]).assign(c=0.0)
    table.loc[3, "c"] = 1.5
    table.loc[3, "a"] = np.nan
    table.to_csv("gap.csv", index=False)
    assert run("check", "gap.csv").code == Exit.DATA
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
