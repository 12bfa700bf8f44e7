"""The same graph on every processor: other kernels of BLAS and NumPy, other instructions."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest

from tests.processors.environments import ALL, ROOT, runs, switches


@cache
def graphs(core: str, without: str) -> list[str]:
    """What tests/processors/graphs.py prints there."""
    command = [sys.executable, "-m", "tests.processors.graphs"]
    environment = switches(core, without)
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return result.stdout.splitlines()


@pytest.mark.parametrize(("core", "without"), ALL)
def test_the_same_graphs(core: str, without: str) -> None:
    environment = switches(core, without)
    if not runs(environment):
        pytest.skip(f"this processor has not the instructions of {core}")
    here = graphs("", "")
    assert len(here) >= 400
    assert graphs(core, without) == here
