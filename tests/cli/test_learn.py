"""learn: from a file to a folder, as the library would do it; nothing lost, nothing overwritten."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daglock
from daglock import DAGLock
from daglock._csv import csv_rows
from daglock.cli.command import Exit
from daglock.confidence.words import MEANING, NOT_ASSESSED, SIGNS, share, verdict, what_would_help
from daglock.estimator import Edge
from daglock.table import read_file
from tests.cli.conftest import Run, model_of


def graph(folder: str | Path = "data.daglock") -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Path(folder, "graph.json").read_text(encoding="utf-8"))
    return content


def edges(content: dict[str, Any]) -> set[tuple[str, str]]:
    return {(edge["source"], edge["target"]) for edge in content["edges"]}


def fitted(**settings: Any) -> DAGLock:
    return DAGLock(random_state=0, **settings).fit(read_file("data.csv"))


def test_the_folder_holds_what_the_library_finds(run: Run, folder: Path) -> None:
    assert run("learn", "data.csv").code == 0
    assert {file.name for file in folder.iterdir()} == {"data.csv", "data.daglock"}
    written = {file.name for file in Path("data.daglock").iterdir()}
    assert written == {
        "graph.json",
        "graph.svg",
        "edges.csv",
        "bootstrap.csv",
        "model.npz",
        "report.html",
    }
    model, content = fitted(), graph()
    assert content["nodes"] == list("abcde")
    assert content["title"] == "data"
    # by default everything says how far to trust it, as the library does
    expected = {tuple(edge) for edge in model.claimed_edges()}
    assert {tuple(edge.values())[:-1] for edge in content["edges"]} == expected
    assert not any(edge["strength"] for edge in content["edges"])
    sure = model.assess()
    assert content["bootstrap"] == {
        "replicates": 100,
        "usual": 100,
        "stopped": "",
        "drawn_from": "rows",
    }
    pairs = [(p["source"], p["target"], p["link"], p["direction"]) for p in content["confidence"]]
    ends = ([model.names_[v] for v in end] for end in (sure.source, sure.target))
    expected_pairs = zip(*ends, sure.link.tolist(), sure.direction.tolist(), strict=True)
    assert sorted(pairs) == sorted(expected_pairs)
    arrows = [p["arrow"] for p in content["confidence"]]
    assert arrows == [p["link"] * p["direction"] for p in content["confidence"]]
    assert arrows == sorted(arrows, reverse=True)
    assert [p["claim"] for p in content["confidence"]] == sure.table()["claim"].tolist()
    said = [[o["evidence"], o["direction"], o["words"]] for o in content["opinions"]]
    assert said == [list(words) for k in range(len(sure.source)) for words in sure.said(k)]
    boldest = [(edge["claim"] == "open", -edge["arrow"]) for edge in content["edges"]]
    assert boldest == sorted(boldest)
    assert content["order"] == [model.names_[i] for i in model.learned_.dag.order]
    assert content["noise"]["model"] == model.noise_model_
    assert content["noise"]["scores"] == model.learned_.scores
    assert content["status"] == "converged"
    assert content["certificate"]["is_dag"] is True
    assert content["certificate"]["text"] == str(model.certificate_)
    assert content["data"] == {
        "file": "data.csv",
        "rows": 500,
        "rows_left_out": 0,
        "missing_share": 0.0,
        "effective_rows": 500,
        "columns": 5,
        "hash": model.data_hash_,
        "notes": [],
    }
    assert content["settings"]["random_state"] == 0
    assert content["command"] == "daglock learn data.csv"
    assert content["versions"]["daglock"] == daglock.__version__
    with Path("data.daglock", "edges.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["source"], row["target"]) for row in rows} == edges(content)
    picture = Path("data.daglock", "graph.svg").read_text("utf-8")
    claims = [edge["claim"] for edge in content["edges"]]
    assert picture.count("<path") == len(claims) + sum(claim != "open" for claim in claims)
    loaded = daglock.load("data.daglock")
    np.testing.assert_array_equal(loaded.learned_.dag.weight, model.learned_.dag.weight)
    assert "daglock learn data.csv" in Path("data.daglock", "report.html").read_text("utf-8")


def test_what_is_printed(run: Run) -> None:
    shown = run("learn", "data.csv")
    lines = shown.out.splitlines()
    assert shown.err == ""
    assert max(map(len, lines)) <= 80
    assert lines[0] == "data.csv: 500 rows, 5 columns"
    content = graph()
    assert f"{len(content['edges'])} edges among 5 variables:" in lines
    for edge in content["edges"]:
        sign = SIGNS[edge["claim"]]
        row = next(
            line for line in lines if line.split()[:3] == [edge["source"], sign, edge["target"]]
        )
        weights = [f"{edge['weight']:+.4g}", f"{edge['standardised_weight']:+.2f}"]
        shares = [share(edge[part]) for part in ("link", "direction", "arrow")]
        assert row.split()[3:] == [*weights, *shares]
    text = " ".join(shown.out.split())
    claims = [edge["claim"] for edge in content["edges"]]
    assert verdict(claims, [edge["because"] for edge in content["edges"]]) in text
    for claim, meaning in MEANING.items():
        assert (meaning in text) == (claim in claims)
    assert "The model has the same noise variance for all variables" in text
    assert f"Certificate: {content['certificate']['text']}." in text
    assert "Results in data.daglock/" in lines
    assert "daglock convert data.daglock --to dot" in text


def test_the_same_seed_gives_the_same_bytes(run: Run) -> None:
    for name in ("one", "two"):
        assert run("learn", "data.csv", "--out", name, "--bootstrap", "3", "--quiet").code == 0
    for file in ("edges.csv", "bootstrap.csv"):
        assert Path("one", file).read_bytes() == Path("two", file).read_bytes()
    assert model_of("one") == model_of("two")
    one, two = graph("one"), graph("two")
    del one["command"], two["command"]
    assert one == two


def test_the_options_reach_the_estimator(run: Run) -> None:
    options = ["--noise", "unequal", "--ebic-gamma", "0.25", "--restarts", "3", "--seed", "7"]
    assert run("learn", "data.csv", *options, "--jobs", "2", "--time-limit", "100").code == 0
    settings = daglock.load("data.daglock").get_params()
    assert settings["noise"] == "unequal"
    assert settings["ebic_gamma"] == 0.25
    assert settings["n_restarts"] == 3
    assert settings["random_state"] == 7
    assert settings["n_jobs"] == 2
    assert settings["time_limit"] == 100.0
    assert graph()["settings"]["ebic_gamma"] == 0.25
    assert run("learn", "data.csv", "--noise", "unequal", "--out", "x").code == 0
    assert any(not edge["identified_by"] for edge in graph("x")["edges"])


def test_columns(run: Run) -> None:
    assert run("learn", "data.csv", "--columns", "a,b", "--columns", "e").code == 0
    assert graph()["nodes"] == ["a", "b", "e"]
    assert run("learn", "data.csv", "--drop", "b,d", "--out", "x").code == 0
    assert graph("x")["nodes"] == ["a", "c", "e"]
    wrong = run("learn", "data.csv", "--drop", "f", "--out", "y")
    assert (wrong.code, wrong.out) == (Exit.USAGE, "")
    assert wrong.err.startswith("daglock: There is no column 'f'")


def test_reading_options(run: Run) -> None:
    text = Path("data.csv").read_text().replace(",", ";").replace(".", ",")
    Path("german.csv").write_bytes(("x\n" + text).encode("utf-16"))
    options = ["--separator", "semicolon", "--decimal", ",", "--encoding", "utf-16"]
    assert run("learn", "german.csv", *options, "--skip-lines", "1", "--header").code == 0
    assert run("learn", "data.csv").code == 0
    assert graph("german.daglock")["edges"] == graph()["edges"]
    assert run("learn", "data.csv", "--no-header", "--out", "x").code == Exit.DATA
    assert run("learn", "data.csv", "--index", "a", "--out", "x").code == 0
    assert graph("x")["nodes"] == list("bcde")


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.TextIOWrapper(io.BytesIO(Path("data.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", raw)
    shown = run("learn", "-")
    assert shown.code == 0
    assert shown.out.startswith("standard input: 500 rows, 5 columns\n")
    assert graph("stdin.daglock")["data"]["file"] == "standard input"


def test_json_is_all_there_is_on_standard_output(run: Run) -> None:
    shown = run("learn", "data.csv", "--json", "--out", "x")
    assert shown.code == 0
    assert shown.err == ""
    assert json.loads(shown.out) == {**graph("x"), "folder": "x"}


def test_json_leaves_nothing_behind(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = io.TextIOWrapper(io.BytesIO(Path("data.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", raw)
    shown = run("learn", "-", "--json", "--bootstrap", "3")
    assert shown.code == 0
    content = json.loads(shown.out)
    assert content["folder"] is None
    assert content["data"]["file"] == "standard input"
    assert [file.name for file in folder.iterdir()] == ["data.csv"]
    # results that are there are not in the way
    Path("data.daglock").mkdir()
    Path("data.daglock", "notes.txt").write_text("mine")
    assert run("learn", "data.csv", "--json", "--bootstrap", "0").code == 0
    assert [file.name for file in Path("data.daglock").iterdir()] == ["notes.txt"]


def test_quiet(run: Run) -> None:
    assert run("learn", "data.csv", "--quiet") == (0, "", "")
    assert Path("data.daglock", "report.html").exists()


def test_results_are_not_overwritten(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("learn", "data.csv", "--noise", "equal").code == 0
    before = {file: file.read_bytes() for file in Path("data.daglock").iterdir()}

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("nothing is read before the output is known to be free")

    with monkeypatch.context() as patch:
        patch.setattr("daglock.table.read_file", refuse)
        shown = run("learn", "data.csv", "--noise", "unequal")
    assert shown.code == Exit.OUTPUT
    assert "'data.daglock' has results already: replace them with --force" in shown.err
    assert before == {file: file.read_bytes() for file in Path("data.daglock").iterdir()}
    assert run("learn", "data.csv", "--noise", "unequal", "--force").code == 0
    assert graph()["noise"]["model"] == "unequal"


def test_a_failure_while_writing_leaves_nothing(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("daglock.report.html.write_report", fail)
    shown = run("learn", "data.csv")
    assert shown.code == Exit.OUTPUT
    assert shown.err == "daglock: 'data.daglock' cannot be written: No space left on device.\n"
    assert [file.name for file in folder.iterdir()] == ["data.csv"]


def test_missing_values(run: Run) -> None:
    lines = Path("data.csv").read_text().splitlines()
    lines[3] = "NA" + lines[3][lines[3].index(",") :]
    lines[9] = lines[9][: lines[9].rindex(",") + 1]
    Path("data.csv").write_text("\n".join(lines))
    shown = run("learn", "data.csv", "--missing", "refuse")
    assert shown.code == Exit.DATA
    assert shown.err == (
        "daglock: 2 of 500 rows have missing values, the first in line 4, column 'a': keep these "
        "rows and model what is missing with --missing model, or leave them out with --missing "
        "drop.\n"
    )
    shown = run("learn", "data.csv", "--missing", "drop")
    assert shown.code == 0
    assert "! 2 of 500 rows have missing values and were left out." in shown.out
    assert graph()["data"]["rows"] == 498
    assert graph()["data"]["rows_left_out"] == 2
    kept = [line for k, line in enumerate(lines) if k not in (3, 9)]
    Path("kept.csv").write_text("\n".join(kept))
    assert run("learn", "kept.csv").code == 0
    assert graph("kept.daglock")["edges"] == graph()["edges"]


def test_missing_values_are_modelled(run: Run) -> None:
    lines = Path("data.csv").read_text().splitlines()
    for k in range(1, 101):
        lines[k] = "NA" + lines[k][lines[k].index(",") :]
    Path("gaps.csv").write_text("\n".join(lines))
    shown = run("learn", "gaps.csv", "--missing", "model", "--bootstrap", "10")
    assert shown.code == 0
    text = " ".join(shown.out.split())
    assert "! 4.0% of the cells are missing: the covariances are those under which" in text
    assert "of 500 rows were complete." in text
    assert "judged by the 400 rows without a gap" in text
    data = graph("gaps.daglock")["data"]
    assert (data["rows"], data["rows_left_out"]) == (500, 0)
    assert data["missing_share"] == pytest.approx(0.04)
    assert 400 < data["effective_rows"] < 500
    assert "4.0% of the cells are missing" in Path("gaps.daglock", "report.html").read_text()


def test_marks_words_and_bounds_on_the_command_line(run: Run) -> None:
    lines = Path("data.csv").read_text().splitlines()
    for k, mark in enumerate(("*", "-999", "-999.0", "unknown", "<0.5"), start=1):
        lines[k] = mark + lines[k][lines[k].index(",") :]
    Path("marks.csv").write_text("\n".join(lines))
    options = ("--missing", "model", "--bootstrap", "0")
    assert "not numeric: 'a'" in run("learn", "marks.csv", *options).err
    shown = run("learn", "marks.csv", *options, "--na", "a=unknown", "--na=-999")
    assert shown.code == Exit.DATA
    assert "'a' (1 cell such as '<0.5'): give --censored missing" in shown.err
    named = ("--na", "a=unknown", "--na=-999", "--censored", "missing")
    shown = run("learn", "marks.csv", *options, *named)
    assert shown.code == 0, shown.err
    assert "Taken as missing: 3 cells with 'a=unknown', '-999'." in " ".join(shown.out.split())
    assert graph("marks.daglock")["data"]["missing_share"] == pytest.approx(5 / 2500)


def test_too_much_is_missing(run: Run) -> None:
    Path("data.csv").write_text("a,b,c\n1,2,\n3,,5\n,4,6\n7,8,9\n1,,2\n5,,3\n")
    shown = run("learn", "data.csv", "--missing", "drop")
    assert shown.code == Exit.DATA
    assert "1 row would be left; column 'b' has no value in 50% of the rows" in shown.err


def test_knowledge(run: Run) -> None:
    assert run("learn", "data.csv").code == 0
    first = sorted(edges(graph()))[0]
    Path("known.yaml").write_text(f"forbidden: ['{first[0]} -> {first[1]}']\nroots: [c]\n")
    assert run("learn", "data.csv", "--knowledge", "known.yaml", "--out", "x").code == 0
    found = edges(graph("x"))
    assert first not in found
    assert "c" not in {target for _, target in found}
    assert graph("x")["settings"]["knowledge"]["roots"] == ["c"]
    Path("known.json").write_text('{"required": [["a", "b"], ["b", "a"]]}')
    shown = run("learn", "data.csv", "--knowledge", "known.json", "--out", "y")
    assert shown.code == Exit.USAGE
    assert "a -> b -> a" in shown.err
    assert run("learn", "data.csv", "--knowledge", "none.yaml", "--out", "y").code == Exit.USAGE
    assert not Path("y").exists()


def test_the_number_of_replicates(run: Run) -> None:
    shown = run("learn", "data.csv", "--bootstrap", "4", "--noise", "unequal", "--seed", "5")
    assert shown.code == 0
    content = graph()
    assert content["bootstrap"] == {
        "replicates": 4,
        "usual": 100,
        "stopped": "",
        "drawn_from": "rows",
    }
    model = DAGLock("unequal", random_state=5).fit(read_file("data.csv"))
    again = model.bootstrap(4, rng=5, progress=False)
    model.assess(bootstrap=again)
    expected = {tuple(edge) for edge in model.claimed_edges()}
    assert {tuple(edge.values())[:-1] for edge in content["edges"]} == expected
    assert not any(edge["strength"] for edge in content["edges"])
    with Path("data.daglock", "bootstrap.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(again.first)
    for row in rows:
        shares = [float(row[part]) for part in ("forward", "backward", "undirected")]
        assert sum(shares) == pytest.approx(float(row["adjacent"]))


def test_without_replicates_nothing_is_claimed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("--bootstrap 0 leaves it out")

    monkeypatch.setattr(DAGLock, "bootstrap", refuse)
    shown = run("learn", "data.csv", "--bootstrap", "0")
    assert shown.code == 0
    text = " ".join(shown.out.split())
    assert f"! {NOT_ASSESSED}" in text
    assert "→" not in shown.out
    assert "reliable" not in text
    content = graph()
    assert content["confidence"] is content["opinions"] is content["bootstrap"] is None
    assert set(content["edges"][0]) == {*Edge._fields, "strength"}
    with Path("data.daglock", "edges.csv").open(newline="") as file:
        fields = csv.DictReader(file).fieldnames
    assert fields == [*Edge._fields, "source_kind", "target_kind"]
    page = Path("data.daglock", "report.html").read_text("utf-8")
    assert NOT_ASSESSED in page
    picture = Path("data.daglock", "graph.svg").read_text("utf-8")
    assert picture.count("<path") == len(content["edges"])
    # made anew it still says so
    assert run("report", "data.daglock").code == 0
    assert Path("data.daglock", "report.html").read_text("utf-8") == page


def test_what_would_settle_it_is_said(run: Run) -> None:
    rng = np.random.default_rng(0)
    a = rng.standard_normal(300)
    b = a + rng.standard_normal(300)
    rows = np.column_stack([a, b, b + rng.standard_normal(300)]).tolist()
    Path("chain.csv").write_text(
        "\n".join(["a,b,c", *(",".join(map(repr, row)) for row in rows)]) + "\n"
    )
    shown = run("learn", "chain.csv", "--noise", "unequal")
    model = daglock.load("chain.daglock")
    settled = [edge.is_settled for edge in model.claimed_edges()]
    lines = what_would_help(model.learned_.dag, settled, model.names_)
    assert lines
    text = " ".join(shown.out.split())
    assert "if the links are right: an experiment on one of these columns" in text
    for line in lines:
        assert f"• {line}" in text


def test_an_interrupted_search_is_kept_and_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from daglock.search import run as search

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("who interrupts the search does not wait for a bootstrap")

    monkeypatch.setattr(search, "descend", interrupt)
    monkeypatch.setattr(DAGLock, "bootstrap", refuse)
    run("simulate", "--nodes", "19", "--out", "wide.csv")  # too many for all graphs
    shown = run("learn", "wide.csv", "--bootstrap", "3", "--out", "data.daglock")
    assert shown.code == Exit.INTERRUPTED
    assert "interrupted; writing what there is" in shown.err
    assert "! Interrupted; this is the best DAG so far." in shown.out
    assert "all variables; no other was tried." in " ".join(shown.out.split())
    assert graph()["status"] == "interrupted"
    assert graph()["bootstrap"] is None
    assert daglock.load("data.daglock").certificate_.is_dag


def test_an_interrupted_bootstrap_leaves_the_graph(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(DAGLock, "bootstrap", interrupt)
    shown = run("learn", "data.csv", "--bootstrap", "3")
    assert shown.code == Exit.INTERRUPTED
    assert graph()["status"] == "converged"
    assert graph()["bootstrap"] is graph()["confidence"] is None
    assert NOT_ASSESSED in " ".join(shown.out.split())


def test_replicates_that_were_done_are_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from daglock.confidence import replicates

    learn_one = replicates._replicate
    done: list[int] = []

    def interrupt(*arguments: Any) -> Any:
        if len(done) == 6:
            raise KeyboardInterrupt
        done.append(1)
        return learn_one(*arguments)

    monkeypatch.setattr(replicates, "_replicate", interrupt)
    shown = run("learn", "data.csv")
    assert shown.code == Exit.INTERRUPTED
    assert "interrupted after 6 of 100 replicates." in shown.err
    assert graph()["bootstrap"]["replicates"] == 6
    assert all("claim" in edge for edge in graph()["edges"])


def test_interrupted_before_there_is_a_graph(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("daglock.table.read_file", interrupt)
    shown = run("learn", "data.csv")
    assert shown == (Exit.INTERRUPTED, "", "daglock: interrupted; nothing more was written.\n")
    assert [file.name for file in folder.iterdir()] == ["data.csv"]


def test_a_time_limit_is_no_failure(run: Run) -> None:
    shown = run("learn", "data.csv", "--time-limit", "0")
    assert shown.code == 0
    assert "! The time limit was reached; this is the best DAG so far." in shown.out
    assert graph()["status"] == "time_limit"


def test_many_edges_are_cut(run: Run) -> None:
    assert run("simulate", "--nodes", "20", "--edges", "50", "--out", "many.csv").code == 0
    shown = run("learn", "many.csv", "--restarts", "0")
    count = len(graph("many.daglock")["edges"])
    assert count > 30
    assert f"  ... and {count - 30} more in edges.csv" in shown.out.splitlines()
    table = re.findall(r"^  x\d+ +[→⇢—]  x\d+ ", shown.out, re.M)
    assert len(table) == 30


def test_no_edges(run: Run) -> None:
    rng = np.random.default_rng(0)
    rows = [",".join(map(repr, row.tolist())) for row in rng.standard_normal((200, 3))]
    Path("data.csv").write_text("\n".join(["a,b,c", *rows]))
    shown = run("learn", "data.csv")
    assert shown.code == 0
    assert "No edges among 3 variables." in shown.out
    assert graph()["edges"] == []
    assert Path("data.daglock", "edges.csv").read_text().count("\n") == 1


HOSTILE = ["\x1b[2Jred", "new\nline", "<script>alert(1)</script>", "=1+1", "a,b;\"c'", "数" * 40]


def test_hostile_names(run: Run) -> None:
    rows = [line.split(",") for line in Path("data.csv").read_text().splitlines()[1:]]
    with Path("data.csv").open("w", newline="") as file:
        csv.writer(file).writerows([HOSTILE[:5], *rows])
    shown = run("learn", "data.csv")
    assert shown.code == 0
    assert "\x1b" not in shown.out
    assert "\\x1b[2Jred" in shown.out
    assert "new\\nline" in shown.out
    assert graph()["nodes"] == HOSTILE[:5]
    page = Path("data.daglock", "report.html").read_text("utf-8")
    assert "<script>alert(1)</script>" not in page
    _, *edges = csv_rows(Path("data.daglock", "edges.csv").read_bytes().decode())
    assert {row[0] for row in edges} <= set(HOSTILE)


def test_long_names_fit(run: Run) -> None:
    names = [c * 60 for c in "数αbcd"]
    text = Path("data.csv").read_text(encoding="utf-8").replace("a,b,c,d,e", ",".join(names), 1)
    Path("data.csv").write_text(text, encoding="utf-8")
    from daglock.cli.terminal import width_of

    shown = run("learn", "data.csv", "--bootstrap", "2")
    table = [line for line in shown.out.splitlines() if re.search(" [→⇢—] .*%$", line)]
    assert table
    assert max(map(width_of, table)) <= 80
    assert graph()["nodes"] == names


def test_bad_files(run: Run) -> None:
    for text, message in {
        "a,b\n1,x\n2,7\n": "not numeric: 'b' ('x' in line 2)",
        "a,b\n1,2\n3\n4,5\n": "Line 3 of bad.csv has 1 cell",
        "a,b\n1,2\n3,2\n4,2\n": "only 'a' is left without 'b' (does not vary)",
        "a,b\n1,2\n": "two rows",
        "": "bad.csv is empty",
    }.items():
        Path("bad.csv").write_text(text)
        shown = run("learn", "bad.csv")
        assert shown.code == Exit.DATA, text
        assert message in shown.err
        assert shown.err.count("\n") == 1
        assert shown.err.startswith("daglock: ")
        assert not Path("bad.daglock").exists()
    assert run("learn", "none.csv").code == Exit.DATA


def test_a_limit_that_cuts_replicates_short_is_said(run: Run, folder: Path) -> None:
    shown = run("learn", "data.csv", "--time-limit", "1e-9")
    content = graph()["bootstrap"]
    assert content["stopped"] == "time"
    assert 1 <= content["replicates"] < content["usual"] == 100
    said = f"! Cut short by the time limit after {content['replicates']} replicates"
    assert said in " ".join(shown.out.split())
    page = Path("data.daglock", "report.html").read_text("utf-8")
    assert said.removeprefix("! ") in page
    shown = run("learn", "data.csv", "--force")
    assert "Cut short" not in shown.out
    assert graph()["bootstrap"]["stopped"] == ""
