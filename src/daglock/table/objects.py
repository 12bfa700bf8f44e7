"""Tables from what is in memory: frames by name, arrays by scikit-learn's rules, a `Table` itself.

A reader takes an object and returns a `Table`, or None if it is nothing to it: a new one is a file
beside `frames`, and a place in `READERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from daglock.errors import InvalidDataError
from daglock.table.frames import read_frame
from daglock.table.names import check_names
from daglock.table.policy import as_floats, check_missing, complete_rows, require_size
from daglock.table.table import Table


def read_table(X: Any, missing: str = "refuse", at_least: int = 2) -> Table:
    """Return the complete rows of X; ``missing`` says what is done about the others.

    Fewer rows or columns than ``at_least`` are refused: two are needed to learn from.

    Raises
    ------
    InvalidDataError
        X holds text, categories, dates, infinities, missing values that are not to be dropped, or
        fewer than two columns or rows; the message names the columns.

    Examples
    --------
    >>> table = read_table([[1.0, 2.0], [np.nan, 3.0], [0.0, 4.0]], missing="drop")
    >>> table.data.tolist(), table.n_dropped
    ([[1.0, 2.0], [0.0, 4.0]], 1)
    """
    check_missing(missing)
    if isinstance(X, Table):
        return complete_rows(X, missing)
    table = next(table for reader in READERS if (table := reader(X)) is not None)
    require_size(table.data.shape, at_least)
    return complete_rows(table, missing)


def in_order_of(table: Table, names: tuple[str, ...], are_given: bool) -> NDArray[Any]:
    """Return the columns of a table in the order of those that a model was fitted on."""
    if table.data.shape[1] != len(names):
        raise InvalidDataError(
            f"X has {table.data.shape[1]} features, but DAGLock is expecting {len(names)} features "
            "as input: give the columns that it was fitted on."
        )
    if table.names is None or not are_given or table.names == names:
        return table.data
    for name in names:
        if name not in table.names:
            raise InvalidDataError(f"X has no column {name!r}, which the model was fitted on.")
    return table.data[:, [table.names.index(name) for name in names]]


def read_array(X: Any) -> Table:
    """Return an array-like as numbers, by scikit-learn's rules; text is named."""
    from sklearn.utils.validation import check_array

    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    if isinstance(X, np.ndarray | list | tuple):
        try:
            cells = np.asarray(X)
        except ValueError as error:
            raise InvalidDataError("The rows of the table must all have one length.") from error
        if cells.ndim == 2 and cells.dtype.kind in "OUS":
            text = [isinstance(cell, str | bytes) for cell in cells.ravel()]
            if any(text):
                as_floats(cells.astype(object), None)
    data = check_array(
        X,
        dtype="numeric",
        ensure_all_finite=False,
        ensure_min_samples=0,
        ensure_min_features=0,
        estimator="DAGLock",
    )
    return Table(np.asarray(data))


READERS: tuple[Callable[[Any], Table | None], ...] = (read_frame, read_array)


def read_matrix(
    X: ArrayLike, names: Sequence[str] | None
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """X as a 2-D numeric array (not copied when it is one) and its column names, for `Moments`."""
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
        table = as_floats(table, labels)
    if table.dtype.kind not in "fiub":
        raise InvalidDataError(
            f"The data must be real numbers; they are of type {table.dtype}: encode or remove "
            "the columns that are not."
        )
    return table, labels
