"""At most three seconds of CPU for a test without the mark ``slow``.

DAGLOCK_SLOW_CHECK=1 checks it. The processes that a test waits for count; its set-up does not, nor
do doctests. What exceeds the limit runs once more, and the lesser of the two counts: the first test
that needs a kernel compiles it.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from time import process_time
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

LIMIT = 3.0
# Seconds that `_pace` takes on the usual processor; on a slower one tests have more time.
_USUAL = 0.06
_SECONDS = pytest.StashKey[list[float]]()


class CPULimit:
    """Measure each test; fail the run if a test exceeds the limit twice."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._limit = LIMIT * max(1.0, min(_pace() for _ in range(3)) / _USUAL)
        self._over: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure the test."""
        before = sum(os.times()[:4])
        result = yield  # a test that fails is not measured
        item.stash.setdefault(_SECONDS, []).append(sum(os.times()[:4]) - before)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """Run a test once more if it exceeds the limit."""
        result = yield
        took = item.stash.get(_SECONDS, [0.0])
        may = isinstance(item, pytest.Function) and item.get_closest_marker("slow") is None
        if may and took[0] > self._limit:
            runtestprotocol(item, log=False, nextitem=nextitem)
            if min(took) > self._limit:
                self._over.append(f"{item.nodeid} ({min(took):.1f} s)")
        return result

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand over what a worker found; fail if there is anything."""
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput["over"] = self._over
        elif self._over:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Collect what a worker found."""
        self._over += getattr(node, "workeroutput", {}).get("over", [])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the tests in one sentence."""
        if self._over:
            names = ", ".join(sorted(self._over))
            terminalreporter.write_line(
                f"Mark as slow, or make cheaper: more than {LIMIT:.0f} s of CPU in {names}."
            )


def _pace() -> float:
    """Return the CPU seconds of a fixed piece of work."""
    began = process_time()
    sum(i * i for i in range(2_000_000))
    return process_time() - began


def register(config: pytest.Config) -> None:
    """Add the check if it is asked for; doctests are collected outside of a conftest's folder."""
    if os.environ.get("DAGLOCK_SLOW_CHECK") == "1":
        config.pluginmanager.register(CPULimit(config), "cpu-limit")
