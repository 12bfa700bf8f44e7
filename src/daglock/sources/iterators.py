"""Rows that can be read once: readers and iterators of batches; kept on the disk if need be."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc

from daglock.errors import InvalidDataError
from daglock.sources.local import Count, LocalSource, Piece
from daglock.sources.source import PARTS, Merge, Part, Progress, Source, Summarise, batch_rows
from daglock.wording import default_names


def open_batches(what: Any) -> Source | None:
    """Return an iterator, or a function that returns one, of frames, arrays or record batches.

    A function is called again for each pass; what an iterator gives is kept in a temporary file
    where a second pass is needed.
    """
    if callable(what) and not hasattr(what, "__array__") and not hasattr(what, "columns"):
        first, schema = _peeked(what())
        del first
        again = _Again(what)
        return LocalSource("the batches", schema, (Piece("the batches", again.open),))
    if not isinstance(what, Iterator):
        return None
    batches, schema = _peeked(what)
    return OneShotSource("the batches", batches, schema)


def as_record_batches(batches: Iterable[Any]) -> Iterator[pa.RecordBatch]:
    """Yield frames, arrays, tables and record batches as record batches."""
    for number, batch in enumerate(batches):
        yield from _record_batches(batch, number)


def _record_batches(batch: Any, number: int) -> Iterator[pa.RecordBatch]:
    """Yield one batch, whatever it is, as record batches."""
    if isinstance(batch, pa.RecordBatch):
        yield batch
    elif isinstance(batch, pa.Table):
        yield from batch.to_batches()
    elif isinstance(batch, np.ndarray) and batch.ndim == 2:
        names = list(default_names(batch.shape[1]))
        yield pa.RecordBatch.from_arrays([pa.array(x, from_pandas=True) for x in batch.T], names)
    elif hasattr(batch, "columns") or hasattr(batch, "__arrow_c_stream__"):
        import narwhals

        frame = narwhals.from_native(batch, eager_only=True)
        yield from frame.to_arrow().to_batches()
    else:
        raise InvalidDataError(
            f"Batch {number + 1} is a {type(batch).__name__}: batches must be frames, record "
            "batches or arrays of two dimensions."
        )


def _peeked(batches: Iterable[Any]) -> tuple[Iterator[pa.RecordBatch], pa.Schema]:
    """Return batches with the columns of the first one."""
    rest = as_record_batches(batches)
    first = next(rest, None)
    if first is None:
        raise InvalidDataError("There are no rows: there is no batch.")

    def whole() -> Iterator[pa.RecordBatch]:
        yield first
        yield from rest

    return whole(), first.schema


class _Again:
    """Batches that a function makes anew for each pass."""

    def __init__(self, make: Any) -> None:
        self.make = make

    def open(self, columns: Sequence[str], count: Count) -> Iterator[pa.RecordBatch]:
        """Iterate over the rows."""
        for batch in as_record_batches(self.make()):
            count(batch.nbytes)
            yield from chosen_columns(batch, columns, "the batches")


class OneShotSource:
    """Batches that come once; what a second pass needs is kept in temporary Arrow files.

    They are removed with the source, and hold all columns: nobody knows yet which will be needed.
    """

    n_rows: int | None = None
    n_bytes: int | None = None
    n_files = 0

    def __init__(self, label: str, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> None:
        self.label, self.schema = label, schema
        self._batches: Iterator[pa.RecordBatch] | None = iter(batches)
        self._folder: Path | None = None

    def reduce(
        self,
        summarise: Summarise[Part],
        merge: Merge[Part],
        *,
        columns: Sequence[str] | None = None,
        parts: int = PARTS,
        last: bool = False,
        progress: Progress | None = None,
    ) -> Part:
        """Summarise all rows in one pass; the first pass keeps them unless it is the last."""
        if self._batches is not None:
            batches, self._batches = self._batches, None
            opened = _Once(batches, self.label, None if last else self._kept()).open
        elif self._folder is None:
            raise InvalidDataError(
                f"The rows of {self.label} were read already, and can be read once: give them anew."
            )
        else:
            opened = _Kept(self._kept(), self.label).open
        pieces = (Piece(self.label, opened),)
        source = LocalSource(self.label, self.schema, pieces)
        return source.reduce(summarise, merge, columns=columns, progress=progress)

    def _kept(self) -> Path:
        """Return the folder in which rows are kept."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="daglock-rows-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder


class _Once:
    """The first pass over batches, which may write them to files, another for each schema."""

    def __init__(self, batches: Iterator[pa.RecordBatch], label: str, folder: Path | None) -> None:
        self.batches, self.label, self.folder = batches, label, folder

    def open(self, columns: Sequence[str], count: Count) -> Iterator[pa.RecordBatch]:
        """Iterate over the rows."""
        writer, schema, number = None, None, 0
        try:
            for batch in self.batches:
                if self.folder is not None:
                    if writer is None or not batch.schema.equals(schema):
                        if writer is not None:
                            writer.close()
                        schema, number = batch.schema, number + 1
                        writer = ipc.new_stream(
                            str(self.folder / f"{number:09}.arrow"),
                            schema,
                            options=ipc.IpcWriteOptions(compression="lz4"),
                        )
                    writer.write_batch(batch)
                count(batch.nbytes)
                yield from chosen_columns(batch, columns, self.label)
        finally:
            if writer is not None:
                writer.close()


class _Kept:
    """Further passes, over what the first one has written."""

    def __init__(self, folder: Path, label: str) -> None:
        self.folder, self.label = folder, label

    def open(self, columns: Sequence[str], count: Count) -> Iterator[pa.RecordBatch]:
        """Iterate over the rows."""
        for file in sorted(self.folder.iterdir()):
            with pa.OSFile(str(file)) as stream:
                for batch in ipc.open_stream(stream):
                    count(batch.nbytes)
                    yield from chosen_columns(batch, columns, self.label)


def chosen_columns(
    batch: pa.RecordBatch, columns: Sequence[str], label: str
) -> Iterator[pa.RecordBatch]:
    """Return some of the columns of a batch, in slices that are not too long."""
    missing = [name for name in columns if name not in batch.schema.names]
    if missing:
        raise InvalidDataError(
            f"A batch of {label} has no column {missing[0]!r}, which the first one has: all must "
            "have the same columns."
        )
    chosen, rows = batch.select(list(columns)), batch_rows(len(columns))
    for start in range(0, batch.num_rows, rows):
        yield chosen.slice(start, rows)
