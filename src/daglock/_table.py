"""Reading a table: what may be wrong with the rows that a user hands over, named."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from daglock.errors import InvalidDataError
from daglock.typing import Array
from daglock.wording import listed


def read_table(
    X: ArrayLike, names: Sequence[str] | None
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """X as a 2-D numeric array (not copied when it is one) and its column names."""
    columns = getattr(X, "columns", None)
    if names is None and columns is not None:
        names = [str(column) for column in columns]
    try:
        table = X.filled(np.nan) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
    except (ValueError, TypeError) as error:
        raise InvalidDataError(
            "The data must be a table whose rows all have the same length."
        ) from error
    if table.ndim != 2:
        raise InvalidDataError(
            f"The data must be a 2-D table (rows, columns); got {table.ndim} dimension(s)."
        )
    if table.shape[1] < 2:
        raise InvalidDataError(
            f"At least two columns are needed to learn a graph; got {table.shape[1]}."
        )
    labels = check_names(names, table.shape[1])
    if table.dtype.kind == "O":
        table = numbers(table, labels)
    if table.dtype.kind not in "fiub":
        raise InvalidDataError(
            f"The data must be real numbers; they are of type {table.dtype}: encode or remove "
            "the columns that are not."
        )
    return table, labels


def check_names(names: Sequence[str] | None, d: int) -> tuple[str, ...] | None:
    """Names as a tuple of d different strings."""
    if names is None:
        return None
    labels = tuple(map(str, names))
    if len(labels) != d:
        raise InvalidDataError(f"There are {len(labels)} names for {d} columns.")
    if len(set(labels)) != d:
        twice = next(name for name in labels if labels.count(name) > 1)
        raise InvalidDataError(f"Column names must differ; {twice!r} occurs more than once.")
    return labels


def numbers(table: NDArray[Any], names: Sequence[str] | None, first_column: int = 0) -> Array:
    """Convert Python objects to floats, or name the first that is not a number."""
    result = np.empty(table.shape)
    for j in range(table.shape[1]):
        for i, cell in enumerate(table[:, j]):
            try:
                if isinstance(cell, str | bytes):
                    raise ValueError
                result[i, j] = np.nan if cell is None else float(cell)
            except (TypeError, ValueError) as error:
                where = label(names, first_column + j)
                raise InvalidDataError(
                    f"The data must be numbers, but row {i} of {where} holds {cell!r}: encode or "
                    "remove that column."
                ) from error
    return result


def require_finite(block: NDArray[Any], names: Sequence[str] | None, first_row: int) -> None:
    """Raise the error that names the first missing or infinite value, if there is one."""
    bad = ~np.isfinite(block)
    count = int(bad.sum())
    if count:
        i, j = (int(k) for k in np.unravel_index(int(bad.argmax()), bad.shape))
        raise InvalidDataError(
            f"{count} value(s) are missing or infinite, the first in row {first_row + i} of "
            f"{label(names, j)} (rows counted from 0): fill them in or remove those rows."
        )


def complete_rows(
    table: NDArray[Any], names: Sequence[str] | None, *, drop: bool
) -> tuple[NDArray[Any], int]:
    """Return the rows without a missing value and how many were left out.

    Raises
    ------
    InvalidDataError
        A value is missing and rows are not to be dropped, a value is infinite, or no row is left.
    """
    infinite = np.flatnonzero(np.isinf(table).any(axis=0))
    if infinite.size:
        j = int(infinite[0])
        row = int(np.isinf(table[:, j]).argmax())
        raise InvalidDataError(
            f"{listed_columns(infinite.tolist(), names)} infinite (inf) in places, the first in "
            f"row {row} of {label(names, j)} (rows counted from 0): mend or remove those rows."
        )
    missing = np.isnan(table)
    gaps = missing.sum(axis=0)
    columns = np.flatnonzero(gaps)
    if not columns.size:
        return table, 0
    complete = ~missing.any(axis=1)
    left = int(complete.sum())
    if not drop:
        shown = ", ".join(f"{gaps[j]} in {label(names, int(j))}" for j in columns[:5])
        more = f" and more in {columns.size - 5} other columns" if columns.size > 5 else ""
        raise InvalidDataError(
            f"Values are missing (NaN): {shown}{more}. Fill them in, or let missing='drop' leave "
            f"out {len(table) - left} of the {len(table)} rows."
        )
    if left < 2:
        raise InvalidDataError(
            f"Only {left} of the {len(table)} rows have no missing value: leave out the columns "
            f"with the most gaps, such as {label(names, int(gaps.argmax()))}."
        )
    return table[complete], len(table) - left


def constant_columns_error(
    columns: NDArray[np.intp], names: Sequence[str] | None
) -> InvalidDataError:
    """Build the error that names the columns that do not vary."""
    which = listed((label(names, int(j)) for j in columns), 5)
    return InvalidDataError(f"These columns do not vary; remove them: {which}.")


def rows_by_regime(labels: ArrayLike, n: int) -> list[tuple[Hashable, NDArray[np.intp]]]:
    """Each label, in order of appearance, with its rows."""
    values = np.asarray(labels)
    if values.shape != (n,):
        raise InvalidDataError(
            f"labels must give one regime for each of the {n} rows; its shape is {values.shape}."
        )
    rows: dict[Hashable, list[int]] = {}
    for row, label in enumerate(values.tolist()):
        rows.setdefault(label, []).append(row)
    return [(label, np.array(index, dtype=np.intp)) for label, index in rows.items()]


def listed_columns(columns: Sequence[int], names: Sequence[str] | None) -> str:
    """Return the start of a sentence about columns: "Columns 'a', 'b' are"."""
    called = [str(j) if names is None else repr(names[j]) for j in columns]
    word, verb = ("Column", "is") if len(called) == 1 else ("Columns", "are")
    return f"{word} {listed(called, 10)} {verb}"


def label(names: Sequence[str] | None, column: int) -> str:
    """How a message calls a column."""
    return f"column {column}" if names is None else f"column {names[column]!r}"
