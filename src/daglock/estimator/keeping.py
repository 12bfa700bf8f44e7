"""What was kept of a table, as the parts of a file: numbers, names and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.blocks import Blocks
from daglock.counts import Counts
from daglock.moments import Moments
from daglock.typing import Statistics

Arrays = Mapping[str, NDArray[Any]]
# What arrays of whole numbers are read as.
TYPES: dict[str, Any] = {"first": np.intp, "codes": np.int16}


def to_parts(moments: Statistics) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return plain values, and arrays by name."""
    record: dict[str, Any] = {
        "kept": type(moments).__name__,
        "n": moments.n,
        "n_rows": moments.n_rows,
        "missing_share": moments.missing,
        "names": None if moments.names is None else list(moments.names),
    }
    if isinstance(moments, Counts):
        record["levels"] = [list(own) for own in moments.levels]
        return record, {
            "codes": moments.codes,
            "count": moments.weight,
            "means": moments.means,
        }
    if isinstance(moments, Blocks):
        columns, more = moments.columns, {"first": moments.first, "table_means": moments.means}
        record["block_columns"] = list(columns.labels)
        record["levels"] = [None if own is None else list(own) for own in moments.levels]
    else:
        assert isinstance(moments, Moments)
        columns, more = moments, {}
    arrays = {"means": columns.means, "cov": columns.cov, "resolution": columns.resolution}
    return record, {**arrays, **more}


def from_parts(record: Mapping[str, Any], arrays: Arrays) -> Statistics:
    """Return what `to_parts` was made of.

    Raises
    ------
    ValueError, KeyError, TypeError, IndexError
    """
    names = None if record["names"] is None else tuple(record["names"])
    if record["kept"] == "Counts":
        levels = tuple(tuple(map(str, own)) for own in record["levels"])
        return Counts(arrays["codes"], arrays["count"], levels, arrays["means"], names)
    labels = tuple(record["block_columns"]) if record["kept"] == "Blocks" else names
    gaps = record["n_rows"], record["missing_share"]
    columns = Moments(
        arrays["cov"], record["n"], arrays["means"], labels, arrays["resolution"], *gaps
    )
    if record["kept"] == "Moments":
        return columns
    own = tuple(None if one is None else tuple(map(str, one)) for one in record["levels"])
    return Blocks(columns, arrays["first"], arrays["table_means"], own, names)
