"""Running: every experiment on its smallest cases, twice; and what an interruption leaves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import pytest

from daglock.errors import InvalidParameterError
from daglock_evaluation.experiments import chapter, records, run
from daglock_evaluation.experiments.experiment import Case, Experiment, Record, Result
from daglock_evaluation.experiments.registry import NAMES, get
from daglock_evaluation.experiments.report import write_report
from daglock_evaluation.experiments.run import run_experiment
from daglock_evaluation.harness import store
from daglock_evaluation.harness.tables import escape as escape_markdown
from experiments.smallest import SMALLEST, without_times


def smallest(name: str) -> Experiment:
    """The experiment with its smallest cases for all."""
    return replace(get(name), cases=lambda quick: SMALLEST[name])


@pytest.mark.parametrize("name", NAMES)
def test_smallest_cases_twice(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = smallest(name)
    first = run_experiment(experiment, tmp_path / "records", quick=True)
    second = run_experiment(experiment, tmp_path / "second", quick=True)
    assert [record.case for record in first] == SMALLEST[name]
    for one, other in zip(first, second, strict=True):
        assert without_times(one.result) == without_times(other.result)
        json.dumps(one.result, allow_nan=False)
    for table in experiment.tables(first):
        assert len({len(row) for row in table.rows}) == 1
        assert all(isinstance(cell, str) for row in table.rows for cell in row)
    for verdict in experiment.verdicts(first):
        assert verdict.claim
        assert verdict.printed
        assert verdict.measured
        assert verdict.evidence.strip().endswith(".")
    monkeypatch.setattr(chapter, "get", smallest)
    page, text = write_report(tmp_path, names=[name])
    for path in page.parent.glob("img/reproduction/*"):
        assert path.stat().st_size > 1000
    for verdict in experiment.verdicts(first):
        assert escape(verdict.evidence.strip()) in page.read_text()
        assert escape_markdown(verdict.evidence) in text.read_text()


@pytest.mark.parametrize("name", NAMES)
def test_no_verdict_without_a_record(name: str) -> None:
    assert list(get(name).verdicts([])) == []


@pytest.mark.parametrize("name", NAMES)
def test_cases_are_different_and_quick_ones_fewer(name: str) -> None:
    experiment = get(name)
    assert experiment.name == name
    full, quick = experiment.cases(False), experiment.cases(True)
    for cases in (full, quick, SMALLEST[name]):
        keys = [store.key(case) for case in cases]
        assert len(set(keys)) == len(keys)
    assert 0 < len(quick) < len(full)


def test_unknown_name() -> None:
    with pytest.raises(InvalidParameterError, match=r"no experiment 'sache'; there are axioms, "):
        get("sache")


def counted(monkeypatch: pytest.MonkeyPatch, n: int) -> tuple[Experiment, list[int]]:
    """An experiment of n cases that remembers which of them ran."""
    ran: list[int] = []

    def cases(quick: bool) -> Sequence[Case]:
        return [{"k": k} for k in range(n)]

    def one(case: Case) -> Result:
        ran.append(case["k"])
        return {"square": case["k"] ** 2}

    def nothing(found: Sequence[Record]) -> Sequence[Any]:
        return []

    def no_figures(found: Sequence[Record]) -> Mapping[str, Any]:
        return {}

    experiment = Experiment("counted", "", "", cases, one, nothing, no_figures, nothing)
    monkeypatch.setattr(run, "get", lambda name: experiment)
    return experiment, ran


def test_what_is_recorded_does_not_run_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    experiment, ran = counted(monkeypatch, 5)
    answers = iter([True, True, False])
    found = run_experiment(experiment, tmp_path, quick=True, keep_going=lambda: next(answers))
    # the third ran and was not recorded: nobody knows whether it was left to finish
    assert [record.case["k"] for record in found] == [0, 1]
    ran.clear()
    found = run_experiment(experiment, tmp_path, quick=True)
    assert ran == [2, 3, 4]
    assert [record.result["square"] for record in found] == [0, 1, 4, 9, 16]
    assert run_experiment(experiment, tmp_path, quick=True) == found
    assert ran == [2, 3, 4]


def test_an_exception_keeps_what_came_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    experiment, _ = counted(monkeypatch, 5)

    def fails(case: Case) -> Result:
        if case["k"] == 2:
            raise KeyboardInterrupt
        return {"square": case["k"] ** 2}

    failing = replace(experiment, run=fails)
    monkeypatch.setattr(run, "get", lambda name: failing)
    with pytest.raises(KeyboardInterrupt):
        run_experiment(failing, tmp_path, quick=True)
    assert [record.case["k"] for record in records.read(tmp_path / "counted.jsonl")] == [0, 1]


def test_processes_give_what_one_gives(tmp_path: Path) -> None:
    experiment = smallest("origin")
    one = run_experiment(experiment, tmp_path / "one", quick=True)
    two = run_experiment(experiment, tmp_path / "two", quick=True, n_jobs=2)
    assert [(r.case, r.result) for r in one] == [(r.case, r.result) for r in two]
    assert all(record.seconds is not None for record in two)
