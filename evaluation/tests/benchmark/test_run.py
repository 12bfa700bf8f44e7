"""The runner: what it records, what it does not do twice, what it does not try."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from daglock.typing import Array
from daglock_evaluation.benchmark import run as runner
from daglock_evaluation.benchmark.run import COLUMNS, LEAST, PATIENCE, SEEDS, Runner, plan
from daglock_evaluation.benchmark.runs import Record
from daglock_evaluation.benchmark.suites import Suite
from daglock_evaluation.harness.case import Case, SachsCase
from daglock_evaluation.harness.process import Limits
from daglock_evaluation.methods import Answer, Method

CASES = (Case(10, 1), Case(20, 1), Case(20, 2, n=100))
SUITE = Suite("toy", "A toy", CASES, ("fast", "slow"))
LIMITS = Limits(5.0, 1.0)
PLACES = {"daglock": "python"}


def nothing(X: Array, seed: int) -> Answer:
    raise AssertionError("a stub stands for the processes: no method may run here")


FAST = Method("fast", "Fast", "dag", nothing)
SLOW = Method("slow", "Slow", "dag", nothing)
BOTH = [FAST, SLOW]
ABSENT = Method("absent", "Absent", "dag", nothing, package="no-such-package")
TUNED = Method("tuned", "Tuned", "dag", nothing, grid=({"a": 1}, {"a": 2}, {"a": 3}))


class Stub:
    """Stands for the processes: remembers the jobs, and answers by rule."""

    def __init__(self, rule: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        self.jobs: list[dict[str, Any]] = []
        self.rule = rule

    def __call__(
        self, job: Mapping[str, Any], limits: Limits, **more: Any
    ) -> Iterator[dict[str, Any]]:
        self.jobs.append({**job, "limits": limits})
        for seed in job["seeds"]:
            result = self.rule({**job, "seed": seed})
            yield result
            if result["status"] != "ok":
                return

    @property
    def runs(self) -> list[tuple[str, int]]:
        """All that was asked for: method and seed."""
        return [(job["peer"], seed) for job in self.jobs for seed in job["seeds"]]


def fine(job: Mapping[str, Any]) -> dict[str, Any]:
    return {"status": "ok", "shd": 0, "cpdag_shd": 0, "cpu_seconds": 0.1}


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Stub:
    stand_in = Stub(fine)
    monkeypatch.setattr(runner, "run_job", stand_in)
    return stand_in


def run(path: Path, *peers: Method, seeds: int = 2, **more: Any) -> list[Record]:
    settings = {"limits": LIMITS, "places": PLACES, **more}
    return Runner(path, **settings).run(SUITE, peers, seeds)


def test_all_runs_are_made_and_recorded(tmp_path: Path, stub: Stub) -> None:
    found = run(tmp_path / "toy.jsonl", FAST, SLOW)
    assert len(found) == len(stub.runs) == 12
    assert len(stub.jobs) == 6  # one process for a method and a case
    lines = [json.loads(line) for line in (tmp_path / "toy.jsonl").read_text().splitlines()]
    assert lines == found
    first = lines[0]
    assert first["label"] == CASES[0].label
    assert (first["suite"], first["peer"], first["seed"], first["status"]) == (
        "toy",
        "fast",
        0,
        "ok",
    )
    assert (first["time_limit"], first["memory_limit"]) == (5.0, 1.0)
    assert first["machine"]["cores"]


def test_methods_take_turns_case_by_case() -> None:
    order = [(task.case.label, task.method.name, [*task.seeds]) for task in plan(SUITE, BOTH, 2)]
    first, second = CASES[0].label, CASES[1].label
    assert order[:3] == [(first, "fast", [0, 1]), (first, "slow", [0, 1]), (second, "fast", [0, 1])]


def test_what_is_recorded_does_not_run_again(tmp_path: Path, stub: Stub) -> None:
    path = tmp_path / "toy.jsonl"
    run(path, FAST)
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    path.write_text("".join(lines[:2]) + lines[2][:40])  # stopped in the middle of a line
    stub.jobs.clear()
    again = run(path, FAST)
    assert len(stub.runs) == 4
    assert len(again) == 6


def test_an_interrupted_run_is_not_recorded(tmp_path: Path, stub: Stub) -> None:
    left = [True, True, True]
    stub.rule = lambda job: fine(job) if left else {"status": "interrupted", "message": ""}
    found = run(
        tmp_path / "toy.jsonl", FAST, keep_going=lambda: bool(left) and (left.pop() or True)
    )
    assert 0 < len(found) < 6
    assert {record["status"] for record in found} == {"ok"}


def test_too_slow_for_a_case_is_not_tried_on_more_of_it(tmp_path: Path, stub: Stub) -> None:
    def rule(job: Mapping[str, Any]) -> dict[str, Any]:
        if job["peer"] == "slow":
            return {"status": "time limit", "message": "over 5 s"}
        return fine(job)

    stub.rule = rule
    found = run(tmp_path / "toy.jsonl", FAST, SLOW)
    slow = [(r["label"], r["seed"], r["status"]) for r in found if r["peer"] == "slow"]
    assert [status for _, _, status in slow] == [
        "time limit",
        "not run",  # the next seed
        "not run",
        "not run",  # the larger case of this family
        "time limit",  # another family
        "not run",
    ]
    assert "d=10, n=1000" in found[-1]["message"] or "d=20, n=100" in found[-1]["message"]
    assert all(r["status"] == "ok" for r in found if r["peer"] == "fast")


def test_more_time_makes_it_try_again(tmp_path: Path, stub: Stub) -> None:
    path = tmp_path / "toy.jsonl"
    stub.rule = lambda job: {"status": "time limit", "message": "over 5 s"}
    run(path, SLOW)
    stub.rule = fine
    stub.jobs.clear()
    assert {r["status"] for r in run(path, SLOW)} == {"time limit", "not run"}
    assert not stub.jobs
    assert {r["status"] for r in run(path, SLOW, limits=Limits(50.0, 1.0))} == {"ok"}
    assert len(stub.runs) == 6


def test_a_failure_is_a_row_and_the_others_go_on(tmp_path: Path, stub: Stub) -> None:
    stub.rule = lambda job: (
        {"status": "failed", "message": "boom"} if job["peer"] == "slow" else fine(job)
    )
    found = run(tmp_path / "toy.jsonl", FAST, SLOW)
    assert [r["status"] for r in found].count("failed") == 6  # the next seed may do better
    assert {(r["label"], r["seed"]) for r in found if r["status"] == "failed"} == {
        (case.label, seed) for case in CASES for seed in range(2)
    }


def test_a_slow_method_has_fewer_graphs_and_that_is_said(tmp_path: Path, stub: Stub) -> None:
    stub.rule = lambda job: {**fine(job), "cpu_seconds": 4.0 if job["peer"] == "slow" else 0.1}
    found = run(tmp_path / "toy.jsonl", FAST, SLOW, seeds=9)
    mine = [r for r in found if r["peer"] == "slow" and r["label"] == CASES[0].label]
    enough = PATIENCE * LIMITS.seconds
    done = max(LEAST, int(enough // 4.0) + 1)
    assert [r["status"] for r in mine] == ["ok"] * done + ["not run"] * (9 - done)
    assert mine[-1]["message"] == f"the first {done} took {4 * done} s"
    assert {r["status"] for r in found if r["peer"] == "fast"} == {"ok"}
    again = run(tmp_path / "toy.jsonl", FAST, SLOW, seeds=9)
    assert again == found


def test_a_package_that_comes_later_is_run_then(tmp_path: Path, stub: Stub) -> None:
    path = tmp_path / "toy.jsonl"
    found = run(path, ABSENT)
    assert {r["status"] for r in found} == {"not installed"}
    assert "no-such-package" in found[0]["message"]
    run(path, ABSENT)
    assert len(path.read_text().splitlines()) == 6  # it is said once
    found = run(path, ABSENT, places={**PLACES, "no-such-package": "python"})
    assert {r["status"] for r in found} == {"ok"}


def test_two_at_a_time_record_the_same(tmp_path: Path, stub: Stub) -> None:
    one = run(tmp_path / "one.jsonl", FAST, SLOW)
    two = run(tmp_path / "two.jsonl", FAST, SLOW, n_jobs=2)
    assert one == two


def test_options_are_tuned_on_other_data_and_once(tmp_path: Path, stub: Stub) -> None:
    def rule(job: Mapping[str, Any]) -> dict[str, Any]:
        return {**fine(job), "shd": {1: 4, 2: 1, 3: 1}[job["options"]["a"]]}

    stub.rule = rule
    found = run(tmp_path / "toy.jsonl", TUNED)
    assert {json.dumps(r["options"]) for r in found} == {'{"a": 2}'}  # the first of equals
    tried = [job for job in stub.jobs if job["seeds"][0] in SEEDS]
    assert len(tried) == len(CASES) * 3 * len(SEEDS)
    assert all(job["case"]["d"] <= COLUMNS for job in tried)
    stub.jobs.clear()
    (tmp_path / "toy.jsonl").unlink()
    run(tmp_path / "toy.jsonl", TUNED)
    assert not [job for job in stub.jobs if job["seeds"][0] in SEEDS]


def test_nothing_is_tuned_on_the_data_themselves(tmp_path: Path, stub: Stub) -> None:
    real = Suite("real", "Real", (SachsCase("observational"),), ("tuned",))
    found = Runner(tmp_path / "real.jsonl", LIMITS, PLACES).run(real, [TUNED], 1)
    assert [record["status"] for record in found] == ["not run"]
    assert "tune" in found[0]["message"]
    assert not stub.jobs


def test_a_cyclic_result_is_the_worst_when_tuning(tmp_path: Path, stub: Stub) -> None:
    case = Case(10, 1, standardised=True)
    stub.rule = lambda job: {
        **fine(job),
        "cpdag_shd": None if job["options"]["a"] == 1 else 9,
    }
    assert Runner(tmp_path / "t.jsonl", LIMITS, PLACES).tuned(TUNED, case) == {"a": 2}
