"""Machines without a network, and machines on which nothing can be written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from daglock.simulate import erdos_renyi, linear_sem
from daglock_evaluation.reliability.promise import Ended

# Python runs this first in every process: it writes down who asks for another machine.
_WATCH = """
import os, sys

def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        where = arguments[1] if event == "socket.connect" else arguments[0]
        if not str(where).startswith("/") and "127.0.0.1" not in str(where):
            log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.write(log, f"{event} {where}\\n".encode())
            os.close(log)

sys.addaudithook(watch)
"""
# This one refuses what a read-only disk refuses; rights would not bind root.
_READ_ONLY = """
import errno, os, sys

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

def refuse(event, arguments):
    if event == "open" and not isinstance(arguments[0], int) and str(arguments[0]) != os.devnull:
        if arguments[2] & WRITING:
            raise OSError(errno.EROFS, "Read-only file system", arguments[0])
    elif event in ("os.mkdir", "os.rename", "os.remove", "os.chmod"):
        raise OSError(errno.EROFS, "Read-only file system", arguments[0])

sys.addaudithook(refuse)
"""
_FIT = """
import numpy as np, daglock
X = np.random.default_rng(0).normal(size=(200, 16))
X[:, 1] += X[:, 0]
model = daglock.DAGLock(random_state=0).fit(X)
assert model.certificate_.verify(model.moments_)
"""


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder whose sitecustomize it finds first."""
    path = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "HOME": "/nonexistent"}
    environment.pop("NUMBA_CACHE_DIR", None)
    full = [sys.executable, *command]
    return subprocess.run(full, cwd=folder, env=environment, capture_output=True, text=True)


def _write_data(folder: Path) -> None:
    """Write data.csv, of so many columns that all kernels are needed."""
    X = linear_sem(erdos_renyi(16, 16, rng=0), 200, rng=1)
    lines = [",".join("abcdefghijklmnop"), *(",".join(map(repr, row)) for row in X.tolist())]
    (folder / "data.csv").write_text("\n".join(lines) + "\n")


def no_network(n: int, seed: int) -> Ended:
    """Run the commands, and look who asks for another machine."""
    commands = (
        ["learn", "data.csv", "--bootstrap", "5", "--jobs", "2", "--out", "x"],
        ["check", "data.csv"],
        ["report", "x"],
        ["convert", "x", "--to", "json"],
        ["effect", "x", "a", "b", "--data", "data.csv"],
        ["knowledge", "data.csv"],
        ["simulate", "--out", "-"],
        ["demo", "--out", "demo"],
    )
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name), Path(name) / "asked"
        (folder / "sitecustomize.py").write_text(f"LOG = {str(log)!r}\n{_WATCH}")
        _write_data(folder)
        for command in commands[:n]:
            done = _run(folder, "-m", "daglock", *command)
            if done.returncode:
                failures.append(f"{command[0]}: code {done.returncode}: {done.stderr[-300:]}")
        if log.exists():
            failures += [f"asked for: {line}" for line in log.read_text().splitlines()]
    return len(commands[:n]), failures


def nothing_writable(n: int, seed: int) -> Ended:
    """Import, fit and learn where nothing can be written."""
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sitecustomize.py").write_text(_READ_ONLY)
        _write_data(folder)
        fitted = _run(folder, "-c", _FIT)
        if fitted.returncode:
            failures.append(f"fit: {fitted.stderr[-300:]}")
        learned = _run(folder, "-m", "daglock", "learn", "data.csv", "--json", "--bootstrap", "3")
        said = learned.stderr.splitlines()
        if learned.returncode or json.loads(learned.stdout)["bootstrap"]["replicates"] != 3:
            failures.append(f"learn: code {learned.returncode}: {learned.stderr[-300:]}")
        if len(said) != 1 or "set NUMBA_CACHE_DIR" not in said[0]:
            failures.append(f"learn does not say in one sentence what it costs: {said}")
        refused = _run(folder, "-m", "daglock", "learn", "data.csv", "--bootstrap", "0")
        if refused.returncode != 4 or len(refused.stderr.splitlines()) != 1:
            failures.append(f"--out that cannot be written: {refused.stderr[-300:]}")
    return 3, failures
