"""The line about compiling: once, and only when no kernels lie ready."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from daglock import _compiling


def numba_kernel(signatures: list[str], index: dict[str, str]) -> SimpleNamespace:
    """What the module looks at."""
    file = SimpleNamespace(_load_index=lambda: index)
    return SimpleNamespace(signatures=signatures, _cache=SimpleNamespace(_cache_file=file))


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (numba_kernel([], {}), True),
        (numba_kernel([], {"signature": "data"}), False),
        (numba_kernel(["signature"], {}), False),
        (lambda: None, False),  # Numba is switched off
    ],
)
def test_says_so_once_and_only_when_it_must(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kernel: object,
    said: bool,
) -> None:
    monkeypatch.setattr(_compiling, "_said", False)
    _compiling.announce_compilation(kernel)
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("daglock: compiling its kernels, once") == said
    assert output.err.count("\n") == said
    _compiling.announce_compilation(kernel)
    assert capsys.readouterr().err == ""


STEPS = """
from daglock import _compiling
from daglock.search.order import improve

def step(name):
    print(name, file=__import__("sys").stderr)
    _compiling._said = False
    _compiling.announce_compilation(improve)

file = improve._cache._cache_file
step("empty folder")
file._save_index({"signature": "data"})
step("index of this source")
file._source_stamp = (0.0, 0)
step("index of another source")
"""


def test_with_a_folder_of_its_own(tmp_path: Path) -> None:
    """Against Numba itself: an empty cache, a fresh index, and one of an older source."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-c", STEPS], env=environment, capture_output=True, text=True, check=True
    )
    lines = result.stderr.splitlines()
    assert [line for line in lines if not line.startswith("daglock")] == [
        "empty folder",
        "index of this source",
        "index of another source",
    ]
    assert [lines[i - 1] for i, line in enumerate(lines) if line.startswith("daglock")] == [
        "empty folder",
        "index of another source",
    ]


def test_without_numba_it_still_works() -> None:
    """NUMBA_DISABLE_JIT runs the kernels as Python: slow, and good for debugging."""
    code = (
        "import numpy as np; from daglock.engine import learn; from daglock.moments import Moments;"
        "X = np.random.default_rng(0).normal(size=(30, 3)); X[:, 2] += 2 * X[:, 0];"
        "print(learn(Moments.from_data(X), noise='unequal', n_restarts=1, rng=0).status.name)"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.stdout.strip(), result.stderr) == ("CONVERGED", "")
