"""At most three seconds of CPU for a test without the mark ``slow``.

DAGLOCK_SLOW_CHECK=1 measures each test with the processes that it waits for. What exceeds the limit
runs once more in a new process: the first test that needs a kernel compiles it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator

import pytest

LIMIT = 3.0
SWITCH = "DAGLOCK_SLOW_CHECK"
AGAIN = "again"


class CPULimit:
    """Measure each test; fail the run if a test exceeds the limit twice."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._over: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure the test without its set-up, which several may share."""
        before = _used()
        try:
            return (yield)
        finally:
            item.user_properties.append(("cpu", _used() - before))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect what exceeds the limit, whichever worker ran it."""
        seconds = dict(report.user_properties).get("cpu", 0.0)
        if report.when == "call" and seconds > LIMIT and "slow" not in report.keywords:
            self._over[report.nodeid] = float(str(seconds))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Run these once more, and fail with one sentence that names them."""
        if not self._over or hasattr(self._config, "workerinput"):
            return
        if os.environ[SWITCH] == AGAIN:
            names = ", ".join(f"{name} ({took:.1f} s)" for name, took in self._over.items())
            print(f"\nMore than {LIMIT:.0f} s of CPU without the mark slow: {names}.", flush=True)
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            return
        print(f"\n{len(self._over)} tests exceed {LIMIT:.0f} s of CPU: once more.", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *self._over]
        environment = {**os.environ, SWITCH: AGAIN}
        if subprocess.run(command, cwd=self._config.rootpath, env=environment).returncode:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _used() -> float:
    """Return the seconds of this process and of those that it waited for."""
    return sum(os.times()[:4])


def register(config: pytest.Config) -> None:
    """Add the check if the switch is set, for doctests of the sources, too."""
    if os.environ.get(SWITCH):
        config.pluginmanager.register(CPULimit(config), "cpu-limit")
