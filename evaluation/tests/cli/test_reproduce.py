"""`daglock reproduce`: running, resuming, interrupting, and what it prints."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

from daglock.cli.command import Exit
from daglock_evaluation.experiments import cycles, origin, records, registry
from daglock_evaluation.experiments.experiment import (
    Case,
    Experiment,
    Outcome,
    Record,
    Result,
    Verdict,
)
from daglock_evaluation.harness.tables import Table

RECORDS = Path("reproduction/records")


def fake(name: str, one: Callable[[Case], Result]) -> Experiment:
    """An experiment of 3 quick and 5 full cases."""

    def cases(quick: bool) -> Sequence[Case]:
        return [{"k": k} for k in range(3 if quick else 5)]

    def tables(found: Sequence[Record]) -> Sequence[Table]:
        return [Table("Squares", [["k"], *([str(record.case["k"])] for record in found)])]

    def figures(found: Sequence[Record]) -> Mapping[str, Any]:
        return {}

    def verdicts(found: Sequence[Record]) -> Sequence[Verdict]:
        claim = f"{name}: the claim, which is a sentence that takes more room than a line has"
        return [Verdict(claim, "1", str(len(found)), Outcome.CORRECTED, "Seen.")] if found else []

    return Experiment(name, f"On {name}", "Table 1", cases, one, tables, figures, verdicts)


def square(case: Case) -> Result:
    return {"square": case["k"] ** 2}


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put two experiments in the place of all."""
    monkeypatch.setattr(registry, "NAMES", ("origin", "cycles"))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
        monkeypatch.setenv(name, "7")

    def put(one: Callable[[Case], Result] = square) -> None:
        monkeypatch.setattr(origin, "EXPERIMENT", fake("origin", one))
        monkeypatch.setattr(cycles, "EXPERIMENT", fake("cycles", square))

    put()
    return put


def known(name: str, folder: Path = RECORDS) -> list[int]:
    return sorted(record.case["k"] for record in records.read(folder / f"{name}.jsonl"))


def test_one_experiment(run: Run, install: Callable[..., None]) -> None:
    done = run("reproduce", "origin")
    assert done.code == Exit.DONE
    assert known("origin") == [0, 1, 2, 3, 4]
    assert "origin.0  corrected  origin: the claim, which is a" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert "1 claims: 0 confirmed, 1 corrected, 0 not confirmed, 0 undecided." in done.out
    assert "Full run, 5 cases" in Path("reproduction/origin.md").read_text()
    assert os.environ["OMP_NUM_THREADS"] == "1"


def test_quick_ones_have_a_folder_of_their_own(run: Run, install: Callable[..., None]) -> None:
    assert run("reproduce", "origin", "cycles", "--quick", "--quiet") == (0, "", "")
    assert known("origin", Path("reproduction/quick/records")) == [0, 1, 2]
    assert known("cycles", Path("reproduction/quick/records")) == [0, 1, 2]
    assert not RECORDS.exists()


def test_all_ends_with_the_report(run: Run, install: Callable[..., None]) -> None:
    done = run("reproduce", "all", "--out", "there")
    assert done.code == Exit.DONE
    assert "Report: there/reproduction.html" in done.out
    text = Path("there/reproduction.md").read_text()
    assert "## On origin" in text
    assert "## On cycles" in text


def test_report_goes_where_the_documents_are(run: Run, install: Callable[..., None]) -> None:
    run("reproduce", "origin", "--quiet")
    run("reproduce", "report")
    assert Path("reproduction/reproduction.md").exists()
    assert run("reproduce", "report", "--docs", "docs").code == Exit.DONE
    Path("docs/reproduction.md").write_text("old")
    shown = run("reproduce", "report", "--out", "reproduction").out
    assert "Report: docs/reproduction.md" in shown
    text = Path("docs/reproduction.md").read_text()
    assert "Not run yet: daglock reproduce cycles" in text
    assert "Full run, 5 cases" in text


def test_list(run: Run, install: Callable[..., None]) -> None:
    run("reproduce", "origin", "--quiet")
    shown = run("reproduce", "list").out.splitlines()
    assert shown[2].split() == ["origin", "Table", "1", "5", "of", "5,", "full", "run"]
    assert shown[3].split() == ["cycles", "Table", "1", "0", "of", "5"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["sache"], "no experiment 'sache'; there are origin, cycles"),
        (["origin", "all"], "'all' stands alone"),
        (["sache.1"], "no experiment 'sache'; there are origin, cycles"),
        (["origin.0"], "no claim origin.0 in reproduction; judged on what is recorded there: none"),
        (["list", "report"], "'list' stands alone"),
    ],
)
def test_wrong_names(run: Run, install: Callable[..., None], names: list[str], words: str) -> None:
    done = run("reproduce", *names)
    assert done.code == Exit.USAGE
    assert words in done.err
    assert not Path("reproduction").exists()


def test_a_claim_by_its_number(run: Run, install: Callable[..., None]) -> None:
    run("reproduce", "origin", "--quiet")
    done = run("reproduce", "origin.0")
    assert done.code == Exit.DONE
    assert done.out.startswith("origin.0: confirmed with a correction\nClaim: origin: the claim")
    for line in ("The paper: 1", "Measured: 5", "Evidence: Seen.", "Full run, 5 cases"):
        assert f"\n{line}" in done.out
    assert "judged on what is recorded there: origin.0." in run("reproduce", "origin.3").err


def test_interrupted_and_resumed(run: Run, install: Callable[..., None]) -> None:
    def interrupted(case: Case) -> Result:
        if case["k"] == 2:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10.0)
        return square(case)

    install(interrupted)
    done = run("reproduce", "origin", "cycles")
    assert done.code == Exit.INTERRUPTED
    assert "the same command goes on where this one stopped: daglock reproduce origin" in done.err
    assert known("origin") == [0, 1]
    assert known("cycles") == []
    ran = []

    def watched(case: Case) -> Result:
        ran.append(case["k"])
        return square(case)

    install(watched)
    assert run("reproduce", "origin", "cycles").code == Exit.DONE
    assert ran == [2, 3, 4]
    assert known("origin") == known("cycles") == [0, 1, 2, 3, 4]


def test_a_solver_that_swallows_the_interruption_is_not_recorded(
    run: Run, install: Callable[..., None]
) -> None:
    def swallowed(case: Case) -> Result:
        if case["k"] == 2:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(10.0)
            except KeyboardInterrupt:
                return {"square": -1}
        return square(case)

    install(swallowed)
    before = signal.getsignal(signal.SIGINT)  # a job in the background ignores it
    assert run("reproduce", "origin", "cycles").code == Exit.INTERRUPTED
    assert known("origin") == [0, 1]
    assert known("cycles") == []
    assert signal.getsignal(signal.SIGINT) is before


def test_one_that_fails_does_not_stop_the_others(run: Run, install: Callable[..., None]) -> None:
    def fails(case: Case) -> Result:
        if case["k"] == 1:
            raise ZeroDivisionError("in the middle")
        return square(case)

    install(fails)
    done = run("reproduce", "all")
    assert done.code == Exit.FAILED
    assert "ZeroDivisionError: in the middle" in done.err
    assert "failed: origin" in done.err
    assert known("origin") == [0]
    assert known("cycles") == [0, 1, 2, 3, 4]


def test_out_that_is_a_file(run: Run, install: Callable[..., None]) -> None:
    done = run("reproduce", "origin", "--out", "data.csv")
    assert done.code == Exit.OUTPUT
    assert "data.csv' is not a folder" in done.err


def test_a_real_process_with_workers(folder: Path) -> None:
    command = ["reproduce", "smoothing", "--quick", "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "daglock", *command],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    path = folder / "reproduction/quick/records/smoothing.jsonl"
    try:
        end = time.monotonic() + 240.0
        while not records.read(path):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers as well
        _, shown = process.communicate(timeout=120)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == Exit.INTERRUPTED
    assert "goes on where this one stopped: daglock " + " ".join(command) in shown
    assert "Traceback" not in shown
    assert records.read(path)
