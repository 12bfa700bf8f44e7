"""Traps: small files that unpack to much, have no end, or are slow to read."""

from __future__ import annotations

import pytest

from daglock_evaluation.reliability.limits import TRAPS, try_trap

# Those that take seconds to make are left to the command.
LEFT_OUT = ("1 MB of gzip", "a model that unpacks", "600 million", "one line of")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name.startswith("a batch of Arrow") else name
        for name in TRAPS
        if not name.startswith(LEFT_OUT)
    ],
)
def test_traps_are_refused(name: str) -> None:
    found = try_trap(name)
    assert found.kept, f"{found.what} after {found.seconds:.1f} s, {found.megabytes:.0f} MB"
