"""Arrays and lists in memory: numbers by scikit-learn's rules, text as the numbers of its words."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidCellError, InvalidDataError
from daglock.table.policy import as_floats, column, is_gap, shown_cell
from daglock.table.rounding import loses_digits
from daglock.table.table import Table
from daglock.typing import Array
from daglock.wording import default_names

if TYPE_CHECKING:
    import pyarrow

# What cells may be.
CELLS = "The argument must be a table of strings and numbers"


def with_texts(
    data: Array,
    texts: Mapping[int, pyarrow.Array],
    names: tuple[str, ...] | None,
    library: str | None = None,
) -> Table:
    """Put columns of numbers, and others as Arrow holds them, together."""
    if not texts:
        return Table(data, names, library=library)
    from daglock.table.mixed import mixed_table

    table = mixed_table(data, texts, names or default_names(data.shape[1]))
    return replace(table, names=None if names is None else table.names, library=library)


def object_cells(cells: NDArray[Any], names: Sequence[str] | None, j: int) -> Array | pyarrow.Array:
    """Return Python objects as doubles, or as text where there is text among them."""
    import pyarrow
    from pyarrow import types

    if any(isinstance(cell, str | bytes) for cell in cells):
        return pyarrow.array([_as_text(cell, names, i, j) for i, cell in enumerate(cells)])
    try:
        return as_floats(cells[:, None], names, j, CELLS)[:, 0]
    except InvalidDataError:
        try:
            typed = pyarrow.array(cells)
        except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
            typed = None
        if typed is None or not types.is_temporal(typed.type):
            raise
        return typed


def _as_text(cell: Any, names: Sequence[str] | None, i: int, j: int) -> str | None:
    """Return a cell of a column that holds text; None where nothing is."""
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    if is_gap(cell):
        return None
    if isinstance(cell, str | bool | np.bool_ | int | float | np.number):
        return str(cell)
    raise InvalidCellError(
        f"{CELLS}, but row {i} of {column(names, j)} holds {shown_cell(cell)}: encode or remove "
        "that column."
    )


def read_array(X: Any) -> Table:
    """Return an array-like as numbers, by scikit-learn's rules, and text as those of its words."""
    from sklearn.utils.validation import check_array

    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    if isinstance(X, np.ndarray | list | tuple):
        try:
            cells = np.asarray(X)
        except ValueError as error:
            raise InvalidDataError("The rows of the table must all have one length.") from error
        if cells.dtype.kind in "US" and not isinstance(X, np.ndarray):
            cells = np.asarray(X, dtype=object)  # numbers beside text stay numbers
        is_text = cells.ndim == 2 and cells.dtype.kind in "OUS"
        if is_text and any(isinstance(cell, str | bytes) for cell in cells.ravel()):
            return _text_array(cells.astype(object))
    objects = None
    if isinstance(X, np.ndarray | list | tuple) and cells.ndim == 2 and cells.dtype.kind == "O":
        objects = cells  # before they become doubles
    try:
        data = check_array(
            X,
            dtype="numeric",
            ensure_all_finite=False,
            ensure_min_samples=0,
            ensure_min_features=0,
            estimator="DAGLock",
        )
    except (TypeError, ValueError, OverflowError) as error:
        # objects: dates, what pandas calls NA, arrays in cells
        cells = np.asarray(X, dtype=object)
        if cells.ndim != 2 or np.asarray(X).dtype.kind != "O":
            raise _no_table_error(X, error) from error
        return _text_array(cells)
    kind = np.asarray(data).dtype.kind
    if kind == "O":  # a list with objects in it
        return _with_rounded(_text_array(data), data)
    if kind not in "fiub":
        raise InvalidDataError(
            f"X must be numbers or text; it is an array of type {data.dtype}: convert it, or give "
            "a data frame."
        )
    return _with_rounded(Table(np.asarray(data)), data if objects is None else objects)


def _with_rounded(table: Table, cells: NDArray[Any]) -> Table:
    """Remember which columns held whole numbers with more digits than a double keeps."""
    names = default_names(cells.shape[1])
    rounded = tuple(names[j] for j in range(len(names)) if loses_digits(cells[:, j]))
    return replace(table, rounded=rounded) if rounded else table


def _no_table_error(X: Any, error: Exception) -> InvalidDataError:
    """Build the error about what is no table of rows and columns."""
    called = type(X).__name__
    if isinstance(X, str | os.PathLike):
        return InvalidDataError(
            "X is the name of a file, perhaps: read it first, by daglock.table.read_file(path)."
        )
    shape = getattr(X, "shape", None)
    ndim = len(shape) if isinstance(shape, tuple) else np.asarray(X, dtype=object).ndim
    if ndim != 2:
        return InvalidDataError(
            f"X must be a table of rows and columns; got a {called} of {ndim} dimension(s): "
            "Reshape your data, or give a data frame."
        )
    return InvalidDataError(f"X cannot be read as a table: {str(error).splitlines()[0]}.")


def _text_array(cells: NDArray[Any]) -> Table:
    """Return an array of objects with text among them."""
    data, texts = np.empty(cells.shape), {}
    for j in range(cells.shape[1]):
        column = object_cells(cells[:, j], None, j)
        if isinstance(column, np.ndarray):
            data[:, j] = column
        else:
            texts[j] = column
    return with_texts(data, texts, None)
