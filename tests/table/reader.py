"""Write bytes to a file and read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from daglock.table import Table, read_file


def read(folder: Path, raw: bytes | str, **options: Any) -> Table:
    """Read a file that holds these bytes; text is written in UTF-8."""
    file = folder / "data.csv"
    file.write_bytes(raw.encode() if isinstance(raw, str) else raw)
    return read_file(file, **options)
