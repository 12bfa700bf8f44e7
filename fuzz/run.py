"""Fuzz one target with atheris: ``python -m fuzz.run TARGET RUNS SEED``; `fuzz.__main__` calls it.

An input that ends in anything but a result or one of daglock's errors is kept in
``fuzz/crashers/TARGET``, the first of each place in the code, and the fuzzer goes on.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import traceback
from pathlib import Path

import atheris

# Numba cannot compile what atheris has instrumented.
os.environ["NUMBA_DISABLE_JIT"] = "1"

with atheris.instrument_imports(include=["daglock", "yaml", "zipfile"]):
    from fuzz.targets import CRASHERS, TARGETS, seeds


class Watch:
    """A target that keeps what it stumbles over, and ends the process after some runs."""

    def __init__(self, target: str, runs: int) -> None:
        self.target, self.folder = TARGETS[target], CRASHERS / target
        self.tried, self.runs = 0, runs
        self.places: set[str] = set()

    def __call__(self, data: bytes) -> None:
        """Try an input."""
        if self.tried == self.runs or self.tried % 10_000 == 0:
            print(f"TRIED {self.tried}", flush=True)
        if self.tried == self.runs:
            os._exit(0)  # the threads of pyarrow and the exit of libFuzzer wait for each other
        self.tried += 1
        try:
            self.target(data)
        except (Exception, RecursionError) as error:
            place = _place(error)
            if place not in self.places:
                self.places.add(place)
                self.folder.mkdir(parents=True, exist_ok=True)
                name = hashlib.sha1(data).hexdigest()[:16]
                (self.folder / name).write_bytes(data)
                print(f"FINDING {self.folder.name}/{name}: {place}", flush=True)


def _place(error: BaseException) -> str:
    """Return the kind of an error, and where in daglock it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "daglock" in frame.filename] or frames
    return f"{type(error).__name__} {Path(ours[-1].filename).name}:{ours[-1].lineno}: {error}"[:200]


def main() -> None:
    """Fuzz."""
    target, runs, seed = sys.argv[1:]
    with tempfile.TemporaryDirectory() as corpus:
        files = list(seeds(target))
        for k, data in enumerate(files):
            (Path(corpus) / f"seed-{k}").write_bytes(data)
        crashers = CRASHERS / target
        crashers.mkdir(parents=True, exist_ok=True)  # where a crash of the process itself is kept
        options = {
            "seed": seed,
            "max_len": 2 * max(map(len, files)),
            "timeout": 60,
            "rss_limit_mb": 4096,
            "artifact_prefix": f"{crashers}/",
        }
        arguments = [f"-{name}={value}" for name, value in options.items()]
        atheris.Setup([sys.argv[0], *arguments, corpus], Watch(target, int(runs)))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
