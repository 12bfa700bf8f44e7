"""Inputs over which a fuzzer once stumbled (``make fuzz`` keeps them): each is read or refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.targets import CRASHERS, TARGETS, seeds

ROOT = Path(__file__).parent.parent
REPLAY = (
    "import sys; from fuzz.targets import TARGETS; TARGETS[sys.argv[1]](sys.stdin.buffer.read())"
)
KEPT = sorted(file for target in TARGETS for file in (CRASHERS / target).glob("*"))


@pytest.mark.parametrize("file", KEPT, ids=lambda file: f"{file.parent.name}-{file.name[:14]}")
def test_what_was_found_stays_mended(file: Path) -> None:
    command = [sys.executable, "-c", REPLAY, file.parent.name]  # a crash ends that process alone
    done = subprocess.run(command, input=file.read_bytes(), capture_output=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr.decode()[-2000:]


@pytest.mark.parametrize("target", TARGETS)
def test_the_fuzzer_begins_with_files_as_they_should_be(target: str) -> None:
    for data in seeds(target):
        TARGETS[target](data)
        TARGETS[target](data[: len(data) // 2])
