"""Records of an experiment, found again by the settings of their case."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from daglock_evaluation.experiments.experiment import Case, Record
from daglock_evaluation.harness import store


def read(path: Path) -> list[Record]:
    """Read the records of a file; a line that an interruption cut short is left out."""
    return [Record(line["case"], line["result"], line.get("seconds")) for line in store.read(path)]


def append(path: Path, record: Record) -> None:
    """Write one record with the versions that it was made with."""
    made_with = {**store.versions("numba"), "machine": platform.machine()}
    line: dict[str, Any] = {"case": record.case, "result": record.result, "made_with": made_with}
    if record.seconds is not None:
        line["seconds"] = round(record.seconds, 3)
    store.append(path, line)


def select(records: Sequence[Record], cases: Sequence[Case]) -> list[Record]:
    """Return the records of these cases, in their order; the last of each counts."""
    found = {store.key(record.case): record for record in records}
    return [found[key] for key in map(store.key, cases) if key in found]


def made_with(path: Path) -> dict[str, list[str]]:
    """Return the versions behind the records of a file, each package with all that there are."""
    found: dict[str, set[str]] = {}
    for line in store.read(path):
        for package, number in line.get("made_with", {}).items():
            found.setdefault(package, set()).add(number)
    return {package: sorted(numbers) for package, numbers in found.items()}
