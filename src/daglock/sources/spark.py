"""Data frames of Spark: each partition is summarised by its executor, and parts are merged."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce as fold
from typing import Any

import pyarrow as pa

from daglock.errors import ClusterError, DaglockError
from daglock.sources.iterators import chosen_columns
from daglock.sources.source import PARTS, Batch, Merge, Part, Progress, Source, Summarise

# What a part is sent as: the first piece in it, and the part or the error that it ended with.
_SENT = "piece int, part binary"
# Parts that are merged by the driver; more are merged by executors before.
_FEW = 32


def open_spark(what: Any) -> Source | None:
    """Return a data frame of Spark as a source."""
    if type(what).__module__.split(".")[:2] != ["pyspark", "sql"]:
        return None
    if type(what).__name__ != "DataFrame":
        return None
    from pyspark.sql.pandas.types import to_arrow_schema

    return SparkSource("the Spark data frame", to_arrow_schema(what.schema), what)


@dataclass(frozen=True)
class SparkSource:
    """Partitions of Spark, each of them a piece; what is lost with an executor, Spark repeats."""

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
        """Summarise each partition where it is, merge many there, and the last of them here."""
        from pyspark.errors import PySparkException
        from pyspark.sql.functions import col

        def merge_near(table: pa.Table) -> pa.Table:  # Spark looks at its annotations
            return _merged(merge, table)

        wanted = list(self.schema.names if columns is None else columns)
        quoted = [f"`{name.replace('`', '``')}`" for name in wanted]
        # by number: mapInArrow takes a dot in a name for that of a field
        frame = self.data.select(*(col(name).alias(f"x{k}") for k, name in enumerate(quoted)))
        try:
            sent = frame.mapInArrow(_Summary(summarise, tuple(wanted), self.label), _SENT)
            pieces = frame.rdd.getNumPartitions()
            if pieces > _FEW:
                width = math.isqrt(pieces)
                near = (col("piece") / width).cast("int")
                sent = sent.groupBy(near).applyInArrow(merge_near, _SENT)
            rows = sorted((row.piece, bytes(row.part)) for row in sent.collect())
        except PySparkException as error:
            why = _reason(error)
            if "No module named" in why:
                why += "; install daglock where the executors are (PYSPARK_PYTHON)"
            raise ClusterError(f"Spark could not read {self.label}: {why}.") from error
        found = [pickle.loads(part) for _, part in rows]
        for own in found:
            if isinstance(own, DaglockError):
                raise own
        if not found:
            return summarise(iter(()))
        result: Part = fold(merge, found)
        return result


@dataclass(frozen=True)
class _Summary:
    """From the batches of a partition to its part; runs in an executor."""

    summarise: Callable[..., Any]
    columns: tuple[str, ...]
    label: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Summarise a partition; an error that says what is wrong with data comes back whole."""
        from pyspark import TaskContext

        task = TaskContext.get()
        number = 0 if task is None else task.partitionId()
        try:
            part = self.summarise(self._batches(batches, number))
        except DaglockError as error:
            part = error
        yield _packed(number, part)

    def _batches(self, batches: Iterator[pa.RecordBatch], number: int) -> Iterator[Batch]:
        """Yield the rows of a partition."""
        place, done = f"partition {number + 1} of {self.label}", 0
        for whole in batches:
            named = pa.RecordBatch.from_arrays(whole.columns, self.columns)
            for batch in chosen_columns(named, self.columns, self.label):
                yield Batch(batch, number, done, place)
                done += batch.num_rows


def _merged(merge: Merge[Any], table: pa.Table) -> pa.Table:
    """Merge parts that are next to each other, in the order of their pieces; in an executor."""
    rows = sorted(zip(*(table.column(name).to_pylist() for name in ("piece", "part")), strict=True))
    found = [pickle.loads(part) for _, part in rows]
    wrong = next((own for own in found if isinstance(own, DaglockError)), None)
    return pa.Table.from_batches([_packed(rows[0][0], wrong or fold(merge, found))])


def _packed(piece: int, part: Any) -> pa.RecordBatch:
    """Return a part as it is sent."""
    return pa.RecordBatch.from_arrays(
        [pa.array([piece], pa.int32()), pa.array([pickle.dumps(part)], pa.binary())],
        ["piece", "part"],
    )


def _reason(error: Exception) -> str:
    """Return what an error of Spark says, without the way that it came."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [line for line in lines if "Error" in line.split(":")[0] and ": " in line]
    return (named or lines or ["it does not say why"])[-1][:300].rstrip(". ")
