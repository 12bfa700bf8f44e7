"""JSON lines: appended as they come, read again after an interruption."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from daglock.errors import InvalidDataError


def key(settings: Mapping[str, Any]) -> str:
    """Return what tells settings from others: their values, in one order.

    Examples
    --------
    >>> key({"d": 5, "seed": 0}) == key({"seed": 0, "d": 5})
    True
    """
    return json.dumps(settings, sort_keys=True, allow_nan=False)


def append(path: Path, line: Mapping[str, Any]) -> None:
    """Write one line at the end of a file."""
    text = json.dumps(line, sort_keys=True, allow_nan=False)
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
            if line.startswith('{"') and not line.endswith("}"):
                continue  # what it was about runs again
            raise InvalidDataError(f"{path}, line {number} is not a record: remove it.") from error
