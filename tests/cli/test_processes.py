"""Real processes: Ctrl-C, a polite kill, a reader that goes away, a terminal without arrows."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from daglock.cli import main

pytestmark = pytest.mark.slow
DAGLOCK = [sys.executable, "-m", "daglock"]
# Nobody waits for so many, on a table that is too wide for all graphs to be compared.
FOREVER = ["wide.csv", "--restarts", "100000000", "--out", "wide.daglock"]
PATIENCE = 240.0


@pytest.fixture
def wide(folder: Path) -> Path:
    """Return a folder that holds wide.csv alone."""
    assert main(["simulate", "--nodes", "20", "--out", "wide.csv"]) == 0
    (folder / "data.csv").unlink()
    return folder


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start daglock with a terminal as its error stream; give it with the end that is read."""
    here, there = pty.openpty()
    termios.tcsetwinsize(there, (24, 80))  # on a terminal of no width a progress bar has no room
    process = subprocess.Popen(
        [*DAGLOCK, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=there,
        text=True,
        # Ctrl-C is ignored by what runs in the background, and so by what that starts
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    os.close(there)
    try:
        yield process, here
    finally:
        process.kill()  # a test that fails leaves nothing behind
        process.communicate()
        os.close(here)


def wait_for(terminal: int, words: str) -> str:
    """Read a terminal until it shows something."""
    shown = ""
    end = time.monotonic() + PATIENCE
    while words not in shown:
        assert time.monotonic() < end, shown
        if select.select([terminal], [], [], 1.0)[0]:
            try:
                shown += os.read(terminal, 4096).decode(errors="replace")
            except OSError:  # the other end was closed
                break
    assert words in shown, shown
    return shown


def test_ctrl_c_keeps_the_best_graph_so_far(wide: Path) -> None:
    with started(wide, "learn", *FOREVER) as (process, terminal):
        wait_for(terminal, "equal variances")  # the progress bar of the search
        process.send_signal(signal.SIGINT)
        wait_for(terminal, "interrupted; writing what there is")
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "! Interrupted; this is the best DAG so far." in out
    assert {file.name for file in wide.iterdir()} == {"wide.csv", "wide.daglock"}
    content = json.loads((wide / "wide.daglock" / "graph.json").read_text())
    assert content["status"] == "interrupted"
    assert content["certificate"]["is_dag"] is True
    assert content["edges"]


def test_ctrl_c_in_the_bootstrap_keeps_what_is_done(folder: Path) -> None:
    arguments = ("learn", "data.csv", "--bootstrap", "50000", "--json")
    with started(folder, *arguments) as (process, terminal):
        wait_for(terminal, "bootstrap")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    content = json.loads(out)
    assert content["status"] == "converged"
    assert 1 <= content["bootstrap"]["replicates"] < 50000
    assert all("claim" in edge for edge in content["edges"])


def test_a_polite_kill_leaves_nothing(wide: Path) -> None:
    with started(wide, "learn", *FOREVER) as (process, terminal):
        wait_for(terminal, "equal variances")
        process.terminate()
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGTERM
    assert [file.name for file in wide.iterdir()] == ["wide.csv"]


def test_quiet_when_piped(folder: Path) -> None:
    done = subprocess.run(
        [*DAGLOCK, "learn", "data.csv", "--bootstrap", "2"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("data.csv: 500 rows, 5 columns\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["learn", "data.csv", "--force"],
        ["simulate", "--out", "-", "--samples", "100000"],
        ["convert", "data.daglock", "--to", "graphml"],
        ["--help"],
    ],
)
def test_a_reader_that_goes_away(folder: Path, arguments: list[str]) -> None:
    assert main(["learn", "data.csv", "--quiet"]) == 0
    (folder / "data.daglock" / "report.html").unlink()
    process = subprocess.Popen(
        [*DAGLOCK, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(PATIENCE) == 0
    process.stderr.close()
    if arguments[0] == "learn":  # the work is done all the same
        assert (folder / "data.daglock" / "report.html").exists()


def test_a_terminal_without_arrows(folder: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    text = (folder / "data.csv").read_text().replace("a,b", "größe,β", 1)
    (folder / "data.csv").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [*DAGLOCK, "learn", "data.csv", "--noise", "unequal"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.isascii()
    assert " -> " in done.stdout or " -- " in done.stdout
    assert "\\xf6\\xdfe" in done.stdout
    graph = json.loads((folder / "data.daglock" / "graph.json").read_text(encoding="utf-8"))
    assert graph["nodes"][:2] == ["größe", "β"]
