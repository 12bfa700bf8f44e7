"""Files that know the types of their columns: Parquet and Arrow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from daglock.errors import InvalidDataError
from daglock.reading.numbers import Column
from daglock.reading.source import Source
from daglock.wording import listed

if TYPE_CHECKING:
    from pyarrow import Table as ArrowTable


def read_columnar(source: Source) -> ArrowTable:
    """Read a Parquet or an Arrow file."""
    import pyarrow as pa

    try:
        with pa.BufferReader(source.raw) as reader:
            if source.kind == "parquet":
                from pyarrow.parquet import read_table

                return read_table(reader)
            from pyarrow import ipc

            opener = ipc.open_file if source.kind == "arrow file" else ipc.open_stream
            return opener(reader).read_all()
    except (pa.ArrowInvalid, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidDataError(f"{source.label} is a damaged {source.kind}: {reason}") from error


def pandas_index(table: ArrowTable) -> list[str]:
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
