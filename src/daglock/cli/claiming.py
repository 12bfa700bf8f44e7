"""A folder of results is one process's at a time, and the old or the new whenever it is killed.

Beside the folder ``x`` that is going to be written stands ``.x.working`` for as long as that takes:

- ``lock``: whoever has its lock may write; the system takes it back from a process that ends;
- ``new``: what is being written;
- ``swap``: the same when it is whole, and what it took the place of afterwards;
- ``old``: what was there, on systems where two folders cannot change places in one step;
- ``replicates.jsonl``: the replicates that are done.

What a process that was killed left of this the next one with the same ``--out`` puts in order.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from daglock._files import exchange, lock, sync
from daglock.cli.command import OutputError
from daglock.cli.results import OURS, may_fail, read_document, require_free, require_writable

_LOCK = "lock"


@dataclass(frozen=True)
class Claim:
    """The right to write a folder of results, and the hidden folder in which they are made."""

    folder: Path
    work: Path

    @property
    def replicates(self) -> Path:
        """The file that keeps replicates until the results are written."""
        return self.work / "replicates.jsonl"

    @contextmanager
    def writing(self) -> Iterator[Path]:
        """Give a folder that takes the place of the results when all went well.

        Files of the user that are in a folder that is replaced stay in it.
        """
        new, swap = self.work / "new", self.work / "swap"
        with may_fail(self.folder):
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            try:
                yield new
                for written in (*new.iterdir(), new):
                    sync(written)
                new.rename(swap)
                self._take_place(swap)
            finally:
                shutil.rmtree(new, ignore_errors=True)
            self.tidy()

    def _take_place(self, swap: Path) -> None:
        """Put a folder where the results belong; what was there is left for `tidy`."""
        if os.path.lexists(self.folder) and not exchange(swap, self.folder):
            old = self.work / "old"
            self.folder.rename(old)
            try:
                swap.rename(self.folder)
            except BaseException:
                old.rename(self.folder)
                shutil.rmtree(swap, ignore_errors=True)
                raise
        elif not os.path.lexists(self.folder):
            swap.rename(self.folder)
        sync(self.folder.parent)

    def tidy(self) -> None:
        """Put in place what stands between two places, keep what is the user's, remove the rest."""
        for left in (self.work / "swap", self.work / "old"):
            if not left.is_dir():
                continue
            if not os.path.lexists(self.folder):  # stopped between two renamings
                left.rename(self.folder)
                continue
            for entry in left.iterdir():
                if entry.name not in OURS and not os.path.lexists(self.folder / entry.name):
                    entry.rename(self.folder / entry.name)
            shutil.rmtree(left, ignore_errors=True)

    def remove(self) -> None:
        """Remove the hidden folder, its lock last: what follows may be another process's."""
        self.tidy()
        shutil.rmtree(self.work / "new", ignore_errors=True)
        (self.work / _LOCK).unlink(missing_ok=True)
        with suppress(OSError):  # another process has it already
            self.work.rmdir()


@contextmanager
def claimed(folder: Path, *, force: bool, command: str = "") -> Iterator[Claim]:
    """Claim a folder for results, and put in order what a process that was killed left there.

    Replicates that are done stay where the work does not come to its end.
    """
    with _held(folder) as claim:
        require_free(folder, force=force, command=command)
        yield claim
        claim.replicates.unlink(missing_ok=True)


def require_claimable(folder: Path, *, force: bool, command: str = "") -> None:
    """Raise where `claimed` would; to be asked before what takes long."""
    with _held(folder):
        require_free(folder, force=force, command=command)


@contextmanager
def _held(folder: Path) -> Iterator[Claim]:
    """Give a claim whose lock nobody else has; leave nothing of it but replicates."""
    require_writable(folder.parent)
    claim = Claim(folder, folder.parent / f".{folder.name}.working")
    made = [parent for parent in folder.absolute().parents if not parent.exists()]
    with may_fail(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        handle = _hold(claim)
    try:
        with may_fail(folder):
            claim.tidy()
            if read_document(folder).get("complete"):  # they are in the results already
                claim.replicates.unlink(missing_ok=True)
        yield claim
    finally:
        with suppress(OSError):
            if not claim.replicates.exists():
                claim.remove()
            for parent in made:  # only where nothing was written into it
                parent.rmdir()
        os.close(handle)


def _hold(claim: Claim) -> int:
    """Return the open lock of a claim, which nobody else has."""
    path = claim.work / _LOCK
    while True:
        claim.work.mkdir(exist_ok=True)
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:  # removed meanwhile by whoever had it
            continue
        try:
            mine = lock(handle)
        except OSError:  # this file system has no locks
            return handle
        if not mine:
            os.close(handle)
            raise OutputError(
                f"{str(claim.folder)!r} is being written by another process: wait for it, or "
                "choose another --out."
            )
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        os.close(handle)  # it was removed before it was locked
