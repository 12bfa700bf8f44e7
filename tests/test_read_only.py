"""A machine on which nothing can be written: daglock learns, and says what that costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from daglock.simulate import erdos_renyi, linear_sem

# Every Python process that finds this on its path is refused what a read-only disk refuses. Rights
# would do for most users, but not for root, as whom tests run in many containers.
READ_ONLY = """
import errno, os, sys

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

def refuse(event, arguments):
    if event == "open" and str(arguments[0]) != os.devnull and not isinstance(arguments[0], int):
        if arguments[2] & WRITING:
            raise OSError(errno.EROFS, "Read-only file system", arguments[0])
    elif event in ("os.mkdir", "os.rename", "os.remove", "os.chmod"):
        raise OSError(errno.EROFS, "Read-only file system", arguments[0])

sys.addaudithook(refuse)
"""


@pytest.mark.slow
def test_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(READ_ONLY)
    # so many that not all graphs are compared, whose few kernels are not worth a word
    X = linear_sem(erdos_renyi(16, 16, rng=0), 200, rng=1)
    lines = [",".join("abcdefghijklmnop"), *(",".join(map(repr, row)) for row in X.tolist())]
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    environment = {**os.environ, "HOME": "/nonexistent"}
    environment.pop("NUMBA_CACHE_DIR", None)
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(tmp_path), *filter(None, [environment.get("PYTHONPATH")])]
    )
    learn = [sys.executable, "-m", "daglock", "learn", "data.csv"]

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*learn, *options], cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    done = run("--json", "--bootstrap", "3")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["bootstrap"]["replicates"] == 3
    (said,) = done.stderr.splitlines()
    assert said.startswith("daglock: compiling its kernels, up to half a minute in every run")
    assert "set NUMBA_CACHE_DIR" in said
    refused = run("--bootstrap", "0")
    assert refused.returncode == 4
    (said,) = refused.stderr.splitlines()
    assert said == "daglock: 'data.daglock' cannot be written: Read-only file system."
