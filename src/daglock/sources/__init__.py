"""Sources: rows that do not fit into memory, from files, lazy frames, clusters and iterators.

`as_source` makes a `Source` of whatever is given. A new kind of source is one file with a function
that returns a source, or None if what it is given is nothing of its own, and a line in `SOURCES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from daglock.sources.arrow import open_arrow
from daglock.sources.dask import open_dask
from daglock.sources.files import open_files
from daglock.sources.iterators import open_batches
from daglock.sources.lazy import open_lazy
from daglock.sources.source import Batch, Source, first_rows
from daglock.sources.spark import open_spark

__all__ = ["SOURCES", "Batch", "Source", "as_source", "first_rows"]

SOURCES: tuple[Callable[[Any], Source | None], ...] = (
    open_files,
    open_arrow,
    open_lazy,
    open_dask,
    open_spark,
    open_batches,
)


def as_source(what: Any) -> Source | None:
    """Return what is given as a source, or None if it is none.

    Examples
    --------
    >>> import numpy as np
    >>> as_source(iter([np.eye(3), np.ones((2, 3))])).schema.names
    ['x0', 'x1', 'x2']
    >>> as_source(np.eye(3)) is None
    True
    """
    if all(hasattr(type(what), name) for name in ("n_rows", "n_files", "reduce")):
        own: Source = what
        return own
    return next((found for opener in SOURCES if (found := opener(what)) is not None), None)
