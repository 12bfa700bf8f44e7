"""A run in its own process: limits, failures, interruption."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from daglock_evaluation.harness import process
from daglock_evaluation.harness.case import Case
from daglock_evaluation.harness.process import Limits, locate

LIMITS = Limits(60.0, 8.0)


def job(peer: str = "empty", **more: Any) -> dict[str, Any]:
    return {
        "peer": peer,
        "case": Case(10, 1, n=100).settings(),
        "seeds": [0],
        "options": {},
        **more,
    }


def run_job(*given: Any, **more: Any) -> dict[str, Any]:
    """Return what becomes of a job with one seed."""
    [found] = process.run_job(*given, **more)
    return found


def impostor(tmp_path: Path, code: str) -> str:
    """Return an interpreter that runs this code in place of the worker's."""
    script = tmp_path / "python"
    script.write_text(
        f"#!{sys.executable}\nimport json, os, sys, time\n"
        "report = os.fdopen(json.loads(sys.argv[-1])['report_to'], 'w', 1)\n"
        "def say(**event): print(json.dumps(event), file=report)\n" + code
    )
    script.chmod(0o755)
    return str(script)


def test_a_run_gives_its_figures() -> None:
    found = run_job(job(), LIMITS)
    assert found["status"] == "ok"
    assert (found["shd"], found["n_edges"], found["is_dag"]) == (10, 0, True)
    assert 0.0 < found["seconds"] < 60.0
    assert found["repeats"] > 1
    assert found["peak_mb"] > 10.0
    assert found["made_with"]["python"] == sys.version.split()[0]


def test_several_seeds_share_a_process() -> None:
    found = list(process.run_job(job(seeds=[0, 1, 2]), LIMITS))
    assert [one["status"] for one in found] == ["ok"] * 3
    assert len({one["data"] for one in found}) == 3
    assert found[1]["data"] == run_job(job(seeds=[1]), LIMITS)["data"]


def test_each_seed_has_the_whole_limit_and_the_last_words_end_it(tmp_path: Path) -> None:
    code = (
        "for k in range(3): say(event='begin'); time.sleep(0.8); say(event='result', shd=k)\n"
        "say(event='begin'); time.sleep(600)"
    )
    python = impostor(tmp_path, code)
    found = list(process.run_job(job(seeds=[*range(9)]), Limits(0.4, 8.0), python=python))
    assert [one.get("shd") for one in found] == [0, 1, 2, None]
    assert found[-1] == {"status": "time limit", "message": "over 0.4 s"}


@pytest.mark.slow
def test_all_methods_get_the_same_data_with_mixed_columns() -> None:
    found = [run_job(job(peer), LIMITS) for peer in ("empty", "daglock-equal")]
    assert found[0]["data"] == found[1]["data"]
    assert run_job(job(seeds=[1]), LIMITS)["data"] != found[0]["data"]


def test_a_process_has_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    python = impostor(tmp_path, "say(event='result', threads=os.environ['OMP_NUM_THREADS'])")
    assert run_job(job(), LIMITS, python=python)["threads"] == "1"


def test_a_failure_is_a_result_with_its_reason() -> None:
    found = run_job(job("no-such-method"), LIMITS)
    assert found["status"] == "failed"
    assert "no-such-method" in found["message"]


def test_a_crash_is_a_result(tmp_path: Path) -> None:
    python = impostor(tmp_path, "os.kill(os.getpid(), 11)")
    assert run_job(job(), LIMITS, python=python) == {
        "status": "failed",
        "message": "ended by signal 11",
    }


def test_the_clock_starts_with_the_run_that_counts(tmp_path: Path) -> None:
    code = "time.sleep(1.0); say(event='begin'); say(event='result', shd=0)"
    assert run_job(job(), Limits(0.5, 8.0), python=impostor(tmp_path, code))["status"] == "ok"


def test_too_slow_is_a_result_and_nothing_is_left_running(tmp_path: Path) -> None:
    code = (
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.fork() or os.getpid()))\n"
        "say(event='begin'); time.sleep(600)"
    )
    found = run_job(job(), Limits(0.5, 8.0), python=impostor(tmp_path, code))
    assert found == {"status": "time limit", "message": "over 0.5 s"}
    gone = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not Path(f"/proc/{gone}").exists() or "Z" in Path(f"/proc/{gone}/stat").read_text():
            break
        time.sleep(0.05)
    else:
        os.kill(gone, 9)
        pytest.fail("a process outlived its limit")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell")
def test_too_much_memory_is_a_result(tmp_path: Path) -> None:
    code = (
        "say(event='begin'); block = bytearray(400 << 20)\n"
        "block[::4096] = b'x' * len(block[::4096]); time.sleep(600)"
    )
    found = run_job(job(), Limits(60.0, 0.2), python=impostor(tmp_path, code))
    assert found == {"status": "memory limit", "message": "over 0.2 GB"}


def test_an_interruption_ends_it(tmp_path: Path) -> None:
    python = impostor(tmp_path, "say(event='begin'); time.sleep(600)")
    answers = iter([True, True])
    found = run_job(job(), LIMITS, python=python, keep_going=lambda: next(answers, False))
    assert found["status"] == "interrupted"


def test_packages_are_looked_for_in_all_interpreters() -> None:
    places = locate(["numpy", "no-such-package"], [sys.executable])
    assert places["numpy"] == sys.executable
    assert places["daglock"] == sys.executable
    assert "no-such-package" not in places
