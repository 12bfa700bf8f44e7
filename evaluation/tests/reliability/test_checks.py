"""The checks of promises: they pass, and they fail where something is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from daglock import _csv
from daglock.cli import claiming
from daglock.confidence.checkpoint import Checkpoint
from daglock.confidence.resampled import Replicate
from daglock_evaluation.reliability import cutting, formulas, killing
from daglock_evaluation.reliability.__main__ import main
from daglock_evaluation.reliability.promise import Check, Promise, keep

QUICK: list[tuple[Check, int]] = [
    (killing.killed_while_writing, 12),
    (cutting.cut_replicates, 6),
    (cutting.cut_records, 1),
    (formulas.escaped, 300),
    (formulas.handed_over, 1),
]


@pytest.mark.parametrize(("check", "n"), QUICK, ids=lambda value: getattr(value, "__name__", ""))
def test_kept(check: Check, n: int) -> None:
    tried, failures = check(n, 1)
    assert tried >= n
    assert not failures


@pytest.mark.slow
def test_a_kill_that_leaves_nothing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def two_steps(first: Path, second: Path) -> bool:
        second.rename(first.with_name("old"))
        first.rename(second)
        return True

    monkeypatch.setattr(claiming, "exchange", two_steps)
    _, failures = killing.killed_while_writing(200, 1)
    assert any("the results are none" in failure for failure in failures)


def test_a_formula_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_csv, "escaped", lambda text: text)
    for check in (formulas.escaped, formulas.handed_over):
        _, failures = check(5, 1)
        assert any("would run" in failure for failure in failures)


def test_other_replicates_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    add = Checkpoint.add

    def twice(self: Checkpoint, one: Replicate, seconds: float | None = None) -> None:
        add(self, one)
        if self.found:
            add(self, one)

    monkeypatch.setattr(Checkpoint, "add", twice)
    _, failures = cutting.cut_replicates(10, 1)
    assert any("other replicates" in failure for failure in failures)


def test_a_check_that_breaks_has_not_passed() -> None:
    def broken(n: int, seed: int) -> tuple[int, list[str]]:
        raise ZeroDivisionError("oh")

    def idle(n: int, seed: int) -> tuple[int, list[str]]:
        return 0, []

    promises = [Promise("a", "b", check, 1, 1) for check in (broken, idle)]
    first, second = keep(promises, quick=True, seed=0)
    assert not first.kept
    assert first.failures == ("ZeroDivisionError: oh",)
    assert (second.kept, second.words) == (False, "NOTHING TRIED")


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("daglock_evaluation.reliability.__main__.with_one_thread", lambda module: 0)
    assert main(["--quick", "--only", "is a formula"]) == 0
    assert capsys.readouterr().out.startswith("passed 1,000 of 1,000: No text in a CSV is a form")
    with pytest.raises(SystemExit):
        main(["--write", "x", "--only", "formula"])
