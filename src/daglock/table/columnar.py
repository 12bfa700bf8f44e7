"""Files that know the types of their columns: Parquet and Arrow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from daglock.errors import InvalidDataError
from daglock.table.columns import Column, Raw
from daglock.table.source import Source
from daglock.wording import listed

if TYPE_CHECKING:
    from pyarrow import Table as ArrowTable


def read_columnar(kind: str, source: Source, notes: list[str]) -> Raw:
    """Take the columns of a file that knows their types, without the index of a data frame."""
    import pyarrow as pa
    from pyarrow import ipc
    from pyarrow.parquet import read_table

    try:
        with pa.BufferReader(source.raw) as reader:
            if kind == "parquet":
                table = read_table(reader)
            else:
                opener = ipc.open_file if kind == "arrow file" else ipc.open_stream
                table = opener(reader).read_all()
    except (pa.ArrowInvalid, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidDataError(f"{source.label} is a damaged {kind}: {reason}") from error
    index = _pandas_index(table)
    if index:
        notes.append("The index of the data frame was left out.")
    columns = [
        Column(name, column)
        for name, column in zip(table.column_names, table.itercolumns(), strict=True)
        if name not in index
    ]
    return Raw(source.label, columns, typed_numbers, lambda row: f"row {row + 1}")


def _pandas_index(table: ArrowTable) -> list[str]:
    """Return the columns in which pandas keeps the index of a frame."""
    metadata = (table.schema.metadata or {}).get(b"pandas", b"{}")
    columns = json.loads(metadata).get("index_columns", [])
    # a range is kept as a description, not as a column
    return [name for name in columns if isinstance(name, str) and name in table.column_names]


def typed_numbers(columns: Sequence[Column], notes: list[str]) -> list[tuple[Column, int]]:
    """Fill in the values of each column that holds numbers or truth values.

    Returns the other columns, each with the first row that holds something.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    others: list[tuple[Column, int]] = []
    truths: list[str] = []
    for column in columns:
        kind = column.text.type
        if types.is_boolean(kind):
            truths.append(repr(column.name))
        elif not (
            types.is_integer(kind)
            or types.is_floating(kind)
            or types.is_decimal(kind)
            or types.is_null(kind)
        ):
            there = pc.is_valid(column.text).to_numpy()
            others.append((column, int(np.argmax(there)) if len(there) else 0))
            continue
        # whole numbers above 2**53 lose their last digits: a float has no more
        numbers = pc.cast(column.text, pa.float64(), safe=False)
        column.values = np.asarray(numbers.to_numpy(), dtype=np.float64)
    if truths:
        notes.append(f"True and false became 1 and 0 in {listed(truths, 5)}.")
    return others
