"""Wide row groups: some columns at a time into temporary files, and from these row by row.

A reader of Parquet holds pages of every column that it reads, 2 MB or more for each, so that
thousands of columns at once would take gigabytes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
from pyarrow import ipc

# Columns that are read at the same time, and files that are open at the same time.
MOST, _FILES = 48, 200
# From names of columns to their rows, in batches of the same lengths whichever columns it is.
Read: TypeAlias = Callable[[Sequence[str]], Iterator[pa.RecordBatch]]


def in_turns(read: Read, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Iterate over the rows of many columns, of which only some are read at the same time.

    Examples
    --------
    >>> table = pa.table({f"x{j}": [j, 2 * j, 3 * j] for j in range(200)})
    >>> read = lambda names: iter(table.select(list(names)).to_batches(2))
    >>> [(b.num_rows, b.num_columns) for b in in_turns(read, table.column_names)]
    [(2, 200), (1, 200)]
    """
    if len(columns) <= MOST:
        yield from read(columns)
        return
    width = max(MOST, -(-len(columns) // _FILES))
    turns = [columns[k : k + width] for k in range(0, len(columns), width)]
    with tempfile.TemporaryDirectory(prefix="daglock-columns-") as folder, ExitStack() as opened:
        files = [Path(folder, f"{number}.arrow") for number in range(len(turns))]
        for file, own in zip(files, turns, strict=True):
            _write(file, read(own))
        streams = [ipc.open_stream(opened.enter_context(pa.OSFile(str(file)))) for file in files]
        for parts in zip(*streams, strict=True):
            arrays = [column for part in parts for column in part.columns]
            yield pa.RecordBatch.from_arrays(arrays, list(columns))


def _write(file: Path, batches: Iterator[pa.RecordBatch]) -> None:
    """Write batches to a file; of no batch there is a file without any."""
    writer = None
    try:
        for batch in batches:
            if writer is None:
                writer = ipc.new_stream(str(file), batch.schema)
            writer.write_batch(batch)
        if writer is None:
            writer = ipc.new_stream(str(file), pa.schema([]))
    finally:
        if writer is not None:
            writer.close()
