"""Files that are written whole or not at all, and what processes that were killed leave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from errno import EACCES, EINVAL
from pathlib import Path
from types import SimpleNamespace

import pytest

from daglock._files import exchange, lock, replacing

KILLED = """
import os, signal, sys
from pathlib import Path
from daglock._files import replacing

with replacing(sys.argv[1]) as file:
    file.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


@pytest.mark.parametrize("name", ["a.txt", "a[1]*?.npz", "none"])
def test_what_a_killed_process_leaves_is_removed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("old")
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", KILLED, str(path)])
        assert done.returncode == -signal.SIGKILL
        assert path.read_text() == "old"
        assert len(names(tmp_path)) == 2  # the first is removed by the second
    with replacing(path) as file:
        file.write_text("new")
    assert path.read_text() == "new"
    assert names(tmp_path) == {name}


def test_what_a_living_process_writes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with replacing(path) as first:
        first.write_text("first")
        with replacing(path) as second:
            second.write_text("second")
        assert first.read_text() == "first"
    assert path.read_text() == "first"
    assert names(tmp_path) == {"a.txt"}


def test_files_of_others_with_such_names_stay(tmp_path: Path) -> None:
    others = {".a.txt.bak", ".a.txt.12345678", "a.txt.12345678.txt", ".b.txt.12345678.txt"}
    for name in others:
        (tmp_path / name).write_text("mine")
    with replacing(tmp_path / "a.txt") as file:
        file.write_text("new")
    assert names(tmp_path) == {*others, "a.txt"}


def test_what_is_written_has_reached_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    did: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        did.append("folder" if os.path.samestat(os.fstat(handle), tmp_path.stat()) else "file")
        fsync(handle)

    def replaced(self: Path, target: Path) -> Path:
        did.append("name")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    with replacing(tmp_path / "a.txt") as file:
        file.write_text("new")
    assert did == ["file", "name", "folder"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere not all file systems can")
def test_two_folders_change_places(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not exchange(tmp_path / "a", tmp_path / "b"):
        pytest.skip("this file system cannot")
    assert names(tmp_path / "a") == {"b"}
    assert names(tmp_path / "b") == {"a"}
    assert not exchange(tmp_path / "a", tmp_path / "missing")


def test_a_lock_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module has a byte locked, or says who may not; here one that stands for it."""
    held: set[int] = set()

    def locking(handle: int, mode: int, length: int) -> None:
        assert (mode, length) == (2, 1)
        node = os.fstat(handle).st_ino
        if node in held:
            raise PermissionError(EACCES, "Permission denied")
        held.add(node)

    stand_in = SimpleNamespace(LK_NBLCK=2, locking=locking)
    monkeypatch.setitem(sys.modules, "msvcrt", stand_in)
    monkeypatch.setattr(sys, "platform", "win32")
    first = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    second = os.open(tmp_path / "lock", os.O_RDWR)
    try:
        assert lock(first)
        assert not lock(second)

        def no_locks(handle: int, mode: int, length: int) -> None:
            raise OSError(EINVAL, "Invalid argument")

        stand_in.locking = no_locks
        with pytest.raises(OSError, match="Invalid"):
            lock(second)
    finally:
        os.close(first)
        os.close(second)
