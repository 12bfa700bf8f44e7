"""Pipes: `<(cat cells.csv)`, /dev/stdin and named pipes are read once, and whole."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from daglock import DAGLock, Moments
from daglock.cli.command import Exit
from daglock.errors import InvalidDataError
from daglock.table import read_file
from tests.cli.conftest import Run
from tests.cli.test_covariance import moments, triangle

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="descriptors have no names, and pipes no files"
)
# More than a pipe holds, and more than tells what a file is.
LARGE = 8_000


def long_table() -> bytes:
    X = np.random.default_rng(0).normal(size=(LARGE, 3)) @ [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    return ("a,b,c\n" + "".join(f"{x:.4f},{y:.4f},{z:.4f}\n" for x, y, z in X)).encode()


@contextmanager
def pipe(content: bytes) -> Iterator[str]:
    """Open a pipe as a shell does, and write to it."""
    out, into = os.pipe()

    def write() -> None:
        try:
            with os.fdopen(into, "wb") as stream:
                stream.write(content)
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield f"/dev/fd/{out}"
    finally:
        os.close(out)
        writer.join()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
@pytest.mark.parametrize("content", [long_table(), b"a;b\n1;2,5\n3;4,5\n2;1,5\n"])
def test_a_table(run: Run, content: bytes, pack: type[bytes]) -> None:
    Path("same.csv").write_bytes(content)
    wanted = json.loads(run("check", "same.csv", "--json").out)
    learned = json.loads(run("learn", "same.csv", "--json", "--bootstrap", "0").out)
    with pipe(pack(content)) as data:
        found = json.loads(run("check", data, "--json").out)
    with pipe(pack(content)) as data:
        shown = run("learn", data, "--json", "--bootstrap", "0")
    assert wanted | {"file": ""} == found | {"file": ""}
    assert json.loads(shown.out)["edges"] == learned["edges"]
    assert json.loads(shown.out)["data"]["rows"] == content.count(b"\n") - 1
    with pipe(pack(content)) as data:
        assert f"columns of {data}" in run("knowledge", data).out


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_covariance(run: Run, pack: type[bytes]) -> None:
    with pipe(pack(triangle(moments()).encode())) as data:
        shown = run("learn", data, "--bootstrap", "0")
    assert shown.code == Exit.DONE
    assert shown.out.startswith(f"{data}: the covariance of 5 columns from 500 rows")
    assert Path("pipe.daglock", "graph.json").exists()


def test_a_named_pipe_is_opened_once(folder: Path) -> None:
    os.mkfifo("cells.csv")
    command = [sys.executable, "-m", "daglock", "learn", "cells.csv", "--bootstrap", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            Path("cells.csv").write_bytes(long_table())
            out, _ = process.communicate(timeout=120)
        finally:
            process.kill()  # it would wait for another writer
    assert out.startswith(f"cells.csv: {LARGE:,} rows, 3 columns")
    assert Path("cells.daglock", "graph.json").exists()


def test_effect(run: Run) -> None:
    run("learn", "data.csv", "--bootstrap", "2", "--quiet")
    ask = ("effect", "data.daglock", "a", "b", "--json", "--data")
    with pipe(Path("data.csv").read_bytes()) as data:
        assert run(*ask, data) == run(*ask, "data.csv")


def test_in_python() -> None:
    with pipe(long_table()) as data:
        assert DAGLock().fit(data).moments_.n == LARGE
    with pipe(b"") as data, pytest.raises(InvalidDataError, match=f"{data} is empty"):
        read_file(data)
    with pipe(long_table()) as data, pytest.raises(InvalidDataError, match="can be read once"):
        Moments.from_source(data)
