"""What reads files for `salvage`: a process that says of each file what it made of it.

``python -m daglock_evaluation.reliability.readers READER``; the paths come in, NUL between them.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

# Names, rows and notes.
Answer = tuple[list[str], list[list[Any]], list[str]]


def _daglock(path: str, ragged: str | None = None) -> Answer:
    """Read by daglock; columns that it leaves out as no variables are part of what it read."""
    from daglock.table import read_file
    from daglock.table.deciding import cells_of

    table = read_file(path, ragged=ragged)
    columns: list[list[Any]] = []
    for cells in cells_of(table).values():
        values = [] if cells.values is None else cells.values.tolist()
        if cells.words is not None:
            values = [None if v != v else cells.words[int(v)] for v in values]
        columns.append([None if v != v else v for v in values])
    rows = [list(row) for row in zip(*columns, strict=True)]
    return list(table.columns), rows, list(table.notes)


def _pandas(path: str) -> Answer:
    """Read by pandas, which finds out the separator."""
    import pandas as pd

    frame = pd.read_csv(path, sep=None, engine="python")
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return list(map(str, frame.columns)), rows, []


def _polars(path: str) -> Answer:
    """Read by polars."""
    import polars as pl

    frame = pl.read_csv(path)
    return frame.columns, [list(row) for row in frame.rows()], []


@cache
def _connection() -> Any:
    """Return DuckDB, with one thread."""
    return import_module("duckdb").connect(config={"threads": 1})


def _duckdb(path: str) -> Answer:
    """Read by DuckDB, which finds out the dialect."""
    found = _connection().execute("select * from read_csv_auto(?)", [path])
    names = [str(column[0]) for column in found.description]
    return names, [list(row) for row in found.fetchall()], []


def _pyarrow(path: str) -> Answer:
    """Read by pyarrow."""
    from pyarrow import csv

    found = csv.read_csv(path)
    columns = [column.to_pylist() for column in found.itercolumns()]
    return found.column_names, [list(row) for row in zip(*columns, strict=True)], []


READERS: dict[str, Callable[[str], Answer]] = {
    "daglock": _daglock,
    "daglock --ragged fill": lambda path: _daglock(path, "fill"),
    "daglock --ragged drop": lambda path: _daglock(path, "drop"),
    "pandas, sniffing": _pandas,
    "DuckDB, sniffing": _duckdb,
    "polars": _polars,
    "pyarrow": _pyarrow,
}


def answer(reader: str, path: str) -> dict[str, Any]:
    """Return what a reader made of a file: a table, a refusal, or an error that is none."""
    from daglock.errors import DaglockError

    try:
        names, rows, notes = READERS[reader](path)
    except ModuleNotFoundError as error:
        return {"missing": str(error)}
    except DaglockError as error:
        return {"refused": str(error)}
    except Exception as error:  # others raise what they like; of daglock this is a crash
        kind = "crashed" if reader.startswith("daglock") else "refused"
        return {kind: f"{type(error).__name__}: {error}"[:300] or "?"}
    rows = [[cell if _is_plain(cell) else str(cell) for cell in row] for row in rows]
    return {"names": names, "rows": rows, "notes": notes}


def _is_plain(cell: Any) -> bool:
    """Whether JSON knows a cell."""
    return cell is None or isinstance(cell, str | int | float)


def main() -> None:
    """Read all files, and say so line by line."""
    warnings.simplefilter("ignore")
    for path in sys.stdin.read().split("\0"):
        print(json.dumps(answer(sys.argv[1], path)), flush=True)


if __name__ == "__main__":
    main()
