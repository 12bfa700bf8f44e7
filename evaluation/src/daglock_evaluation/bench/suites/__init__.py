"""The suites: one file for each, with a ``SUITE``."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from daglock.errors import InvalidParameterError
from daglock_evaluation.bench.suites.suite import Suite

__all__ = ["Suite", "find", "suites"]


@cache
def suites() -> dict[str, Suite]:
    """Return all suites by name, in the order of their places."""
    names = [found.name for found in pkgutil.iter_modules(__path__) if found.name != "suite"]
    found: list[Suite] = [import_module(f"{__name__}.{name}").SUITE for name in names]
    return {suite.name: suite for suite in sorted(found, key=lambda suite: suite.place)}


def find(name: str) -> Suite:
    """Return a suite by its name."""
    if name not in suites():
        raise InvalidParameterError(f"There is no suite {name!r}; there are {', '.join(suites())}.")
    return suites()[name]
