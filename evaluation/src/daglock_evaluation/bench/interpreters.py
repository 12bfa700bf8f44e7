"""Which Python has which package: peers whose needs conflict live in environments of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence

_PROBE = """
import json, sys
from importlib.metadata import PackageNotFoundError, version
found = []
for name in json.loads(sys.argv[1]):
    try:
        version(name)
    except PackageNotFoundError:
        continue
    found.append(name)
print(json.dumps(found))
"""


def locate(packages: Iterable[str], pythons: Sequence[str]) -> dict[str, str]:
    """Return for each package that is installed somewhere the first interpreter that has it.

    An interpreter must have daglock as well, and need not have anything else.
    """
    wanted = sorted(set(packages))
    places: dict[str, str] = {}
    for python in dict.fromkeys(pythons):
        for name in _installed(python, [*wanted, "daglock"]):
            places.setdefault(name, python)
    places.setdefault("daglock", sys.executable)
    return places


def _installed(python: str, names: Sequence[str]) -> list[str]:
    """Ask an interpreter which of these packages it has."""
    answer = subprocess.run(
        [python, "-c", _PROBE, json.dumps(list(names))],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    found: list[str] = json.loads(answer.stdout)
    return found if "daglock" in found else []
