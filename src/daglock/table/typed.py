"""Columns of files that know their types."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc
from pyarrow import types

from daglock.table.columns import Column


def typed_numbers(columns: Sequence[Column], notes: list[str]) -> list[tuple[Column, int]]:
    """Fill in numbers and truth values; return the other columns, each with a row that is there."""
    numeric = (
        types.is_boolean,
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_null,
    )
    others = []
    for column in columns:
        if any(is_kind(column.text.type) for is_kind in numeric):
            column.fill(column.text)
        else:
            there = pc.is_valid(column.text).to_numpy()
            others.append((column, int(np.argmax(there)) if len(there) else 0))
    return others
