"""`daglock bench`: running, resuming, interrupting, comparing, and what it prints."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

import daglock_evaluation.benchmark.suites
from daglock.cli.command import Exit
from daglock_evaluation.benchmark.suites import Suite
from daglock_evaluation.harness.case import Case

TOY = Suite(
    "toy",
    "A toy",
    (Case(8, 1, n=100), Case(12, 1, n=100)),
    ("daglock-equal", "empty"),
    seeds=2,
    time_limit=100.0,
)
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put one small suite in the place of all."""
    monkeypatch.setattr(daglock_evaluation.benchmark.suites, "suites", lambda: {"toy": TOY})
    for name in THREADS:
        monkeypatch.setenv(name, "1")


def records(folder: Path, suite: str = "toy") -> list[dict[str, Any]]:
    text = (folder / "records" / f"{suite}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.slow
def test_a_suite_runs_and_is_shown(run: Run, toy: None, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("bench", "--suite", "toy", "--out", str(out))
    assert done.code == Exit.DONE
    found = records(out)
    assert len(found) == 8
    assert {record["status"] for record in found} == {"ok"}
    for case in TOY.cases:
        assert case.label in done.out
    assert "daglock, told equal variances" in done.out
    page = (out / "benchmark.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page  # nothing is fetched
    before = (out / "records" / "toy.jsonl").read_text()
    run("bench", "--suite", "toy", "--out", str(out), "--docs", str(tmp_path))
    assert (out / "records" / "toy.jsonl").read_text() == before
    assert (tmp_path / "benchmarks.md").exists()


def test_fewer_methods_and_graphs(run: Run, toy: None, tmp_path: Path) -> None:
    run("bench", "--suite", "toy", "--peers", "empty", "--seeds", "1", "--out", str(tmp_path))
    found = records(tmp_path)
    assert [(record["peer"], record["seed"]) for record in found] == [("empty", 0)] * 2


def test_what_is_not_installed_is_said(run: Run, toy: None, tmp_path: Path) -> None:
    from daglock_evaluation.harness.process import locate

    if "xges" in locate(["xges"], [sys.executable]):
        pytest.fail("XGES conflicts with daglock's own needs: it cannot be installed beside it")
    done = run("bench", "--suite", "toy", "--peers", "xges,empty", "--out", str(tmp_path))
    assert done.code == Exit.DONE
    assert "Not installed, and so not compared: xges" in done.out
    assert {r["status"] for r in records(tmp_path) if r["peer"] == "xges"} == {"not installed"}


@pytest.mark.slow
def test_a_run_compares_with_an_earlier_one(run: Run, toy: None, tmp_path: Path) -> None:
    run("bench", "--suite", "toy", "--out", str(tmp_path))
    old = tmp_path / "old.jsonl"
    (tmp_path / "records" / "toy.jsonl").rename(old)
    again = ("bench", "--suite", "toy", "--out", str(tmp_path), "--compare", str(old))
    same = run(*again)
    assert same.code == Exit.DONE
    assert "Nothing is worse" in same.out
    assert "cannot be told" in same.out  # no clock: the empty graph does nothing
    better = [{**record, "shd": record["shd"] - 2} for record in records(tmp_path)]
    old.write_text("".join(json.dumps(record) + "\n" for record in better))
    worse = run(*again, "--report")
    assert worse.code == Exit.FAILED
    assert "worse than before" in worse.err
    assert "worse" in worse.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--suite", "nothing"), "There is no suite 'nothing'"),
        (("--peers", "nobody"), "There is no peer 'nobody'"),
        (("--seeds", "0"), "must be a whole number >= 1"),
        (("--time-limit", "-1"), "must be a number"),
        (("--compare", "absent.jsonl"), "there is no file 'absent.jsonl'"),
    ],
)
def test_wrong_use_is_one_sentence(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = run("bench", *arguments, "--out", str(tmp_path / "out"))
    assert done.code == Exit.USAGE
    assert sentence in done.err
    assert not (tmp_path / "out").exists()


def test_nothing_recorded_is_said(run: Run, toy: None, tmp_path: Path) -> None:
    done = run("bench", "--suite", "toy", "--report", "--out", str(tmp_path))
    assert done.code == Exit.DATA
    assert "Nothing is recorded" in done.err


def test_the_list_has_suites_and_methods(run: Run) -> None:
    done = run("bench", "--list")
    assert done.code == Exit.DONE
    for word in ("unequal", "real", "daglock-equal", "notears", "causal-learn"):
        assert word in done.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_who_ends_it_ends_all_of_it(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-c", "import sys; from daglock.cli import main; sys.exit(main())"]
    process = subprocess.Popen(
        [*command, "bench", "--suite", "check", "--peers", "empty", "--out", str(tmp_path)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        # As at a terminal: a parent may have told its children to ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    path = tmp_path / "records" / "check.jsonl"
    while process.poll() is None and (not path.exists() or not path.read_text()):
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert process.returncode == Exit.INTERRUPTED
        assert "goes on where this one stopped" in errors
    assert {record["status"] for record in records(tmp_path, "check")} == {"ok"}
    for _ in range(100):
        if not _children(process.pid):
            return
        time.sleep(0.1)
    pytest.fail("a run goes on that nobody waits for")


def _children(pid: int) -> list[str]:
    """Return the workers that a process left behind: their parent is gone, their session is not."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode().split("\0")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        if "daglock_evaluation.harness.worker" in words and parent in (1, pid):
            found.append(folder.name)
    return found
