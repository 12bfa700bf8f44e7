"""Write bytes to a file and read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from daglock.table import Table, read_file
from daglock.table.deciding import cells_of
from daglock.typing import Array


def read(folder: Path, raw: bytes | str, **options: Any) -> Table:
    """Read a file that holds these bytes; text is written in UTF-8."""
    file = folder / "data.csv"
    file.write_bytes(raw.encode() if isinstance(raw, str) else raw)
    return read_file(file, **options)


def all_columns(table: Table) -> Array:
    """Return what all columns hold, those that were left out too."""
    columns = [cells.values for cells in cells_of(table).values() if cells.values is not None]
    return np.column_stack(columns)
