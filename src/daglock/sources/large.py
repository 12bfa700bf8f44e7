"""Whether what a user gives is read in parts: folders, patterns, and files too large for memory."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock.errors import InvalidParameterError
from daglock.sources import Source, as_source

if TYPE_CHECKING:
    from daglock.sources.source import Source
    from daglock.table.source import Hints

# A file whose rows take more than this share of the memory of the machine is read in parts.
SHARE = 0.25
# No file of Parquet packs numbers more than that.
_PACKED = 50


def path_source(path: str | os.PathLike[str], hints: Hints | None = None) -> Source | None:
    """Return the files of a path that are read in parts, or None where it is one small file."""
    name = os.fspath(path)
    several = Path(name).is_dir() or (glob.has_magic(name) and not Path(name).exists())
    most = SHARE * memory()
    if not several and (not Path(name).is_file() or Path(name).stat().st_size * _PACKED < most):
        return None
    from daglock.sources.files import PARQUET, TEXT, open_files

    if several:
        return open_files(path, hints)
    if name.lower().endswith(PARQUET):
        source = open_files(path, hints)
        assert source is not None
        return source if 8 * (source.n_rows or 0) * len(source.schema.names) > most else None
    is_large = name.lower().endswith(TEXT) and Path(name).stat().st_size > most
    return open_files(path, hints) if is_large else None


def memory() -> int:
    """Return the memory of this machine, in bytes; 8 GB where that cannot be told."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 8 * 10**9


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
