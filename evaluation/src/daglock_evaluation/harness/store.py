"""Records, as JSON lines: appended as they come, found again by what they are of."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from daglock.errors import InvalidDataError

Line: TypeAlias = Mapping[str, Any]
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def key(settings: Line) -> str:
    """Return what tells settings from others: their values, in one order.

    Examples
    --------
    >>> key({"d": 5, "seed": 0}) == key({"seed": 0, "d": 5})
    True
    """
    return json.dumps(settings, sort_keys=True, allow_nan=False)


def grouped(items: Iterable[T], by: Callable[[T], K]) -> dict[K, list[T]]:
    """Return the items that have something in common, in their order.

    Examples
    --------
    >>> grouped(["er", "sachs", "sf"], len)
    {2: ['er', 'sf'], 5: ['sachs']}
    """
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(by(item), []).append(item)
    return groups


def append(path: Path, line: Line) -> None:
    """Write one line at the end of a file."""
    text = key(line)
    with path.open("a+b") as file:
        file.seek(0, 2)
        if file.tell():
            file.seek(-1, 2)
            torn = file.read(1) != b"\n"
            if torn:  # the last run was stopped in the middle of a line
                file.write(b"\n")
        file.write(text.encode() + b"\n")


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Read the whole lines of a file; one that an interruption cut short is left out."""
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield json.loads(line)
        except json.JSONDecodeError as error:
            if line.startswith("{"):
                continue  # what it was about runs again
            raise InvalidDataError(f"{path}, line {number} is not a record: remove it.") from error


class Store:
    """A file of records, which need not be there; the last of those with the same fields counts.

    What else a record `needs` is looked for when it is read.
    """

    def __init__(self, path: Path, fields: tuple[str, ...], needs: tuple[str, ...] = ()) -> None:
        self.path, self.fields, self.needs = path, fields, needs
        self.known: dict[str, Line] = {}
        for line in read(path):
            if not isinstance(line, dict) or not {*fields, *needs} <= set(line):
                raise InvalidDataError(f"{path} has a line that is no record of a benchmark.")
            self.known[self.key(line)] = line

    def key(self, line: Line) -> str:
        """Return what tells a record from others."""
        return key({name: line[name] for name in self.fields})

    def get(self, line: Line) -> Line | None:
        """Return the record of what a line is of, if there is one."""
        return self.known.get(self.key(line))

    def add(self, line: Line) -> None:
        """Write a record."""
        append(self.path, line)
        self.known[self.key(line)] = line


def versions(*packages: str) -> dict[str, str]:
    """Return the versions behind a record."""
    found = {"python": platform.python_version()}
    for name in ("daglock", "numpy", "scipy", *packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def dates(records: Iterable[Line]) -> str:
    """Return the day, or the first and the last."""
    days = sorted({record["date"] for record in records if record.get("date")})
    return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else ""


def versions_of(records: Iterable[Line], package: str) -> str:
    """Return the versions of a package with which runs came to an end."""
    made_with = (record.get("made_with", {}) for record in records)
    return " and ".join(sorted({found[package] for found in made_with if package in found}))


def machine() -> dict[str, Any]:
    """Return what ran it: the processor, its number of cores, the memory, the system."""
    try:
        memory = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3, 1)
    except (ValueError, OSError, AttributeError):
        memory = None
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": memory,
        "system": f"{platform.system()} {platform.machine()}",
    }


def _processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
