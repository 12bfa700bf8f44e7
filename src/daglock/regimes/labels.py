"""Labels: the regime of each row of a table, as a column of it or beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.regimes.regimes import label_text
from daglock.table.deciding import cells_of, rebuilt
from daglock.table.kinds import ColumnKind, Kind
from daglock.table.table import LeftOut, Table
from daglock.table.variation import varying
from daglock.typing import Array
from daglock.wording import listed, plural

# A column with more regimes than this share of the rows has is no column of regimes.
_MOST = 0.5


def with_regime_column(columns: Any, regimes: Any) -> Any:
    """Return what is said of columns, with the column of regimes as what it is."""
    if not isinstance(regimes, str):
        return columns
    given = {} if columns is None else columns
    if not isinstance(given, Mapping):
        return columns  # refused where columns are read
    if regimes in given and given[regimes] != Kind.REGIME.value:
        raise InvalidParameterError(
            f"{regimes!r} is the column of regimes, and columns says that it is "
            f"{given[regimes]!r}: it cannot be a variable, too."
        )
    return {**given, regimes: Kind.REGIME.value}


def labels_of(table: Table, regimes: Any) -> NDArray[np.str_] | None:
    """Return the label of each row that is left of a table; None where there are no regimes.

    Parameters
    ----------
    table : with the column of regimes left out.
    regimes : its name, or a label for each row that the table had, or None: a column that was
        given as one of regimes is one.
    """
    if regimes is None:
        told = [name for name, one in table.aside.items() if one.kind.kind is Kind.REGIME]
        if not told:
            return None
        if len(told) > 1:
            raise InvalidParameterError(
                f"{listed(map(repr, told))} are all given as columns of regimes: a row has one "
                "regime, so put them together into one column."
            )
        regimes = told[0]
    if isinstance(regimes, str):
        gone = table.aside.get(regimes)
        if gone is None or gone.values is None:
            raise InvalidParameterError(
                f"There is no column {regimes!r} of regimes; the columns are "
                f"{listed(map(repr, table.columns), 8)}."
            )
        labels = _texts(gone, regimes)
    else:
        labels = _beside(table, regimes)
    different = len(np.unique(labels))
    if different < 2:
        raise InvalidDataError("All rows are of one regime: fit without regimes.")
    if different > _MOST * len(labels):
        raise InvalidDataError(
            f"There are {plural(different, 'regime')} in {plural(len(labels), 'row')}: a regime "
            "needs several rows. Is it a row counter?"
        )
    return labels


def _texts(gone: LeftOut, name: str) -> NDArray[np.str_]:
    """Return the labels of a column that is kept beside the variables."""
    assert gone.values is not None
    missing = np.isnan(gone.values)
    if missing.any():
        raise InvalidDataError(
            f"Column {name!r} has no regime in {plural(int(missing.sum()), 'row')}, the first is "
            f"row {int(missing.argmax())} (counted from 0): name it or leave that row out."
        )
    if gone.words is not None:
        words = np.array(gone.words)
        return np.asarray(words[gone.values.astype(np.intp)], dtype=np.str_)
    values, place = np.unique(gone.values, return_inverse=True)
    return np.array([label_text(value) for value in values.tolist()])[place]


def _beside(table: Table, regimes: Any) -> NDArray[np.str_]:
    """Return labels that were given for the rows of the source, for those that are left."""
    values = np.asarray(regimes)
    gone = np.concatenate([*table.dropped.values(), np.empty(0, dtype=np.intp)]).astype(np.intp)
    rows = len(table.data) + len(gone)
    if values.shape != (rows,):
        raise InvalidParameterError(
            f"regimes must be the name of a column or a label for each of the {rows} rows; its "
            f"shape is {values.shape}."
        )
    empty = [label is None or label != label for label in values.tolist()]
    if any(empty):
        raise InvalidDataError(
            f"regimes has no label for {plural(sum(empty), 'row')}, the first is row "
            f"{empty.index(True)} (counted from 0): name it or leave that row out."
        )
    return np.array([label_text(label) for label in np.delete(values, gone).tolist()])


def without_constant_within(table: Table, labels: NDArray[np.str_]) -> Table:
    """Leave out columns that vary between regimes only: each has a mean of its own in a regime."""
    settled = cells_of(table)
    still = ~np.any(list(varying(table.data, labels).values()), axis=0)
    for j in np.flatnonzero(still).tolist():
        name = table.labels[j]
        kind = ColumnKind(Kind.CONSTANT, reason="it does not vary within a regime")
        settled[name] = replace(settled[name], kind=kind)
    return rebuilt(table, settled) if still.any() else table


def centred(rows: NDArray[Any], labels: NDArray[np.str_]) -> Array:
    """Return rows less the means of their regime, around the means of all; gaps stay gaps.

    Examples
    --------
    >>> centred(np.array([[0.0], [2.0], [10.0], [14.0]]), np.array(["a", "a", "b", "b"])).tolist()
    [[5.5], [7.5], [4.5], [8.5]]
    """
    result = np.asarray(rows, dtype=np.float64).copy()
    total = _means(result)
    for label in np.unique(labels):
        own = labels == label
        result[own] -= _means(result[own])
    return np.asarray(result + total)


def _means(rows: Array) -> Array:
    """Return means of what is there; 0 where nothing is."""
    there = ~np.isnan(rows)
    total = np.where(there, rows, 0.0).sum(axis=0)
    return np.asarray(total / np.maximum(there.sum(axis=0), 1))
