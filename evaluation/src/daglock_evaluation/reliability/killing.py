"""Processes that are killed while they write, while they learn, and two that write at once."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from daglock.cli import claiming
from daglock.cli.claiming import claimed
from daglock.cli.results import FORMAT, GRAPH, read_document
from daglock.confidence.workers import Workers
from daglock.errors import DaglockError, WorkerDiedError
from daglock.estimator import load
from daglock_evaluation.reliability.processes import (
    Child,
    files,
    learning,
    moments,
    names,
    workplace,
)
from daglock_evaluation.reliability.promise import Ended

# What Python tells before it does something to a file.
_EVENTS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.listdir")
_HEAD = f'{{"format": "{FORMAT}"}}'


# --- while results are written


def _writing(parent: Path, k: int, *, swapping: bool) -> Callable[[], int]:
    """Return what writes results and kills itself before the k-th thing that it does to a file."""

    def work() -> int:
        seen = 0

        def count(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal seen
            if event in _EVENTS and str(arguments[0]).startswith(str(parent)):
                seen += 1
                if seen == k:
                    os.kill(os.getpid(), signal.SIGKILL)

        if not swapping:
            vars(claiming)["exchange"] = lambda first, second: False
        with claimed(parent / "x", force=True) as claim:
            sys.addaudithook(count)
            with claim.writing() as new:
                (new / "edges.csv").write_text("new")
                (new / "model.npz").write_text("new")
                (new / GRAPH).write_text(_HEAD)
        return 0

    return work


def _which(folder: Path) -> str:
    """Return which results these are."""
    there = {name: content.decode() for name, content in files(folder).items()}
    there.pop("notes.txt", None)
    if there == {GRAPH: _HEAD, "edges.csv": "old"}:
        return "old"
    if there == {GRAPH: _HEAD, "edges.csv": "new", "model.npz": "new"}:
        return "new"
    return "none" if not there else f"half ({', '.join(there)})"


def killed_while_writing(n: int, seed: int) -> Ended:
    """Kill a process before each thing that it does to a file; n of these at the most."""
    cases = list(product((True, False), (True, False), range(1, 60)))
    chosen = np.random.default_rng(seed).permutation(len(cases)).tolist()
    failures, tried = [], 0
    for at in chosen:
        swapping, there, k = cases[at]
        if tried == n:
            break
        with tempfile.TemporaryDirectory() as name:
            parent = Path(name) / "here"
            parent.mkdir()
            if there:
                (parent / "x").mkdir()
                (parent / "x" / GRAPH).write_text(_HEAD)
                (parent / "x" / "edges.csv").write_text("old")
                (parent / "x" / "notes.txt").write_text("mine")
            child = Child(_writing(parent, k, swapping=swapping), Path(name) / "said")
            if child.wait() != -signal.SIGKILL:
                continue  # it does fewer things than that
            tried += 1
            found = _wrong(parent, swapping=swapping, there=there)
            failures += [f"killed at {k} (swapping: {swapping}): {problem}" for problem in found]
    return tried, failures


def _wrong(parent: Path, *, swapping: bool, there: bool) -> Iterator[str]:
    """Yield what is wrong after a kill, and after the next process."""
    allowed = {"old", "new"} if there else {"none", "new"}
    if swapping and (now := _which(parent / "x")) not in allowed:
        yield f"the results are {now}"
    with claimed(parent / "x", force=True):
        if (now := _which(parent / "x")) not in allowed:
            yield f"the results are {now} after the next run has looked"
    if there and (parent / "x" / "notes.txt").read_text() != "mine":
        yield "a file of the user is gone"
    if left := names(parent) - {"x"}:
        yield f"left over: {', '.join(left)}"


# --- while a graph is learned


def killed_anywhere(n: int, seed: int) -> Ended:
    """Kill learning at any moment, two or three times in a row, then let it finish."""
    failures, tried, lives = [], 0, 3
    with workplace(seed) as folder:
        options = ("--bootstrap", "60")
        took = []
        for _ in range(3):  # the first compiles
            shutil.rmtree(folder / "x", ignore_errors=True)
            began = time.monotonic()
            Child(learning(folder, *options), folder / "said").wait()
            took.append(time.monotonic() - began)
        whole = files(folder / "x")
        shutil.rmtree(folder / "x")
        for after in moments(4 * n, seed, min(took)):
            if tried == n:
                break
            child = Child(learning(folder, *options), folder / "said")
            time.sleep(after)
            child.kill()
            if child.wait() == -signal.SIGKILL:
                tried, lives = tried + 1, lives - 1
                failures += [f"kill {tried}: {what}" for what in _unusable(folder / "x")]
            if not lives or tried == n:
                lives = 3
                failures += [f"kill {tried}: {w}" for w in _not_as(whole, folder, options)]
            elif read_document(folder / "x").get("complete"):  # it was too late
                shutil.rmtree(folder / "x")
    return tried, failures


def _not_as(whole: dict[str, bytes], folder: Path, options: tuple[str, ...]) -> Iterator[str]:
    """Learn once more, undisturbed; yield what is not as it is without any disturbance."""
    child = Child(learning(folder, *options), folder / "said")
    code = child.wait()
    if code not in (0, 4):  # 4: all was written before the kill
        yield f"then code {code}: {child.text()[-300:]}"
    if files(folder / "x") != whole:
        yield "then other results"
    if left := names(folder) - {"data.csv", "x", "said"}:
        yield f"then left over: {', '.join(left)}"
    shutil.rmtree(folder / "x", ignore_errors=True)


def _unusable(folder: Path) -> Iterator[str]:
    """Yield what is wrong with results, where there are any."""
    if not folder.exists():
        return
    if not read_document(folder).get("edges"):
        yield "results without a graph"
    try:
        load(folder)
    except DaglockError as error:
        yield f"results that cannot be loaded: {error}"


# --- workers


def workers_killed(n: int, seed: int) -> Ended:
    """Kill one of two processes that make replicates; nothing may be missing in the end."""
    failures, tried = [], 0
    options = ("--bootstrap", "150", "--jobs", "2", "--force")
    with workplace(seed) as folder:
        Child(learning(folder, *options), folder / "said").wait()
        whole = files(folder / "x")
        rng = np.random.default_rng(seed)
        for k in range(n):
            child = Child(learning(folder, *options), folder / "said")
            if pid := _worker_of(child, folder, least=int(rng.integers(1, 60)), rng=rng):
                os.kill(pid, signal.SIGKILL)
                tried += 1
            code = child.wait()
            if code or "Traceback" in child.text():
                failures.append(f"death {k}: code {code}: {child.text()[-300:]}")
            if files(folder / "x") != whole:
                failures.append(f"death {k}: the results differ")
    return tried, failures


def _worker_of(child: Child, folder: Path, *, least: int, rng: np.random.Generator) -> int | None:
    """Return a process that works for another, once so many replicates are done."""
    kept, end = folder / ".x.working" / "replicates.jsonl", time.monotonic() + 120
    while time.monotonic() < end:
        if kept.exists() and kept.read_bytes().count(b"\n") > least:
            found = [pid for pid in _children(child.pid) if _is_worker(pid)]
            return int(rng.choice(found)) if found else None
        time.sleep(0.005)
    return None


def _children(pid: int) -> Iterator[int]:
    """Yield the processes that a process has started."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == pid:
            yield int(stat.parent.name)


def _is_worker(pid: int) -> bool:
    """Whether this is one of joblib's processes that work."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"loky" in line and b"tracker" not in line


def deadly(number: int, which: int) -> int:
    """Return a number, except of one, at which the process dies."""
    if number == which:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def always_dying(n: int, seed: int, make: Callable[[], Any] = lambda: Workers(2)) -> Ended:
    """Give workers a piece of work that nobody survives."""
    failures = []
    for which in np.random.default_rng(seed).integers(0, 8, size=n).tolist():
        done: list[int] = []
        try:
            with make() as workers:
                done.extend(workers.in_order(deadly, [(k, which) for k in range(8)]))
            failures.append(f"piece {which}: no error")
        except WorkerDiedError as error:
            if error.piece != which or done != list(range(which)):
                failures.append(f"piece {which}: kept {done}, said {error}")
    return n, failures


# --- two at once, and Ctrl-C


def two_at_once(n: int, seed: int) -> Ended:
    """Let two processes learn into the same folder."""
    failures = []
    with workplace(seed) as folder:
        for k in range(n):
            two = [
                Child(learning(folder, "--bootstrap", "20", "--force"), folder / f"said{i}")
                for i in range(2)
            ]
            codes = sorted(child.wait() for child in two)
            told = [child.text().count("is being written by another process") for child in two]
            # where the first has finished before the second asks, both write, one after the other
            if not (codes == [0, 4] and sum(told) == 1) and codes != [0, 0]:
                failures.append(f"pair {k}: codes {codes}")
            failures += [f"pair {k}: {what}" for what in _unusable(folder / "x")]
            if left := names(folder) - {"data.csv", "x", "said0", "said1"}:
                failures.append(f"pair {k}: left over: {', '.join(left)}")
    return n, failures


_STARTED = """
import sys
from daglock.cli import program
print("started", flush=True)
sys.exit(program())
"""


def interrupted_while_loading(n: int, seed: int) -> Ended:
    """Press Ctrl-C while packages are loaded, or shortly after."""
    failures = []
    for after in moments(n, seed, 2.0):
        with workplace(seed) as folder:
            process = subprocess.Popen(
                [sys.executable, "-c", _STARTED, "learn", "data.csv", "--restarts", "100"],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate()
            if process.returncode not in (0, 130) or "Traceback" in said:
                failures.append(f"after {after:.2f} s: code {process.returncode}: {said[-300:]}")
    return n, failures
