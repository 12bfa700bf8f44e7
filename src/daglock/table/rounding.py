"""Whole numbers that have more digits than a double keeps, about sixteen: it is said where."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array
from daglock.wording import listed

if TYPE_CHECKING:
    import pyarrow as pa

# From here on not every whole number is a double.
EXACT = 2**53
# So many cells that may have lost digits are looked at.
_GLANCE = 1000


def loses_digits(cells: NDArray[Any]) -> bool:
    """Whether some of the whole numbers of an array are no doubles.

    Examples
    --------
    >>> loses_digits(np.array([2**62 + 1, 5])), loses_digits(np.array([2**62, 5]))
    (True, False)
    """
    if cells.dtype.kind == "O":  # whole numbers of Python have no end
        wide = (v for v in cells.tolist() if isinstance(v, int) and abs(v) > EXACT)
        return any(int(float(value)) != value for value in islice(wide, _GLANCE))
    if cells.dtype.kind not in "iu" or not cells.size or cells.dtype.itemsize < 8:
        return False
    if int(cells.min()) >= -EXACT and int(cells.max()) <= EXACT:
        return False
    large = cells[(cells > EXACT) | (cells < -EXACT if cells.dtype.kind == "i" else False)]
    return any(int(float(value)) != value for value in large[:_GLANCE].tolist())


def column_loses_digits(cells: pa.ChunkedArray, values: Array) -> bool:
    """Whether a column of whole numbers, or of text that says some, lost digits as doubles."""
    import pyarrow.compute as pc
    from pyarrow import types

    whole = types.is_integer(cells.type)
    if not (whole or types.is_string(cells.type)) or not values.size:
        return False
    there = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    if there < EXACT:
        return False
    if whole:
        return loses_digits(np.asarray(pc.drop_null(cells).to_numpy()))
    digits = pc.fill_null(pc.match_substring_regex(cells, r"^[+-]?\d{16,}$"), False).to_numpy()
    some = np.flatnonzero(digits)[:_GLANCE].tolist()
    texts = (str(cells[row].as_py()) for row in some)
    return any(len(text) > 400 or int(float(text)) != int(text) for text in texts)


def about_rounded(names: Sequence[str]) -> str:
    """Say which columns lost digits; empty where none did.

    Examples
    --------
    >>> about_rounded(["serial"])[:51]
    "Whole numbers beyond 2**53 (about 9e15) in 'serial'"
    """
    if not names:
        return ""
    return (
        f"Whole numbers beyond 2**53 (about 9e15) in {listed(map(repr, names), 5)} lost their last "
        "digits, and those that differ in these alone count as equal: where that matters, subtract "
        "a constant first."
    )
