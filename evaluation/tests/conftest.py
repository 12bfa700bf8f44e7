"""No test reaches beyond this machine, as in the tests of the product."""

from __future__ import annotations

import pytest
from tests import cpu_limit
from tests.offline import block, offline

__all__ = ["offline"]

block()


def pytest_configure(config: pytest.Config) -> None:
    """Measure the CPU of each test if that is asked for."""
    cpu_limit.register(config)
