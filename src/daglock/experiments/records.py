"""Records as JSON lines: appended as they come, found again by their settings."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from daglock.errors import InvalidDataError
from daglock.experiments.experiment import Case, Record


def key(case: Case) -> str:
    """Return what tells a case from others: its settings, in one order.

    Examples
    --------
    >>> key({"d": 5, "seed": 0}) == key({"seed": 0, "d": 5})
    True
    """
    return json.dumps(case, sort_keys=True, allow_nan=False)


def read(path: Path) -> list[Record]:
    """Read the records of a file; a line that an interruption cut short is left out."""
    return [Record(line["case"], line["result"], line.get("seconds")) for line in _lines(path)]


def append(path: Path, record: Record) -> None:
    """Write one record with the versions that it was made with."""
    line: dict[str, Any] = {"case": record.case, "result": record.result, "made_with": versions()}
    if record.seconds is not None:
        line["seconds"] = round(record.seconds, 3)
    text = json.dumps(line, sort_keys=True, allow_nan=False)
    with path.open("a+b") as file:
        file.seek(0, 2)
        if file.tell():
            file.seek(-1, 2)
            torn = file.read(1) != b"\n"
            if torn:  # the last run was stopped in the middle of a line
                file.write(b"\n")
        file.write(text.encode() + b"\n")


def select(records: Sequence[Record], cases: Sequence[Case]) -> list[Record]:
    """Return the records of these cases, in their order; the last of each counts."""
    found = {key(record.case): record for record in records}
    return [found[key(case)] for case in cases if key(case) in found]


def versions() -> dict[str, str]:
    """Return the versions behind a record."""
    packages = {name: version(name) for name in ("daglock", "numpy", "scipy", "numba")}
    return {"python": platform.python_version(), "machine": platform.machine(), **packages}


def made_with(path: Path) -> dict[str, list[str]]:
    """Return the versions behind the records of a file, each package with all that there are."""
    found: dict[str, set[str]] = {}
    for line in _lines(path):
        for package, number in line.get("made_with", {}).items():
            found.setdefault(package, set()).add(number)
    return {package: sorted(numbers) for package, numbers in found.items()}


def without_times(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result without what may differ between two runs."""
    return {name: value for name, value in result.items() if not name.endswith("seconds")}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Parse the whole lines of a file."""
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield json.loads(line)
        except json.JSONDecodeError as error:
            if line.startswith('{"case"') and not line.endswith("}"):
                continue  # an interruption cut it short; its case runs again
            raise InvalidDataError(f"{path}, line {number} is not a record: remove it.") from error
