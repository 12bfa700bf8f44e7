"""Square tables that hold no rows: a covariance, or correlations, given as if they were rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidDataError

if TYPE_CHECKING:
    from daglock.table.columns import Column, Raw

# Columns from which on a table is told by its numbers alone.
FEWEST = 4
# Shares of standard deviations by which numbers that should be one may differ.
_ROUNDING = 1e-6


def refuse_covariance(
    data: NDArray[Any],
    columns: Sequence[str],
    label: str,
    what: str,
    rows: Sequence[str] | None = None,
) -> None:
    """Raise an error where a table is a covariance: rows are never the same along and across.

    Parameters
    ----------
    data : numbers.
    columns : what they are called.
    label : what the table is called.
    what : what to do instead.
    rows : what its rows are called, where they are called something.

    Examples
    --------
    >>> S = np.array([[2.0, 0.5], [0.5, 1.0]])
    >>> refuse_covariance(S, "ab", "c.csv", "give --covariance", "ab")
    Traceback (most recent call last):
    daglock.errors.InvalidDataError: c.csv holds a covariance or correlations, not rows (it is the
    same along and across): give --covariance.
    """
    named = rows is not None and len(rows) == len(set(rows)) and set(columns) <= set(rows)
    if rows is not None and named:
        place = {name: i for i, name in enumerate(rows)}
        data = data[[place[name] for name in columns]]
    if data.shape[0] == data.shape[1] >= (2 if named else FEWEST) and _is_covariance(data):
        raise InvalidDataError(
            f"{label} holds a covariance or correlations, not rows (it is the same along and "
            f"across): {what}."
        )


def refuse_covariance_file(raw: Raw, numbers: Sequence[Column]) -> None:
    """Raise an error where a file holds a covariance, its rows perhaps called as its columns."""
    n = len(raw.columns[0].text)
    if n > len(raw.columns) or not numbers:
        return
    labels = None
    if n == len(raw.columns) - 1:
        labels = [str(cell) for cell in raw.columns[0].text.to_pylist()]
    refuse_covariance(
        np.column_stack([column.values for column in numbers]),
        [column.name for column in numbers],
        raw.label,
        "daglock learn takes it with --covariance and --rows N, the number of rows behind it, and "
        "in Python Moments.from_covariance",
        labels,
    )


def _is_covariance(matrix: NDArray[Any]) -> bool:
    """Whether a square matrix is symmetric, with correlations as columns have them."""
    variances = np.diagonal(matrix)
    if not (np.isfinite(matrix).all() and (variances > 0).all()):
        return False
    scale = np.sqrt(np.asarray(variances, dtype=np.float64))
    with np.errstate(over="ignore"):  # of numbers that are no covariance
        R = matrix / scale[:, None] / scale
    apart = R[~np.eye(len(R), dtype=np.bool_)]
    if not np.isfinite(R).all() or (np.abs(R) > 1.0 + _ROUNDING).any():
        return False
    # zeros are of indicators: chance leaves none between columns
    return bool(
        (np.abs(R - R.T) <= _ROUNDING).all() and (apart != 0.0).all() and (apart < 1.0).any()
    )
