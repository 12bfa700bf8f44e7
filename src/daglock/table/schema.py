"""The columns that a model was fitted on, and other tables read as those."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from daglock.errors import InvalidDataError, refuse
from daglock.table.deciding import Cells, cells_of, numbers_of
from daglock.table.doubts import Doubt, about_doubts
from daglock.table.kinds import ColumnKind, Schema
from daglock.table.table import Table
from daglock.table.words import in_order
from daglock.typing import Array, BoolArray
from daglock.wording import listed


def conform(table: Table, schema: Schema) -> Table:
    """Return the columns of a schema from a table, as what they are there.

    Names decide where both have names, else the places. Words get the numbers of the levels that
    the schema has; a word that is no level, and text where numbers are expected, is an error that
    names all such columns.

    Examples
    --------
    >>> schema = Table(np.array([[0.0, 1.0], [2.0, 3.0]]), ("a", "b")).schema
    >>> conform(Table(np.array([[5.0, 6.0]]), ("b", "a")), schema).data.tolist()
    [[6.0, 5.0]]
    """
    cells = _chosen(table, schema)
    columns, wrong = [], []
    doubts: list[Doubt] = []
    for name, kind, given in zip(schema.names, schema.kinds, cells, strict=True):
        if given.doubts and kind.levels is None:
            doubts += given.doubts
            continue
        found = _as_before(given, kind)
        if isinstance(found, str):
            wrong.append(f"column {name!r} {found}")
        else:
            columns.append(found)
    unlike = f"X is not like the table of the fit: {'; '.join(wrong)}." if wrong else ""
    refuse([*about_doubts(doubts), unlike])
    plain = all(kind.levels is None for kind in schema.kinds)
    same = plain and not table.aside and table.labels == schema.names
    data = table.data if same else np.column_stack(columns)
    names = schema.names if schema.has_names else None
    left_out = tuple(name for name in schema.source if name not in schema.names)
    return replace(
        table,
        data=data,
        names=names,
        kinds=schema.kinds,
        left_out=dict.fromkeys(left_out, "left out of the fit"),
        aside={},
        source=() if names is None and not left_out else schema.source,
    )


def gaps_in(table: Table, schema: Schema, names: Collection[str]) -> BoolArray | None:
    """Tell which rows miss a value in columns that a schema does not take; None where it cannot."""
    cells = cells_of(table)
    by_name = schema.has_names and table.names is not None
    if not by_name and len(cells) == len(schema.source):
        cells = dict(zip(schema.source, cells.values(), strict=True))
    values = [cells[name].values for name in names if name in cells]
    gaps = [np.isnan(own) for own in values if own is not None]
    return np.any(gaps, axis=0) if gaps else None


def _chosen(table: Table, schema: Schema) -> list[Cells]:
    """Return the columns of a table that a schema names, by name or by place."""
    cells = cells_of(table)
    if len(cells) not in (len(schema.source), len(schema.names)):
        raise InvalidDataError(
            f"X has {len(cells)} features, but DAGLock is expecting {len(schema.source)} features "
            "as input: give the columns that it was fitted on."
        )
    if schema.has_names and table.names is not None:
        missing = [repr(name) for name in schema.names if name not in cells]
        if missing:
            word = "column" if len(missing) == 1 else "columns"
            raise InvalidDataError(
                f"X has no {word} {listed(missing)}, which the model was fitted on."
            )
        return [cells[name] for name in schema.names]
    places = list(cells.values())
    if len(places) == len(schema.names):
        return places
    return [places[schema.source.index(name)] for name in schema.names]


def _as_before(cells: Cells, kind: ColumnKind) -> Array | str:
    """Return a column as numbers, or as the numbers of known levels; or say what is wrong."""
    if cells.values is None:
        return f"cannot be used: {cells.kind.reason}"
    if kind.levels is None:
        numbers = cells.values if cells.words is None else numbers_of(cells)
        if numbers is None:
            return f"holds text ({listed(map(repr, in_order(cells.words or ())), 3)}), not numbers"
        return numbers
    text = cells.text
    unknown = [word for word, count in zip(text.words, text.tally(), strict=True) if count]
    unknown = [repr(word) for word in in_order(unknown) if word not in kind.levels]
    if unknown:
        return f"holds {listed(unknown)}, and its levels are {listed(map(repr, kind.levels), 12)}"
    return text.relabelled(kind.levels)
