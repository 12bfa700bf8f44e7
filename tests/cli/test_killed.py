"""Processes that are killed, by SIGKILL: what is left is the old or the new, and work goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from daglock.cli.claiming import claimed
from daglock.cli.results import read_document
from daglock.confidence.workers import Workers
from daglock.errors import WorkerDiedError
from tests.cli.conftest import Run, model_of
from tests.cli.test_claiming import names
from tests.cli.test_results import make_result

DAGLOCK = [sys.executable, "-m", "daglock"]
PATIENCE = 240.0
# Writes results over others, and kills itself before it does the k-th thing to a file there.
WRITE = """
import os, signal, sys
from pathlib import Path
from daglock.cli import claiming, results

parent, k, swapping = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "True"
if not swapping:
    claiming.exchange = lambda first, second: False
seen = 0
EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.listdir")

def count(event, arguments):
    global seen
    if event in EVENTS and str(arguments[0]).startswith(str(parent)):
        seen += 1
        if seen == k:
            os.kill(os.getpid(), signal.SIGKILL)

with claiming.claimed(parent / "x", force=True) as claim:
    sys.addaudithook(count)
    with claim.writing() as new:
        for name in ("edges.csv", "model.npz", "graph.json"):
            text = '{"format": "daglock graph"}' if name == "graph.json" else "new"
            (new / name).write_text(text)
print(seen)
"""


def write_until(parent: Path, k: int, *, swapping: bool) -> subprocess.CompletedProcess[str]:
    """Write in a process of its own that is killed before the k-th operation."""
    command = [sys.executable, "-c", WRITE, str(parent), str(k), str(swapping)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def content(folder: Path) -> str:
    """Return which results these are; fail where they are neither."""
    assert read_document(folder)
    if (folder / "edges.csv").read_text() == "old":
        return "old"
    assert (folder / "edges.csv").read_text() == (folder / "model.npz").read_text() == "new"
    return "new"


@pytest.mark.parametrize("swapping", [True, False])
def test_killed_while_results_are_written(tmp_path: Path, swapping: bool) -> None:
    found = []
    for k in range(1, 100):
        parent = tmp_path / str(k)
        parent.mkdir()
        make_result(parent / "x")
        (parent / "x" / "notes.txt").write_text("mine")
        done = write_until(parent, k, swapping=swapping)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        if swapping:  # at any time; else when the next run has looked at it
            content(parent / "x")
        with claimed(parent / "x", force=True):
            found.append(content(parent / "x"))
        assert names(parent) == {"x"}
        assert (parent / "x" / "notes.txt").read_text() == "mine"
    assert len(found) == k - 1 >= 15
    assert found == sorted(found, reverse=True)  # once it is the new, it stays
    assert {*found} == {"old", "new"}


def wait_for_replicates(process: subprocess.Popen[bytes], file: Path, n: int) -> None:
    """Wait until a run has kept so many replicates."""
    end = time.monotonic() + PATIENCE
    while not file.exists() or file.read_bytes().count(b"\n") <= n:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize(("jobs", "killed"), [("1", (1, 9, 30)), ("2", (9,))])
@pytest.mark.slow
def test_killed_in_the_replicates_and_started_again(
    folder: Path, jobs: str, killed: tuple[int, ...]
) -> None:
    command = [*DAGLOCK, "learn", "data.csv", "--bootstrap", "60", "--jobs", jobs, "--out", "x"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
    whole = files(folder / "x")
    for file in (folder / "x").iterdir():
        file.unlink()
    (folder / "x").rmdir()
    for n in killed:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_for_replicates(process, folder / ".x.working" / "replicates.jsonl", n)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        about = read_document(folder / "x")  # the graph is there
        assert about["complete"] is False
        assert about["edges"]
    last = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
    assert "taken over from a run that did not finish: " in last.stderr
    assert files(folder / "x") == whole
    assert names(folder) == {"data.csv", "x"}


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after[1]) == pid:
            found.append(int(stat.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no list of processes")
@pytest.mark.slow
def test_a_worker_is_killed_and_nothing_is_missing(folder: Path) -> None:
    command = [*DAGLOCK, "learn", "data.csv", "--bootstrap", "200", "--jobs", "2", "--force"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for_replicates(process, folder / ".data.daglock.working" / "replicates.jsonl", 1)
    workers = [pid for pid in children(process.pid) if is_worker(pid)]
    assert workers
    os.kill(workers[0], signal.SIGKILL)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    assert b"Traceback" not in said
    killed = files(folder / "data.daglock")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
    assert files(folder / "data.daglock") == killed


def is_worker(pid: int) -> bool:
    """Whether this is one of joblib's processes that work."""
    line = Path(f"/proc/{pid}/cmdline").read_bytes()
    return b"loky" in line and b"tracker" not in line


@pytest.mark.slow
def test_three_deaths_of_a_replicate_keep_the_rest(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("learn", "data.csv", "--bootstrap", "12", "--out")
    assert run(*command, "whole").code == 0

    def die(self: Workers, work: Callable[..., Any], pieces: Sequence[Any]) -> Iterator[Any]:
        yield from (work(*piece) for piece in pieces[:3])
        raise WorkerDiedError(3, 3)

    with monkeypatch.context() as patch:
        patch.setattr(Workers, "in_order", die)
        ended = run(*command, "x")
    assert ended.code == 1
    assert ended.err.splitlines() == [
        "daglock: the graph is in x; this command goes on with what is done.",
        "daglock: Replicate 4 has ended its process 3 times, as the system does where memory runs "
        "out: use fewer processes (n_jobs, --jobs).",
    ]
    assert read_document(folder / "x")["complete"] is False
    again = run(*command, "x")
    assert again.code == 0
    assert "taken over from a run that did not finish: 3 replicates" in again.err
    for name in ("bootstrap.csv", "edges.csv"):
        assert (folder / "x" / name).read_bytes() == (folder / "whole" / name).read_bytes()
    assert model_of(folder / "x") == model_of(folder / "whole")


@pytest.mark.slow
def test_the_second_of_two_is_told(folder: Path) -> None:
    command = [*DAGLOCK, "learn", "data.csv", "--bootstrap", "5000", "--out", "x"]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_for_replicates(first, folder / ".x.working" / "replicates.jsonl", 1)
        second = subprocess.run([*command, "--force"], capture_output=True, text=True)
    finally:
        first.kill()
        first.wait()
    assert second.returncode == 4
    assert second.stderr == (
        "daglock: 'x' is being written by another process: wait for it, or choose another --out.\n"
    )


@pytest.mark.parametrize("after", [0.05, 0.15, 0.3, 0.5, 0.8, 1.2])
@pytest.mark.slow
def test_ctrl_c_while_packages_are_loaded(folder: Path, after: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STARTED, "learn", "data.csv", "--restarts", "100"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, 130)  # the faster the machine, the more was done
    assert "Traceback" not in said
    if process.returncode:
        assert "interrupted" in said


# As the script that pip installs; what Python does before that is not daglock's.
STARTED = """
import sys
from daglock.cli import program
print("started", flush=True)
sys.exit(program())
"""
# The same, interrupted where a function of the program is called, or when the program ends.
INTERRUPTED = """
import atexit, signal, sys
from daglock.cli import program

place = sys.argv.pop(1)

def interrupt(*_, **__):
    signal.raise_signal(signal.SIGINT)

def interrupted(function):
    def call(*arguments, **named):
        interrupt()
        return function(*arguments, **named)
    return call

if place == "exit":
    atexit.register(interrupt)
else:
    import daglock.cli.app as app
    setattr(app, place, interrupted(getattr(app, place)))
sys.exit(program())
"""


@pytest.mark.parametrize(
    "place", ["prepare_streams", "load_commands", "make_parser", "_end_on_sigterm", "exit"]
)
def test_ctrl_c_around_a_command(place: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, place, "check", "--help" if place == "exit" else "x"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if place == "exit":  # what was asked for is there
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "usage" in ended.stdout
    else:
        assert ended.returncode == 130
        assert ended.stderr == "daglock: interrupted; nothing was written.\n"


# `main` in somebody else's program.
HOST = """
import signal, sys
from daglock.cli import main

before = signal.getsignal(signal.SIGINT)
try:
    import daglock.cli.app as app
    def interrupt(*_):
        signal.raise_signal(signal.SIGINT)
    app.make_parser = interrupt
    main(["check", "x"])
except KeyboardInterrupt:
    print("heard")
assert signal.getsignal(signal.SIGINT) is before
"""


def test_whoever_calls_main_keeps_ctrl_c() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", HOST], capture_output=True, text=True, timeout=PATIENCE
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "heard\n", "")
