"""check: what a table can tell, and what learn would refuse."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from daglock.cli.command import Exit
from tests.cli.conftest import Run


def test_a_line_a_column_then_findings_then_what_learn_would_do(run: Run, folder: Path) -> None:
    shown = run("check", "data.csv")
    assert shown.code == 0
    assert shown.err == ""
    lines = shown.out.splitlines()
    head = next(k for k, line in enumerate(lines) if line.split()[:2] == ["column", "kind"])
    assert [line.split()[0] for line in lines[head + 2 : head + 7]] == list("abcde")
    text = " ".join(shown.out.split())
    assert text.index("Looked for and not found: codes for missing") < text.index(
        "What learn would"
    )
    assert "What learn would do Learn from 500 rows and 5 columns." in text
    assert max(map(len, lines)) <= 80
    assert [file.name for file in folder.iterdir()] == ["data.csv"]
    for word in ("paper", "λ", "stability", "SPG"):
        assert word not in shown.out


def test_what_detectors_find_has_a_way_out(run: Run) -> None:
    rng = np.random.default_rng(0)
    table = np.column_stack([np.arange(300) + 17, rng.normal(size=(300, 3)).round(2)])
    table[:5, 2] = -999.0
    header = "a_rather_long_name_of_a_column_that_goes_on,b,c,d"
    np.savetxt("bad.csv", table, delimiter=",", header=header, comments="", fmt="%g")
    shown = run("check", "bad.csv")
    assert shown.code == Exit.DONE
    assert max(map(len, shown.out.splitlines())) <= 80 or "--drop a_rather" in shown.out
    assert "→ --na c=-999" in shown.out
    line = next(line for line in shown.out.splitlines() if line.strip().startswith("c "))
    assert line.split()[-1] == "sentinel?"
    assert "a_rather_long_name_of_a_column_that_goes_on  " not in shown.out
    # and learn says so in short
    learned = run("learn", "bad.csv", "--bootstrap", "0")
    assert "! -999: a code for missing values?: --na c=-999" in learned.out
    assert "daglock check bad.csv shows" in learned.out
    document = json.loads(Path("bad.daglock/graph.json").read_text())
    assert document["findings"][0]["columns"] == ["c"]
    report = Path("bad.daglock/report.html").read_text()
    assert "What may be wrong with the table" in report
    assert run("report", "bad.daglock").code == Exit.DONE
    assert Path("bad.daglock/report.html").read_text() == report


def test_of_many_columns_only_some_have_a_line(run: Run) -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200, 60))
    table[:, 7] = rng.integers(0, 2, 200)
    np.savetxt(
        "wide.csv", table, delimiter=",", header=",".join(f"v{j}" for j in range(60)), comments=""
    )
    shown = run("check", "wide.csv")
    assert "59 other columns: nothing to say of them." in shown.out
    assert "two values" in shown.out
    assert len(json.loads(run("check", "wide.csv", "--json").out)["about_columns"]) == 60


def test_scores_are_announced(run: Run) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    table = np.column_stack([x, np.exp(1.5 * x + rng.normal(size=400)), rng.normal(size=400)])
    np.savetxt("prices.csv", table, delimiter=",", header="dose,price,mood", comments="")
    shown = " ".join(run("check", "prices.csv").out.split())
    assert "Use ranks (normal scores) in place of values for price (skewed)." in shown
    said = "Ranks (normal scores) stand for the values of price (skewed)"
    options = ("prices.csv", "--bootstrap", "0", "--force")
    assert said in " ".join(run("learn", *options).out.split())
    assert said not in " ".join(run("learn", *options, "--scores", "raw").out.split())
    assert run("learn", *options, "--scores", "ranks").code == Exit.USAGE


def test_json(run: Run) -> None:
    shown = run("check", "data.csv", "--json")
    assert (shown.code, shown.err) == (0, "")
    content = json.loads(shown.out)
    assert content["usable"] is True
    assert content["columns"] == list("abcde")
    assert content["rows"] == 500
    assert content["table"]["n"] == 500
    assert "stability" not in content["table"]
    assert content["findings"] == []
    assert "near copies" in content["not_found"]
    first = content["about_columns"][0]
    assert (first["name"], first["kind"], first["distinct"]) == ("a", "continuous", 500)
    assert content["learn"][0].startswith("Learn from 500 rows")


def test_gaps_and_columns_that_do_not_vary_are_named(run: Run) -> None:
    Path("bad.csv").write_text("id,a,b,c,d\n1,2,5,1,\n2,3,5,4,1\n3,1,5,9,7\n4,5,5,2,1\n5,6,5,6,2\n")
    shown = run("check", "bad.csv")
    assert shown.code == Exit.DONE
    text = " ".join(shown.out.split())
    assert "• Missing values 1 of 5 rows have one, the first in line 2, column 'd'" in text
    assert "d (20.0%)" in text
    assert "uses the other 4 rows" in text
    assert "Left out, as no variables: b (does not vary)" in text
    content = json.loads(run("check", "bad.csv", "--json").out)
    assert content["usable"] is True
    assert content["columns"] == ["id", "a", "c", "d"]
    assert content["left_out"] == {"b": "does not vary"}
    assert run("learn", "bad.csv", "--missing", "refuse").code == Exit.DATA
    assert run("learn", "bad.csv", "--missing", "drop", "--drop", "id").code == 0


def test_nothing_is_left(run: Run) -> None:
    Path("bad.csv").write_text("a,b\n1,\n,2\n3,\n,4\n")
    shown = run("check", "bad.csv")
    assert shown.code == Exit.DONE
    text = " ".join(shown.out.split())
    assert "uses the other 0 rows" in text
    Path("apart.csv").write_text("a,b\n" + "".join(f"{k * k},\n,{k}\n" for k in range(1, 30)))
    text = " ".join(run("check", "apart.csv").out.split())
    assert "Never observed together: column 'a' and column 'b'" in text


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


def test_ragged_lines_are_left_out_or_filled(run: Run, folder: Path) -> None:
    (folder / "r.csv").write_text("a,b\n1,2\n4,9\n3\n2,7\n5,5,5\n3,6\n")
    refused = run("check", "r.csv")
    assert refused.code == Exit.DATA
    assert "Line 4 of r.csv has 1 cell" in refused.err
    assert "1 other line too: 6 (3 cells)" in refused.err
    dropped = run("check", "r.csv", "--ragged", "drop", "--json")
    document = json.loads(dropped.out)
    assert document["rows"] == 4
    assert any("4 (1 cell), 6 (3 cells)" in note for note in document["notes"])
    filled = json.loads(run("check", "r.csv", "--ragged", "fill", "--json").out)
    assert filled["rows"] == 5
    assert run("check", "r.csv", "--ragged", "pad").code == Exit.USAGE


def test_limits_can_be_raised(run: Run) -> None:
    small = run("check", "data.csv", "--max-size", "1k")
    assert small.code == Exit.DATA
    assert "--max-size" in small.err
    assert run("check", "data.csv", "--max-size", "1M").code == Exit.DONE
    assert "--max-columns 5" in run("check", "data.csv", "--max-columns", "4").err
    assert "--max-cell" in run("check", "data.csv", "--max-cell", "10").err
    assert run("check", "data.csv", "--max-size", "much").code == Exit.USAGE
