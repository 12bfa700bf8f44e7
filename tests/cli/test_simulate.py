"""simulate: data from a graph that learn finds again."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from daglock.cli.command import Exit
from daglock.graph import is_dag
from daglock.table import read_file
from daglock.typing import Array
from tests.cli.conftest import Run


def truth(file: str) -> dict[tuple[str, str], float]:
    with Path(file).open(newline="") as stream:
        return {
            (row["source"], row["target"]): float(row["weight"]) for row in csv.DictReader(stream)
        }


def test_learn_finds_the_graph(run: Run) -> None:
    options = ["--nodes", "12", "--edges", "15", "--samples", "2000", "--seed", "4"]
    shown = run("simulate", *options, "--out", "s.csv", "--truth", "t.csv")
    assert shown.code == 0
    assert shown.out.splitlines() == [
        "s.csv: 2,000 rows, 12 columns",
        "t.csv: the 15 edges behind them",
        "Learn from them: daglock learn s.csv",
    ]
    assert run("learn", "s.csv").code == 0
    graph = json.loads(Path("s.daglock", "graph.json").read_text())
    weights = truth("t.csv")
    assert {(edge["source"], edge["target"]) for edge in graph["edges"]} == set(weights)
    for edge in graph["edges"]:
        assert edge["weight"] == pytest.approx(weights[edge["source"], edge["target"]], abs=0.15)


def test_options(run: Run) -> None:
    options = ["--graph", "sf", "--nodes", "30", "--edges", "60", "--weights", "2,3"]
    options += ["--noise", "uniform", "--variances", "4,9", "--samples", "4000", "--seed", "1"]
    assert run("simulate", *options, "--out", "s.csv", "--truth", "t.csv").code == 0
    weights = truth("t.csv")
    assert len(weights) == 2 * 30 - 3
    assert all(2 <= abs(weight) <= 3 for weight in weights.values())
    W = np.zeros((30, 30))
    for (a, b), weight in weights.items():
        W[int(a[1:]), int(b[1:])] = weight
    assert is_dag(W)
    table = read_file("s.csv")
    noise = table.data @ (np.eye(30) - W)
    variances = noise.var(axis=0)
    assert variances.min() > 3.5
    assert variances.max() < 9.5
    assert variances.max() > 1.3 * variances.min()
    assert np.abs(noise).max() <= np.sqrt(3 * 9)  # uniform: nothing beyond


def test_seed_and_standard_output(run: Run) -> None:
    first = run("simulate", "--nodes", "3", "--samples", "5", "--out", "-")
    assert first.code == 0
    assert first.out.splitlines()[0] == "x0,x1,x2"
    assert len(first.out.splitlines()) == 6
    assert run("simulate", "--nodes", "3", "--samples", "5", "--out", "-") == first
    other = run("simulate", "--nodes", "3", "--samples", "5", "--out", "-", "--seed", "1")
    assert other.out != first.out


def test_nothing_is_overwritten(run: Run) -> None:
    before = Path("data.csv").read_bytes()
    shown = run("simulate")
    assert shown.code == Exit.OUTPUT
    assert shown.err == "daglock: 'data.csv' exists already: replace it with --force.\n"
    assert run("simulate", "--out", "x.csv", "--truth", "data.csv").code == Exit.OUTPUT
    assert not Path("x.csv").exists()
    assert Path("data.csv").read_bytes() == before
    assert run("simulate", "--force").code == 0
    assert Path("data.csv").read_bytes() != before


def test_impossible_graphs(run: Run) -> None:
    shown = run("simulate", "--nodes", "3", "--edges", "9", "--out", "x.csv")
    assert shown.code == Exit.USAGE
    assert "n_edges must be at most 3 for 3 nodes" in shown.err


def read_regimes(file: str) -> tuple[Array, NDArray[np.str_]]:
    with Path(file).open(newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header[-1] == "regime"
    return np.array([row[:-1] for row in rows], dtype=np.float64), np.array([r[-1] for r in rows])


def weights_of(file: str, d: int) -> Array:
    W = np.zeros((d, d))
    for (a, b), weight in truth(file).items():
        W[int(a[1:]), int(b[1:])] = weight
    return W


def test_experiments_cut_the_causes_of_their_variable(run: Run) -> None:
    options = ["--nodes", "6", "--edges", "9", "--samples", "500", "--regimes", "4"]
    files = ["--out", "s.csv", "--truth", "t.csv", "--targets", "g.yaml"]
    shown = run("simulate", *options, *files)
    assert shown.out.splitlines() == [
        "s.csv: 2,500 rows, 6 columns, and 'regime'",
        "t.csv: the 9 edges behind them",
        "g.yaml: the variable of each regime",
        "Learn from them: daglock learn s.csv --regime regime --targets g.yaml",
    ]
    targets = yaml.safe_load(Path("g.yaml").read_text())
    X, labels = read_regimes("s.csv")
    assert list(targets) == list(dict.fromkeys(labels.tolist()))
    assert targets.pop("observational") == []
    assert len({name for names in targets.values() for name in names}) == 4
    W = weights_of("t.csv", 6)
    for label, (name,) in targets.items():
        here, node = X[labels == label], int(name[1:])
        assert len(here) == 500
        cut = W.copy()
        cut[:, node] = 0.0
        noise = here - here @ cut
        means = np.zeros(6)
        means[node] = 2.0
        np.testing.assert_allclose(noise.mean(axis=0), means, atol=0.2)
        np.testing.assert_allclose(np.cov(noise.T), np.eye(6), atol=0.25)


def test_learn_does_what_simulate_says(run: Run) -> None:
    options = ["--nodes", "6", "--regimes", "6", "--samples", "600", "--variances", "0.5,2"]
    files = ["--out", "s.csv", "--truth", "t.csv", "--targets", "g.yaml"]
    said = run("simulate", *options, *files).out.splitlines()[-1]
    command = said.removeprefix("Learn from them: daglock ").split()
    assert run(*command, "--bootstrap", "0").code == 0
    graph = json.loads(Path("s.daglock", "graph.json").read_text())
    assert {(edge["source"], edge["target"]) for edge in graph["edges"]} == set(truth("t.csv"))


def test_other_interventions_and_batches(run: Run) -> None:
    options = ["--nodes", "6", "--edges", "9", "--samples", "300", "--regimes", "3"]
    moved = {}
    for kind in ("imperfect", "shift", "batches"):
        files = ["--out", f"{kind}.csv", "--truth", f"{kind}-t.csv"]
        shown = run("simulate", *options, "--intervention", kind, *files)
        assert shown.out.splitlines()[-1].endswith(f"learn {kind}.csv --regime regime")
        X, labels = read_regimes(f"{kind}.csv")
        W = weights_of(f"{kind}-t.csv", 6)
        residuals = X - X @ W
        groups = [residuals[labels == label] for label in dict.fromkeys(labels.tolist())]
        moved[kind] = np.sum([np.abs(g.mean(axis=0)) > 0.3 for g in groups])
        assert len(groups) == (3 if kind == "batches" else 4)
    assert moved["shift"] == 3
    told = run("simulate", *options, "--intervention", "shift", "--out", "x.csv", "--targets", "y")
    assert told.out.splitlines()[-1].endswith("--targets y --interventions imperfect")
    assert moved["batches"] > 6


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--regimes", "4", "--nodes", "3"], "--regimes must be at most 3"),
        (["--targets", "g.yaml"], "Say with --regimes how many"),
        (["--intervention", "shift"], "Say with --regimes how many"),
        (
            ["--regimes", "2", "--intervention", "batches", "--targets", "g.yaml"],
            "Batches have no targets: leave out --targets.",
        ),
    ],
)
def test_options_that_do_not_agree(run: Run, options: list[str], said: str) -> None:
    shown = run("simulate", *options, "--out", "x.csv")
    assert shown.code == Exit.USAGE
    assert said in shown.err
    assert not Path("x.csv").exists()
