"""Runs are recorded with their distances, and methods are told what they may know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock_evaluation.harness.process import THREADS
from daglock_evaluation.harness.sweep import Limits, Method, make_runs, open_records
from daglock_evaluation.regimes import RECORDS, WORKER
from daglock_evaluation.regimes.__main__ import main
from daglock_evaluation.regimes.cases import SUITES, SachsCase, Sample, SimulatedCase
from daglock_evaluation.regimes.methods import METHODS, find, methods
from daglock_evaluation.regimes.worker import by_turns, measure

SMALL = SimulatedCase("perfect", 6, 7, "perfect", 6, 400, 100)
COST = SimulatedCase("cost", 6, 7, "perfect", 3, 400, 100)
BATCHES = SimulatedCase("batches", 6, 7, "batches", 3, 0, 300)


def test_methods_have_names_of_their_own() -> None:
    assert len({method.name for method in METHODS}) == len(METHODS)
    for suite in SUITES:
        assert methods(suite)
    with pytest.raises(InvalidParameterError, match="no method 'gies' for batches"):
        find("batches", "gies")


def test_the_empty_graph_misses_every_edge() -> None:
    record = measure(find("perfect", "empty"), SMALL, 1)
    assert record["class_shd"] == record["shd"] == record["n_true"] == 7
    assert record["n_edges"] == 0


def test_a_method_that_knows_everything_has_no_distance() -> None:
    omniscient = Method("all", "all", ("perfect",), lambda sample, seed: sample.essential)
    record = measure(omniscient, SMALL, 1)
    assert record["class_shd"] == 0
    turned = Method("turned", "turned", ("perfect",), lambda sample, seed: sample.essential.T)
    assert measure(turned, SMALL, 1)["class_shd"] == 7
    undirected = measure(
        Method(
            "skeleton", "skeleton", (), lambda sample, seed: 2 * (sample.truth + sample.truth.T)
        ),
        SMALL,
        1,
    )
    assert (undirected["class_shd"], undirected["n_directed"]) == (7, 0)


def test_daglock_learns_experiments_and_batches() -> None:
    told = measure(find("perfect", "daglock"), SMALL, 1)
    assert told["class_shd"] <= 2
    assert told["n_directed"] == told["n_edges"]
    shifted, still = (
        measure(find("batches", name), BATCHES, 1) for name in ("daglock-shifts", "daglock-still")
    )
    assert shifted["graph"] == still["graph"]


def test_two_methods_take_turns() -> None:
    calls: list[str] = []

    def call(name: str) -> Any:
        def run(sample: Sample, seed: int) -> Any:
            calls.append(name)
            return np.zeros(sample.truth.shape, dtype=np.int8)

        return Method(name, name, ("cost",), run)

    first, second = by_turns(call("a"), call("b"), COST.draw(0), 0, 5.0)
    assert calls == ["b", "a", "b", "a", "b"]  # the first turn of a was made before
    assert 0.0 <= first < 5.0
    assert second >= 0.0
    calls.clear()
    assert by_turns(call("a"), call("b"), COST.draw(0), 0, 50.0)[0] == 50.0
    assert calls == ["b"]  # what takes long is run once


def test_cost_is_measured_beside_another_method() -> None:
    record = measure(find("cost", "daglock"), COST, 0)
    assert record["beside"] == "daglock-still"
    assert record["own_cpu"] > 0 < record["beside_cpu"]
    assert "beside" not in measure(find("perfect", "daglock"), SMALL, 0)


def test_runs_are_recorded_and_not_made_again(tmp_path: Path) -> None:
    store, empty = open_records(RECORDS, tmp_path), [find("perfect", "empty")]
    said: list[str] = []
    for _ in range(2):
        make_runs(store, WORKER, [SMALL], empty, 2, Limits(), said.append)
        assert said == ["d = 6, degree 2.33333: empty graph"]
    assert [record["seed"] for record in store.known.values()] == [0, 1]
    assert {record["status"] for record in store.known.values()} == {"ok"}


def test_there_are_at_most_as_many_tables_as_a_case_has(tmp_path: Path) -> None:
    sachs = [SachsCase("observational", "log", "sachs-853")]
    store = open_records(RECORDS, tmp_path)
    make_runs(store, WORKER, sachs, [find("sachs-853", "empty")], 10, Limits())
    assert len(store.known) == 3


def test_a_strange_method_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in THREADS:
        monkeypatch.setenv(name, "1")
    assert main(["run", "perfect", "--methods", "ges"]) == 1
    assert "There is no method ges; there are daglock, " in capsys.readouterr().err
