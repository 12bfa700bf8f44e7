"""Golden files: one for each section, gzipped JSON in which every line of text stands once."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.golden.record import SECTIONS, Values

FOLDER = Path(__file__).parent
LOG = FOLDER / "LOG.md"


def path_of(section: str) -> Path:
    """Return the file of a section."""
    return FOLDER / f"{section}.json.gz"


def read(section: str) -> dict[str, Values]:
    """Return the values of all cases; none where nothing was kept yet."""
    if not path_of(section).exists():
        return {}
    content = json.loads(gzip.decompress(path_of(section).read_bytes()))
    if section != "texts":
        return dict(content)
    lines = content["lines"]
    return {
        name: {part: [lines[k] for k in numbers] for part, numbers in texts.items()}
        for name, texts in content["cases"].items()
    }


def write(section: str, values: dict[str, Values]) -> None:
    """Keep the values of all cases."""
    content: Any = values
    if section == "texts":
        number: dict[str, int] = {}
        cases = {
            name: {
                part: [number.setdefault(line, len(number)) for line in lines]
                for part, lines in texts.items()
            }
            for name, texts in values.items()
        }
        content = {"lines": [*number], "cases": cases}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    path_of(section).write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def accept(section: str, values: dict[str, Values], why: str, changed: list[str]) -> None:
    """Keep the values of a section, and log why."""
    write(section, values)
    names = ", ".join(changed[:5]) + (f" and {len(changed) - 5} more" if len(changed) > 5 else "")
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"- **{section}**, {len(changed)} cases: {why} ({names})\n")


__all__ = ["LOG", "SECTIONS", "accept", "path_of", "read", "write"]
