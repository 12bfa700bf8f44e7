"""Files that are there whole or not at all, also when the process is killed or the power goes."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# What Linux and macOS call the renaming that lets two names change places.
_HERE, _EXCHANGE = -100, 2


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary file beside ``path`` that takes its place when all went well.

    What a process that was killed has left of the same kind is removed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a.txt") as file:
    ...         _ = file.write_text("whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    path = Path(path)
    _remove_abandoned(path)
    handle, temporary = _temporary(path)
    try:
        yield temporary
        mask = os.umask(0)  # a temporary file is for its owner alone; the result is a usual one
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        sync(temporary)
        temporary.replace(path)
        sync(path.parent)
    finally:
        os.close(handle)
        temporary.unlink(missing_ok=True)


def _temporary(path: Path) -> tuple[int, Path]:
    """Make a file beside another that is locked for as long as this process lives."""
    while True:
        handle, name = tempfile.mkstemp(
            prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent
        )
        with suppress(OSError):  # a file system without locks: nobody removes it either
            lock(handle)
        if os.path.lexists(name):
            return handle, Path(name)
        os.close(handle)  # taken for abandoned before it was locked


def _remove_abandoned(path: Path) -> None:
    """Remove temporary files of processes that are no more: nobody has their locks."""
    for left in path.parent.glob(f".{_literally(path.name)}.????????{_literally(path.suffix)}"):
        with suppress(OSError):
            handle = os.open(left, os.O_RDWR)
            try:
                if lock(handle):
                    left.unlink()
            finally:
                os.close(handle)


def _literally(name: str) -> str:
    """Return a pattern that stands for these characters alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def lock(handle: int) -> bool:
    """Whether an open file is this process's now; it is nobody's when the process has ended.

    Raises
    ------
    OSError
        The file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def sync(path: Path) -> None:
    """Let what was written of a file, or of the names in a folder, reach the disk."""
    with suppress(OSError):  # some systems and file systems cannot, for folders above all
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def exchange(first: Path, second: Path) -> bool:
    """Let two names change places in one step; False where the system cannot."""
    import ctypes

    names = os.fsencode(first), os.fsencode(second)
    if sys.platform == "linux":
        rename = getattr(ctypes.CDLL(None), "renameat2", None)
        return rename is not None and not rename(_HERE, names[0], _HERE, names[1], _EXCHANGE)
    if sys.platform == "darwin":
        return not ctypes.CDLL(None).renamex_np(*names, _EXCHANGE)
    return False
