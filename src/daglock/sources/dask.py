"""Data frames and arrays of Dask: a task for each partition, and a tree that merges their parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

import numpy as np
import pyarrow as pa

from daglock.clusters import MOST_DEATHS, Cluster, LostError, active_client
from daglock.errors import ClusterError, InvalidDataError
from daglock.sources.iterators import as_record_batches, chosen_columns
from daglock.sources.local import unreadable
from daglock.sources.source import PARTS, Batch, Merge, Part, Progress, Source, Summarise
from daglock.wording import default_names


def open_dask(what: Any) -> Source | None:
    """Return a data frame or an array of Dask as a source."""
    modules, name = type(what).__module__.split("."), type(what).__name__
    if modules[0] not in ("dask", "dask_expr"):
        return None
    if name == "DataFrame":
        return DaskSource("the Dask data frame", _schema_of(what._meta), what)
    if name == "Array":
        if what.ndim != 2:
            raise InvalidDataError(
                f"The Dask array has {what.ndim} dimensions; rows and columns are needed."
            )
        kind = pa.array(np.empty(0, what.dtype)).type
        names = default_names(what.shape[1])
        return DaskSource("the Dask array", pa.schema([(name, kind) for name in names]), what)
    return None


def _schema_of(empty: Any) -> pa.Schema:
    """Return names and types of the columns of a data frame; objects are text."""
    found = pa.Schema.from_pandas(empty, preserve_index=False).remove_metadata()
    return pa.schema(
        [(own.name, pa.string() if pa.types.is_null(own.type) else own.type) for own in found]
    )


@dataclass(frozen=True)
class DaskSource:
    """Partitions of Dask, on the cluster whose client is active, else in threads of this process.

    A partition is a piece. What is lost with a worker that dies, Dask makes again.
    """

    label: str
    schema: pa.Schema
    data: Any
    n_rows: int | None = None
    n_bytes: int | None = None
    n_files: int = 0

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
        """Summarise each partition where it is, and merge neighbours until one part is left."""
        from dask.delayed import delayed

        wanted = list(self.schema.names if columns is None else columns)
        own = delayed(_Summary(summarise, self.schema, wanted, self.label), pure=False)
        both = delayed(partial(_merged, merge), pure=False)
        layer = [own(piece, number) for number, piece in enumerate(self._pieces(wanted))]
        while len(layer) > 1:
            pairs = zip(layer[::2], layer[1::2], strict=False)
            odd = layer[-1:] if len(layer) % 2 else []
            layer = [both(first, second) for first, second in pairs] + odd
        found: Part = _computed(layer[0])
        return found

    def _pieces(self, columns: list[str]) -> list[Any]:
        """Return the partitions, none of which is read here."""
        if hasattr(self.data, "columns"):
            return list(self.data[columns].to_delayed())
        whole = self.data.rechunk({1: -1})  # a row is in one piece
        if columns != self.schema.names:
            whole = whole[:, [self.schema.names.index(name) for name in columns]]
        return list(whole.to_delayed().ravel())


@dataclass(frozen=True)
class _Summary(Generic[Part]):
    """From a partition to its part; runs where the partition is."""

    summarise: Summarise[Part]
    schema: pa.Schema
    columns: list[str]
    label: str

    def __call__(self, data: Any, number: int) -> Part:
        """Summarise one partition."""
        return self.summarise(self._batches(data, number))

    def _batches(self, data: Any, number: int) -> Iterator[Batch]:
        """Yield its rows."""
        place, done = f"partition {number + 1} of {self.label}", 0
        schema = pa.schema([self.schema.field(name) for name in self.columns])
        try:
            if hasattr(data, "columns"):
                data = pa.Table.from_pandas(data, schema=schema, preserve_index=False)
            for whole in as_record_batches([data]):
                named = pa.RecordBatch.from_arrays(whole.columns, self.columns)
                for batch in chosen_columns(named, self.columns, self.label):
                    yield Batch(batch, number, done, place)
                    done += batch.num_rows
        except pa.ArrowException as error:
            raise unreadable(place, error) from error


def _merged(merge: Merge[Part], first: Part, second: Part) -> Part:
    """Merge two parts; the first is another task's, which may be asked for it again."""
    return merge(deepcopy(first), second)


def _computed(task: Any) -> Any:
    """Return what comes of a task, on the cluster that is active, if there is one."""
    client = active_client(None)
    if client is None:
        return task.compute()
    with Cluster(client) as cluster:
        for _ in range(MOST_DEATHS):
            future = client.compute(task)
            try:
                found = cluster.collect(future, MOST_DEATHS)
            except LostError:
                cluster.require_workers()
                cluster.listen()
                continue
            finally:
                future.release()
            if found is not None:
                return found[0]
        raise ClusterError(
            f"Workers of the Dask cluster at {cluster.address} died again and again at the same "
            "partition, as they do where memory runs out: make the partitions smaller "
            "(repartition), or give the workers more memory."
        )
