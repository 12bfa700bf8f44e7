"""Whether what a user gives is read in parts or as a whole."""

from __future__ import annotations

import os
from typing import Any

from daglock.errors import InvalidParameterError
from daglock.sources import Source, as_source
from daglock.sources.large import path_source


def source_of(X: Any) -> Source | None:
    """Return what is read in parts, or None where it is read as a whole.

    A folder and a pattern of files, data sets, lazy frames, relations and iterators always are; a
    file is where it takes more than a quarter of the memory.
    """
    if isinstance(X, str | os.PathLike):
        return path_source(X)
    if type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(type(X), "num_rows"):
        return None  # in memory already
    return as_source(X)


def refuse_source(X: Any) -> None:
    """Raise the error about rows that are given again as a source."""
    if source_of(X) is not None:
        raise InvalidParameterError(
            "Rows that are given again must fit into memory: fit the model on the source anew, "
            "which then reads it as often as it needs."
        )


def refuse_groups(groups: Any) -> None:
    """Raise the error about groups of rows that are not in memory."""
    if groups is not None:
        raise InvalidParameterError(
            "Rows of a source are drawn one by one: groups (--groups) are for tables that fit into "
            "memory."
        )
