"""`daglock learn --cluster`: a real cluster does the work, and one that is not there is told of."""

from __future__ import annotations

import json
import logging
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from daglock.cli import cluster as cluster_module
from tests.cli.conftest import Run, model_of
from tests.cli.test_killed import files, wait_for_replicates
from tests.dask_cluster import DaskCluster

pytest.importorskip("distributed")

DAGLOCK = [sys.executable, "-m", "daglock"]
PATIENCE = 240.0


@pytest.mark.parametrize("kind", ["nobody", "silence", "nonsense"])
def test_a_scheduler_that_is_not_there(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(cluster_module, "CONNECTING", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        at = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        if kind == "nobody":
            server.close()
        if kind == "nonsense":
            threading.Thread(target=_answer, args=(server,), daemon=True).start()
        ended = run("learn", "data.csv", "--cluster", at)
    assert ended.code == 1
    assert ended.err == (
        f"daglock: No Dask scheduler answers at {at}: start one there (dask scheduler), or correct "
        "--cluster.\n"
    )
    assert [file.name for file in folder.iterdir()] == ["data.csv"]


def _answer(server: socket.socket) -> None:
    """Answer as a server of web pages does."""
    try:
        while True:
            with server.accept()[0] as other:
                other.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    except OSError:  # the test is over
        return


@pytest.mark.parametrize(
    "wrong", ["127.0.0.1:8786", "http://x:1", "tcp://x", "tcp://x:0", "tcp://x:65536", "tcp://:1"]
)
def test_what_is_no_address(run: Run, wrong: str) -> None:
    ended = run("learn", "data.csv", "--cluster", wrong)
    assert ended.code == 2
    assert ended.err.splitlines()[0] == (
        "daglock: argument --cluster: must be the address of a Dask scheduler, such as "
        f"tcp://HOST:8786; got {wrong!r}"
    )


def test_without_dask_it_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ended = run("learn", "data.csv", "--cluster", "tcp://127.0.0.1:1")
    assert ended.code == 1
    assert "--cluster needs Dask: " in ended.err
    assert "pip install 'daglock[dask]'" in ended.err


def test_nothing_of_what_dask_logs_is_shown() -> None:
    names = ("distributed.worker", "tornado.application")
    loggers = [logging.getLogger(name) for name in (*names, "distributed", "tornado")]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.INFO)
        cluster_module._hush()
        assert not any(logger.isEnabledFor(logging.CRITICAL) for logger in loggers)
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@pytest.mark.slow
def test_workers_are_killed_and_the_files_are_those_of_one_process(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    learn = [*DAGLOCK, "learn", "data.csv", "--bootstrap", "400", "--out"]
    subprocess.run([*learn, "one"], check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
    with DaskCluster(tmp_path_factory.mktemp("dask")) as cluster:
        there = ["--cluster", cluster.address]
        process = subprocess.Popen(
            [*learn, "two", *there], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        for kept in (1, 40, 100):
            wait_for_replicates(process, folder / ".two.working" / "replicates.jsonl", kept)
            cluster.kill()
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
        assert said == b""  # what Dask has to say of it is no news
        one, two = files(folder / "one"), files(folder / "two")
        for name in ("bootstrap.csv", "edges.csv", "graph.svg"):
            assert one[name] == two[name]
        assert model_of(folder / "one") == model_of(folder / "two")

        process = subprocess.Popen(
            [*learn, "three", *there, "--bootstrap", "100000"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        wait_for_replicates(process, folder / ".three.working" / "replicates.jsonl", 20)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert b"interrupted after" in said
        assert all(line.startswith(b"daglock: ") for line in said.splitlines()), said
    document = json.loads((folder / "three" / "graph.json").read_text())
    assert 20 <= document["bootstrap"]["replicates"] < 100_000
    assert not (folder / ".three.working").exists()
