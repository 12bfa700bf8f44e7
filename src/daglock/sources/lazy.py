"""Lazy frames of polars and relations of DuckDB: each pass runs the query again, in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from daglock.sources.iterators import chosen_columns
from daglock.sources.local import Count, LocalSource, Piece
from daglock.sources.source import Source, batch_rows


def open_lazy(what: Any) -> Source | None:
    """Return a lazy frame or a relation as a source."""
    library, name = type(what).__module__.partition(".")[0], type(what).__name__
    if library == "polars" and name == "LazyFrame":
        schema = what.head(0).collect().to_arrow().schema
        pieces = (Piece("the lazy frame", _Lazy(what).open),)
        return LocalSource("the lazy frame", schema, pieces, library=library)
    if name == "DuckDBPyRelation":
        schema = what.limit(0).to_arrow_table().schema
        pieces = (Piece("the relation", _Relation(what).open),)
        return LocalSource("the relation", schema, pieces)
    return None


class _Lazy:
    """The rows of a lazy frame."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def open(self, columns: Sequence[str], count: Count) -> Iterator[pa.RecordBatch]:
        """Run the query, in batches in the order of its rows."""
        frames = self.frame.select(list(columns))
        rows = batch_rows(len(columns))
        for frame in frames.collect_batches(chunk_size=rows, maintain_order=True):
            for batch in frame.to_arrow().to_batches():
                count(batch.nbytes)
                yield batch


class _Relation:
    """The rows of a relation."""

    def __init__(self, relation: Any) -> None:
        self.relation = relation

    def open(self, columns: Sequence[str], count: Count) -> Iterator[pa.RecordBatch]:
        """Run the query in batches."""
        for batch in self.relation.to_arrow_reader(batch_rows(len(columns))):
            count(batch.nbytes)
            yield from chosen_columns(batch, columns, "the relation")
