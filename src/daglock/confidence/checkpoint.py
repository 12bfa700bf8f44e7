"""Replicates in a file, so that those of a run that was killed need not be made again."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from daglock import __version__
from daglock.confidence.resampled import Replicate
from daglock.graph import WeightedDAG

_PARTS = ("order", "source", "target", "weight", "oriented")


def fingerprint(*parts: Any) -> str:
    """Return what tells data, settings and seed from others: the same in every process."""
    from joblib import hash as hashed

    return str(hashed((__version__, np.__version__, *parts), hash_name="sha1"))


def seeds_of(generator: np.random.Generator) -> tuple[Any, ...]:
    """Return what the generators depend on that this one spawns."""
    seeds = generator.bit_generator.seed_seq
    assert isinstance(seeds, np.random.SeedSequence)
    return seeds.entropy, seeds.spawn_key, seeds.n_children_spawned


class Checkpoint:
    """A file with a line for each replicate, in their order, of one fingerprint.

    A line that was cut short, and what follows it, is forgotten; so is all that is of other data,
    settings or seeds. Numbers are written with all their digits.

    Attributes
    ----------
    path : of the file, which need not be there.
    found : replicates that were in it when it was opened.
    seconds : of work that they took together, where a limit of seconds was set.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.found = 0
        self.seconds = 0.0
        self._file: IO[bytes] | None = None

    def open(self, of: str) -> list[Replicate]:
        """Return the replicates that are there of a fingerprint; more can be added then."""
        self.close()
        head = _line({"replicates": of})
        content = self.path.read_bytes() if self.path.exists() else b""
        lines = content.splitlines(keepends=True)
        known, length = list[Replicate](), len(head)
        self.seconds = 0.0
        if lines and lines[0] == head:
            for line, replicate, seconds in _whole(lines[1:]):
                known.append(replicate)
                length += len(line)
                self.seconds = max(self.seconds, seconds)
        self._file = self.path.open("r+b" if content.startswith(head) else "wb")
        if not known:
            self._file.write(head)
        self._file.truncate(length)
        self._file.seek(length)
        self.found = len(known)
        return known

    def add(self, replicate: Replicate, seconds: float | None = None) -> None:
        """Write a replicate: after that a killed process does not lose it.

        ``seconds`` are those that all replicates up to this one took, where that matters.
        """
        assert self._file is not None
        content = {name: getattr(replicate.dag, name).tolist() for name in _PARTS}
        if replicate.packed is not None:
            cells = replicate.packed.astype("<f4")
            content["shape"] = list(cells.shape)
            content["packed"] = base64.b64encode(cells.tobytes()).decode()
        self._file.write(_line(content if seconds is None else {**content, "seconds": seconds}))
        self._file.flush()

    def sync(self) -> None:
        """Let what was written reach the disk: after that a power cut does not lose it."""
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _line(content: dict[str, Any]) -> bytes:
    """Return a line of the file."""
    return json.dumps(content).encode() + b"\n"


def _whole(lines: list[bytes]) -> Iterator[tuple[bytes, Replicate, float]]:
    """Yield lines, their replicates and seconds up to the first that is not whole."""
    for line in lines:
        if not line.endswith(b"\n"):
            return
        try:
            content = json.loads(line)
            dag, packed = WeightedDAG(**{name: content[name] for name in _PARTS}), None
            if "packed" in content:
                cells = np.frombuffer(base64.b64decode(content["packed"]), dtype="<f4")
                packed = cells.reshape(content["shape"])
            seconds = float(content.get("seconds", 0.0))
        except (ValueError, KeyError, TypeError, AttributeError):
            return
        yield line, Replicate(dag, packed), seconds
