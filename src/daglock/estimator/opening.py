"""Whether what a user gives is read in parts or as a whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from daglock.errors import InvalidParameterError
from daglock.sources import Source, as_source
from daglock.sources.files import PARQUET, TEXT, is_pattern, open_files
from daglock.table.source import Hints

# A file whose rows take more than this share of the memory of the machine is read in parts.
SHARE = 0.25


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


def path_source(path: str | os.PathLike[str], hints: Hints | None = None) -> Source | None:
    """Return the files of a path that are read in parts, or None where it is one small file."""
    name = os.fspath(path)
    if Path(name).is_dir() or (is_pattern(name) and not Path(name).exists()):
        return open_files(path, hints)
    if not Path(name).is_file() or not name.lower().endswith((*PARQUET, *TEXT)):
        return None
    most = SHARE * memory()
    if name.lower().endswith(PARQUET):
        if 50 * Path(name).stat().st_size < most:  # no file packs more than that
            return None
        source = open_files(path, hints)
        assert source is not None
        cells = (source.n_rows or 0) * len(source.schema.names)
        return source if 8 * cells > most else None
    return open_files(path, hints) if Path(name).stat().st_size > most else None


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


def memory() -> int:
    """Return the memory of this machine, in bytes; 8 GB where that cannot be told."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 8 * 10**9
