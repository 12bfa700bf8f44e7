"""What the estimator is given, as numbers: frames by name, arrays by scikit-learn's rules."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from daglock._table import complete_rows, numbers
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.frames import Frame, read_frame


class Table(NamedTuple):
    """Complete rows, the names of the columns, where they came from, and what was left out."""

    data: NDArray[Any]
    names: tuple[str, ...] | None
    library: str | None
    n_dropped: int


def read_input(X: Any, missing: str, at_least: int = 2) -> Table:
    """Return the rows of X; ``missing`` says what is done about missing values.

    Fewer rows or columns than ``at_least`` are refused: two are needed to learn from.

    Raises
    ------
    InvalidDataError
        X holds text, categories, dates, infinities, missing values that are not to be dropped, or
        fewer than two columns or rows; the message names the columns.
    """
    if missing not in ("refuse", "drop"):
        raise InvalidParameterError(f"missing must be refuse or drop; got {missing!r}.")
    frame = read_frame(X) or _read_array(X)
    rows, columns = frame.data.shape
    for count, what in ((rows, "sample(s)"), (columns, "feature(s)")):
        if count < at_least:
            raise InvalidDataError(
                f"Found a table with {count} {what} (shape=({rows}, {columns})) while a minimum of "
                f"{at_least} is required."
            )
    data, n_dropped = complete_rows(frame.data, frame.names, drop=missing == "drop")
    return Table(data, frame.names, frame.library if frame.names else None, n_dropped)


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


def _read_array(X: Any) -> Frame:
    """Return an array-like as numbers, by scikit-learn's rules; text is named."""
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
                numbers(cells.astype(object), None)
    data = check_array(
        X,
        dtype="numeric",
        ensure_all_finite=False,
        ensure_min_samples=0,
        ensure_min_features=0,
        estimator="DAGLock",
    )
    return Frame(np.asarray(data), None, None)
