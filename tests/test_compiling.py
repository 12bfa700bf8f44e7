"""The line about compiling: once, and only when no kernels lie ready."""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import time

import pytest

from daglock import _compiling

KERNEL = """
from daglock._compiling import kernel, part

@part
def double(x):
    return 2 * x

@kernel
def six(x):
    return 3 * double(x)
"""

STEPS = """
import os, sys
from daglock import _compiling
from kernels import six

_compiling.announce_compilation(six)
print(six(7))
_compiling._said = False
_compiling.announce_compilation(six)  # it has been compiled by now
"""


FITS = """
from numba.core import event

compiled = []

class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__qualname__)

    def on_end(self, event):
        pass

from daglock import DAGLock
from daglock.simulate import erdos_renyi, linear_sem, mixed_sem

W = erdos_renyi(20, 20, rng=0)
X = linear_sem(W, 300, rng=0)
with event.install_listener("numba:compile", Listener()):
    DAGLock(noise="unequal").fit(X)
    DAGLock(noise="equal").fit(X[:, :8])
    DAGLock().fit(X, regimes=["a"] * 150 + ["b"] * 150, targets={"b": ["x0"]})
    DAGLock(curved=True).fit(X)
    for discrete in (0.5, 1.0):
        DAGLock().fit(mixed_sem(W, 300, discrete=discrete, rng=0))
print(compiled)
"""


@pytest.mark.slow
def test_nothing_is_compiled_in_another_process() -> None:
    """Of any criterion: a kernel that is not found again costs seconds in every run."""
    for _ in range(2):
        result = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", FITS],
            capture_output=True,
            text=True,
            check=True,
        )
    assert result.stdout == "[]\n"


def announced(folder: Path, expected: str = "42\n") -> list[str]:
    """What a new process says on the error stream, which compiles there unless it finds it."""
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]),
    }
    result = subprocess.run(
        [sys.executable, "-c", STEPS], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout == expected
    return result.stderr.splitlines()


def test_says_so_only_when_it_must(tmp_path: Path) -> None:
    """Against Numba itself: nothing compiled yet, compiled before, and from an older source."""
    source = tmp_path / "kernels.py"
    source.write_text(KERNEL)
    (line,) = announced(tmp_path)
    assert line.startswith("daglock: compiling its kernels, once after an installation")
    assert announced(tmp_path) == []
    later = source.stat().st_mtime + 100
    os.utime(source, (later, later))
    assert announced(tmp_path) == [line]


@pytest.mark.slow
def test_what_a_part_of_another_file_was_is_not_kept(tmp_path: Path) -> None:
    """Numba looks at the file of a kernel alone: it would give 42 again."""
    parts, kernels = KERNEL.split("@kernel")
    piece = tmp_path / "pieces.py"
    piece.write_text(parts)
    head = "from daglock._compiling import kernel\nfrom pieces import double\n@kernel"
    (tmp_path / "kernels.py").write_text(head + kernels)
    announced(tmp_path)
    assert announced(tmp_path) == []
    piece.write_text(parts.replace("2 * x", "4 * x"))
    (line,) = announced(tmp_path, "84\n")
    assert line.startswith("daglock: compiling its kernels")
    assert announced(tmp_path, "84\n") == []
    later = time() + 1e6  # a clock that was wrong
    os.utime(piece, (later, later))
    assert announced(tmp_path, "84\n") == []


def test_says_so_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "fresh.py").write_text(KERNEL)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_compiling, "_said", False)
    fresh = importlib.import_module("fresh")
    for said in (1, 0):
        _compiling.announce_compilation(fresh.six)
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.count("\n") == said
    monkeypatch.setattr(_compiling, "_said", False)
    _compiling.announce_compilation(lambda: None)  # Numba is switched off
    assert capsys.readouterr().err == ""


def test_a_full_disk_is_no_place_for_kernels(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "full.py").write_text(KERNEL)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_compiling, "_said", False)
    monkeypatch.setattr(_compiling, "_writable", True)
    monkeypatch.setattr(_compiling, "ROOM", 1 << 70)
    six = importlib.import_module("full").six
    assert six.stats.cache_path is None
    _compiling.announce_compilation(six)
    assert "in every run, for no folder" in capsys.readouterr().err
    assert six(7) == 42


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


class Kernel:
    """One that was called before, or never."""

    def __init__(self, *signatures: str) -> None:
        self.signatures = list(signatures)


def test_garbage_is_collected_again_after_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_compiling, "announce_compilation", lambda kernel: None)
    with _compiling.compiling(Kernel("once"), Kernel("once")):
        assert gc.isenabled()
    seen = []
    with suppress(KeyboardInterrupt), _compiling.compiling(Kernel("once"), Kernel()):
        seen.append(gc.isenabled())
        raise KeyboardInterrupt
    assert seen == [False]
    assert gc.isenabled()
