"""The rows of a source that are looked at: which ones, and what its columns are, told by them.

What a column is, is decided by the same function as in memory. It sees rows at even distances and,
for each value or word that is nowhere in them, one row more, so that no rare level, no fraction and
no word among numbers is overlooked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types

from daglock.moments.streamed import Gathered
from daglock.sources.encoding import is_numeric, is_text
from daglock.sources.profile import Numbers, Sample, Texts
from daglock.table.columnar import typed_numbers
from daglock.table.columns import Column, as_table
from daglock.table.deciding import cells_of, decide, rebuilt
from daglock.table.given import check_given
from daglock.table.kinds import ColumnKind, Kind
from daglock.table.scores import MOST_ROWS as JUDGED_ROWS
from daglock.table.table import Table
from daglock.wording import listed

# Cells of the rows that are looked at: fewer rows where there are many columns.
MOST_CELLS = 1 << 24
# Words that the rows at even distances lack, of which so many are shown.
_MOST_WORDS = 1000


@dataclass(frozen=True, eq=False)
class Wanted:
    """Numbers of rows that are looked at.

    Attributes
    ----------
    looked : at even distances, as the shape of the noise is judged by.
    judged : at even distances, as it is judged by whether raw values mislead.
    """

    looked: NDArray[np.int64]
    judged: NDArray[np.int64]

    @classmethod
    def of(cls, n: int, d: int, most: int) -> Wanted:
        """Choose rows: those that are looked at in memory, too, where columns are not too many.

        Examples
        --------
        >>> wanted = Wanted.of(50_000, 3, most=20_000)
        >>> wanted.looked[:4].tolist(), len(wanted.looked), len(wanted.judged)
        ([0, 3, 6, 9], 16667, 5000)
        """
        most = max(100, min(most, MOST_CELLS // max(1, d)))
        looked = np.arange(0, n, max(1, -(-n // most)), dtype=np.int64)
        judged = min(n, JUDGED_ROWS, most)
        return cls(looked, np.unique(np.linspace(0, n - 1, judged).astype(np.int64)))

    @property
    def all(self) -> NDArray[np.int64]:
        """All of them, sorted."""
        return np.union1d(self.looked, self.judged)


def sample_table(
    found: Gathered,
    sample: Sample,
    schema: pa.Schema,
    columns: Any,
    unread: Sequence[str],
    label: str,
) -> tuple[Table, NDArray[np.int64]]:
    """Return the rows that were looked at as a table with the kinds of its columns.

    Parameters
    ----------
    found : what is known of all rows.
    sample : rows as they were read.
    schema : all columns of the source, in their order.
    columns : what a user says of columns.
    unread : columns of which a user says that they are to be ignored.
    label : how messages call the source.

    Returns
    -------
    The table, and the number of each of its rows in the source.
    """
    numbers = np.concatenate([*sample.rows, np.empty(0, dtype=np.int64)])
    order = np.argsort(numbers, kind="stable")
    rows = pa.Table.from_batches(sample.batches) if sample.batches else None
    n = len(numbers)
    extra = {
        field.name: _extra(field, found, None if rows is None else rows.column(field.name))
        for field in schema
        if field.name not in unread
    }
    total = n + sum(len(own) for own in extra.values())
    cells, at = list[Column](), n
    for field in schema:
        if field.name in unread or rows is None:
            cells.append(Column(field.name, pa.chunked_array([pa.nulls(total)])))
            continue
        own = extra[field.name]
        values = rows.column(field.name).take(pa.array(order))
        parts = [pa.nulls(at - n, values.type), own, pa.nulls(total - at - len(own), values.type)]
        cells.append(Column(field.name, pa.chunked_array([*values.chunks, *parts])))
        at += len(own)
    notes: list[str] = []
    others = [column for column, _ in typed_numbers(cells, notes)]
    truths = [repr(column.name) for column in cells if column.held_truths]
    if truths:
        notes.append(f"True and false became 1 and 0 in {listed(truths, 5)}.")
    table = decide(
        as_table(cells, others, notes),
        columns,
        place=lambda row: _place(row, numbers, label),
        find=True,
    )
    table = _with_counters(table, found, columns)
    kept = replace(
        table,
        data=table.data[:n],
        aside={
            name: replace(gone, values=None if gone.values is None else gone.values[:n])
            for name, gone in table.aside.items()
        },
    )
    return kept, numbers[order]


def _place(row: int, numbers: NDArray[np.int64], label: str) -> str:
    """Return how a message calls a row of the sample."""
    return f"row {numbers[row] + 1:,} of {label}" if row < len(numbers) else label


def _extra(field: pa.Field, found: Gathered, there: pa.ChunkedArray | None) -> pa.Array:
    """Return the values of a column that no row of the sample has, of the type of the sample."""
    if there is None:
        return pa.nulls(0)
    kind = there.type
    known: Numbers | Texts | None = found.numbers.get(field.name)
    if isinstance(known, Numbers) and is_numeric(kind) and not types.is_null(kind):
        have = set(_plain(there))
        rare = [value for value in known.rare().tolist() if value not in have]
        return pa.array(rare, pa.float64()).cast(kind, safe=False)
    known = found.texts.get(field.name)
    if isinstance(known, Texts) and is_text(kind):
        have = set(map(str, there.to_pylist()))
        words = [word for word in known.counts if word not in have][:_MOST_WORDS]
        if types.is_dictionary(kind):
            return pa.array(words, pa.string()).cast(kind.value_type).dictionary_encode().cast(kind)
        return pa.array(words, kind)
    return pa.nulls(0, kind)


def _plain(cells: pa.ChunkedArray) -> Any:
    """Return numbers as Python has them."""
    values = np.concatenate(
        [
            chunk.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            for chunk in cells.chunks
        ]
    )
    return np.unique(values[~np.isnan(values)]).tolist()


def _with_counters(table: Table, found: Gathered, columns: Any) -> Table:
    """Leave out columns that count all rows, which no sample can show."""
    given = check_given(columns, table.columns)
    settled, changed = cells_of(table), False
    for name, known in found.numbers.items():
        if name not in given and known.counts_rows(found.rows):
            kind = ColumnKind(Kind.IDENTIFIER, reason="it counts the rows")
            settled[name] = replace(settled[name], kind=kind)
            changed = True
    return rebuilt(table, settled) if changed else table


def gap_places(table: Table, found: Gathered) -> Mapping[str, str]:
    """Return where the first gap is in each variable that has one."""
    known: dict[str, Numbers | Texts] = {**found.numbers, **found.texts}
    return {name: known[name].gap for name in table.labels if name in known and known[name].gap}
