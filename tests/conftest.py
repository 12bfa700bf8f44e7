"""What holds for all tests: none leaves this machine, none runs kernels of older sources.

Numba compares a compiled kernel with the file of that kernel, not with the files of the kernels
that it calls: without this, a change of one file could be tested against the old code of another.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

import daglock
from tests import cpu_limit
from tests.examples import register_profile
from tests.offline import block, offline

__all__ = ["offline"]

register_profile()


def pytest_configure(config: pytest.Config) -> None:
    """Close the network; throw kernels away once, before any worker starts."""
    block()
    cpu_limit.register(config)
    if hasattr(config, "workerinput"):
        return
    for folder in (Path(daglock.__file__).parent / name for name in ("search", "solvers")):
        newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
        for compiled in folder.glob("__pycache__/*.nb[ic]"):
            if compiled.stat().st_mtime < newest:
                compiled.unlink(missing_ok=True)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip without the packages that a test needs, except in the environment that has them."""
    if os.environ.get("DAGLOCK_REQUIRE_HANDOFF") == "1":
        return
    for mark in item.iter_markers("handoff"):
        if find_spec(mark.args[0]) is None:
            pytest.skip(f"{mark.args[0]} is not installed here: run make handoff")
