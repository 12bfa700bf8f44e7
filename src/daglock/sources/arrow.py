"""Data sets, tables and readers of pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from daglock.sources.iterators import OneShotSource
from daglock.sources.local import Count, LocalSource, Piece
from daglock.sources.source import Source, batch_rows


def open_arrow(what: Any) -> Source | None:
    """Return a data set, a table or a reader of record batches as a source."""
    if type(what).__module__.partition(".")[0] != "pyarrow":
        return None
    from pyarrow.dataset import Dataset

    if isinstance(what, pa.RecordBatchReader):
        return OneShotSource("the record batches", what, what.schema)
    if isinstance(what, pa.RecordBatch):
        what = pa.Table.from_batches([what], what.schema)
    if isinstance(what, pa.Table):
        rows = _Rows(what)
        piece = Piece("the table", rows.open, what.num_rows, what.nbytes)
        return LocalSource("the table", what.schema, (piece,))
    if not isinstance(what, Dataset):
        return None
    pieces = []
    for number, fragment in enumerate(what.get_fragments()):
        path = getattr(fragment, "path", "")
        place = Path(path).name if path else f"part {number + 1} of the data set"
        size = Path(path).stat().st_size if path and Path(path).is_file() else 0
        pieces.append(Piece(place, _Fragment(fragment, what.schema).open, None, size))
    n_files = sum(bool(getattr(fragment, "path", "")) for fragment in what.get_fragments())
    return LocalSource("the data set", what.schema, tuple(pieces), n_files)


class _Rows:
    """The rows of a table in memory."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def open(self, columns: Sequence[str], count: Count) -> Iterator[pa.RecordBatch]:
        """Iterate over the rows."""
        for batch in self.table.select(list(columns)).to_batches(batch_rows(len(columns))):
            count(batch.nbytes)
            yield batch


class _Fragment:
    """A fragment of a data set, a file as a rule."""

    def __init__(self, fragment: Any, schema: pa.Schema) -> None:
        self.fragment, self.schema = fragment, schema

    def open(self, columns: Sequence[str], count: Count) -> Iterator[pa.RecordBatch]:
        """Iterate over the rows."""
        rows, width = batch_rows(len(columns)), len(columns)
        for batch in self.fragment.to_batches(
            schema=self.schema,
            columns=list(columns),
            batch_size=rows,
            batch_readahead=2,
            fragment_readahead=1,
            use_threads=width > 100,
        ):
            count(batch.nbytes)
            yield batch
