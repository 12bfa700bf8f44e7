"""--regime, --targets, --interventions: what learn and check do with conditions in a table."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from daglock import load
from tests.cli.conftest import Run

TARGETS = "drug: [b]\nheat: c\n"
LEARN = ("learn", "cells.csv", "--regime", "condition", "--bootstrap", "10")


@pytest.fixture(autouse=True)
def cells(folder: Path) -> None:
    """A table of a chain a -> b -> c -> d with experiments on b and on c, and what they target."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["control", "drug", "heat"], 200)
    a, b, c, d = rng.normal(size=(4, 600))
    b = np.where(labels == "drug", 3.0 + b, b + 0.9 * a)
    c = np.where(labels == "heat", c - 4.0, c + 0.9 * b)
    d += 0.9 * c
    rows = zip(a.tolist(), b.tolist(), c.tolist(), d.tolist(), labels.tolist(), strict=True)
    lines = ["a,b,c,d,condition", *(",".join(map(str, row)) for row in rows)]
    (folder / "cells.csv").write_text("\n".join(lines) + "\n")
    (folder / "targets.yaml").write_text(TARGETS)


def test_experiments_orient_a_chain(run: Run) -> None:
    result = run(*LEARN, "--targets", "targets.yaml")
    assert result.code == 0, result.err
    told = " ".join(result.out.split())
    assert "3 regimes, each with means of its own: control (200 rows), drug (200 rows)" in told
    assert "Targets: b in drug; c in heat." in told
    assert "The targets orient 3 edges that the equivalence class alone leaves open" in told
    assert "because regimes act on some columns" in told
    assert "condition" not in told.replace("conditional", "")
    document = json.loads(Path("cells.daglock/graph.json").read_text())
    assert document["nodes"] == ["a", "b", "c", "d"]
    assert document["noise"]["model"] == "regimes"
    assert {(e["source"], e["target"], e["identified_by"]) for e in document["edges"]} == {
        (*pair, "regimes") for pair in ("ab", "bc", "cd")
    }
    about = document["regimes"]
    assert (about["labels"], about["rows"]) == (["control", "drug", "heat"], [200] * 3)
    assert about["targets"] == {"control": [], "drug": ["b"], "heat": ["c"]}
    assert sorted(about["oriented"]) == [["a", "b"], ["b", "c"], ["c", "d"]]
    assert about["shifted"] == ["b", "c", "d"]
    assert about["interventions"] == "perfect"
    summary = load("cells.daglock").regimes_
    assert summary is not None
    assert {**summary.to_dict(), "changes": []} == about


def test_without_targets_shifts_make_no_edges_and_orient_nothing(run: Run) -> None:
    result = run(*LEARN)
    assert "orient nothing by themselves" in " ".join(result.out.split())
    document = json.loads(Path("cells.daglock/graph.json").read_text())
    assert document["regimes"]["targets"] is None
    assert document["regimes"]["oriented"] == []
    assert {frozenset(e["source"] + e["target"]) for e in document["edges"]} == {
        frozenset(pair) for pair in ("ab", "bc", "cd")
    }


def test_a_file_of_kinds_says_the_same(run: Run, folder: Path) -> None:
    (folder / "columns.yaml").write_text("condition: regime\n")
    options = ("--targets", "targets.yaml", "--bootstrap", "0", "--json")
    told = json.loads(run("learn", "cells.csv", "--regime", "condition", *options).out)
    given = json.loads(run("learn", "cells.csv", "--columns", "columns.yaml", *options).out)
    assert given["regimes"] == told["regimes"]
    assert given["edges"] == told["edges"]


def test_columns_to_use_need_not_name_it(run: Run) -> None:
    result = run(*LEARN, "--columns", "a,b,c", "--json")
    document = json.loads(result.out)
    assert document["nodes"] == ["a", "b", "c"]
    assert document["regimes"]["labels"] == ["control", "drug", "heat"]


def test_imperfect_interventions(run: Run) -> None:
    result = run(*LEARN, "--targets", "targets.yaml", "--interventions", "imperfect", "--json")
    document = json.loads(result.out)
    assert document["regimes"]["interventions"] == "imperfect"
    assert document["settings"]["interventions"] == "imperfect"


def test_targets_that_nobody_knows(run: Run) -> None:
    result = run(*LEARN, "--targets", "find")
    assert result.code == 0, result.err
    told = " ".join(result.out.split())
    assert "Columns that were found to follow their causes in another way: b in drug" in told
    assert "(a target already" not in told
    about = json.loads(Path("cells.daglock/graph.json").read_text())["regimes"]
    assert about["found"]
    assert about["targets"] == {"control": [], "drug": ["b"], "heat": ["c"]}
    changed = {(one["column"], one["regime"]) for one in about["changes"]}
    assert changed == {("b", "drug"), ("c", "heat")}
    assert all(set(one) == {"column", "regime", "what", "gain"} for one in about["changes"])
    assert run("report", "cells.daglock").code == 0
    assert run("effect", "cells.daglock", "a", "d").code == 0


@pytest.mark.parametrize(
    ("options", "said", "code"),
    [
        (["--regime", "conditions"], "There is no column 'conditions' of regimes: did you mean", 2),
        (["--targets", "targets.yaml"], "targets need regimes: name the column that holds them", 2),
        (["--regime", "condition", "--drop", "condition"], "--regime and --drop both name", 2),
        (["--regime", "condition", "--index", "condition"], "--regime and --index both name", 2),
        (["--regime", "condition", "--targets", "no.yaml"], "Targets cannot be read from no.y", 2),
        (["--regime", "condition", "--targets", "wrong.yaml"], "In wrong.yaml: ", 2),
        (["--regime", "condition", "--targets", "all.yaml"], "'a' is a target in every regime", 3),
        (["--regime", "condition", "--columns", "kinds.yaml"], "it cannot be a variable, too", 2),
        (["--regime", "a"], "There are 600 regimes in 600 rows", 3),
    ],
)
def test_one_sentence_about_what_is_wrong(
    run: Run, folder: Path, options: list[str], said: str, code: int
) -> None:
    (folder / "wrong.yaml").write_text("drag: [b]\nheat: [e]\n")
    (folder / "all.yaml").write_text("control: a\ndrug: a\nheat: a\n")
    (folder / "kinds.yaml").write_text("condition: categorical\n")
    result = run("learn", "cells.csv", "--bootstrap", "0", *options)
    assert result.code == code
    assert said in result.err
    assert len(result.err.splitlines()) == 1
    assert not Path("cells.daglock").exists()
    if "wrong.yaml" in options:  # all of it at once
        assert "'drag' has no rows (did you mean 'drug'?)" in result.err
        assert "'e', a target of 'heat', is no variable" in result.err


def test_rows_without_a_regime(run: Run, folder: Path) -> None:
    text = (folder / "cells.csv").read_text().splitlines()
    text[3] = text[3].removesuffix("control")
    (folder / "cells.csv").write_text("\n".join(text) + "\n")
    result = run(*LEARN)
    assert result.code == 3
    assert "Column 'condition' has no regime in 1 row, the first is row 2" in result.err


def test_a_covariance_has_no_regimes(run: Run, folder: Path) -> None:
    (folder / "two.csv").write_text("a,b\n1,0.5\n0.5,1\n")
    result = run("learn", "two.csv", "--covariance", "--rows", "99", "--regime", "a")
    assert result.code == 2
    assert "--regime and --targets are for tables of rows" in result.err


def test_what_is_known_of_it_is_passed_over(run: Run) -> None:
    result = run(*LEARN, "--tiers", "condition < a", "--bootstrap", "0")
    assert result.code == 0
    assert "What is known about 'condition' was passed over" in " ".join(result.out.split())


def test_learn_and_check_point_to_it(run: Run) -> None:
    asked = run("learn", "cells.csv", "--bootstrap", "0").out
    assert "! condition: a batch or condition?: --regime condition" in asked
    questioned = run("check", "cells.csv").out
    assert "→ --regime condition" in questioned
    told = run("check", "cells.csv", "--regime", "condition")
    assert told.code == 0
    assert "--regime" not in told.out
    assert "! " not in told.out.replace("! think before you trust", "")
    assert "a mean of its own in each of 3 regimes of 200 rows" in " ".join(told.out.split())
    assert "! " not in run(*LEARN, "--bootstrap", "0").out.split("edges among")[0]


def test_check_writes_what_learn_takes(run: Run) -> None:
    run("check", "cells.csv", "--regime", "condition", "--write", "columns.yaml")
    assert "condition: regime" in Path("columns.yaml").read_text()
    result = run("learn", "cells.csv", "--columns", "columns.yaml", "--bootstrap", "0")
    assert "3 regimes" in result.out


def test_everything_that_takes_a_result(run: Run) -> None:
    from daglock.interop import FORMATS

    assert run(*LEARN, "--targets", "targets.yaml", "--quiet").code == 0
    assert run("report", "cells.daglock").code == 0
    assert '<section id="regimes"' in Path("cells.daglock/report.html").read_text()
    for name in FORMATS:
        assert run("convert", "cells.daglock", "--to", name).code == 0
    told = run("effect", "cells.daglock", "a", "d", "--data", "cells.csv")
    assert told.code == 0, told.err
    said = " ".join(told.out.split())
    assert "From the rows of 1 of 3 regimes, which leaves d and what lies between alone." in said
    assert "Raising a by 1 raises d by 0." in said
    document = json.loads(run("effect", "cells.daglock", "a", "b", "--json").out)
    assert document["regimes"] == [2, 3]
