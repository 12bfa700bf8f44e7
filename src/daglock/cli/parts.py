"""Data that are read in parts: a folder, a pattern of files, or a file that is too large."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from daglock.cli.options import columns_of, hints_of
from daglock.cli.regimes import with_regime

if TYPE_CHECKING:
    from daglock.estimator.preparing import Prepared
    from daglock.sources import Source
    from daglock.table.source import Source as File

# Options that need the whole table.
_WHOLE = ("na", "censored", "sheet", "ragged", "index", "groups", "blocks", "curved")


def open_data(options: Namespace) -> tuple[Source | None, File | None]:
    """Return the data that a user named, as what is read in parts or as one file.

    A command opens its data here, once: a pipe cannot be read again.
    """
    from daglock.sources.large import path_source
    from daglock.table.source import open_source

    hints = hints_of(options)
    if options.data != "-" and not getattr(options, "covariance", False):
        parts = path_source(options.data, hints)
        if parts is not None:
            return parts, None
    return None, open_source(options.data, hints)


def read_parts(
    options: Namespace, source: Source | None, *, progress: bool | None, **how: Any
) -> Prepared | None:
    """Read what is read in parts, as options say; None where the data are one small file.

    Parameters
    ----------
    source : as `open_data` returns it.
    progress : as in `daglock._progress.Bar`.
    how : further arguments of `daglock.estimator.streaming.read_source`.
    """
    if source is None:
        return None
    from daglock.estimator.streaming import read_source

    _refuse_options(options)
    wanted, kinds = with_regime(options, *columns_of(options.columns))
    source = chosen(source, wanted, options.drop)
    return read_source(source, columns=kinds, progress=progress, **how)


def chosen(source: Source, wanted: list[str] | None, drop: list[str]) -> Source:
    """Return a source with the columns that a user wants."""
    import pyarrow as pa

    from daglock.sources.local import LocalSource
    from daglock.table.columns import choose

    assert isinstance(source, LocalSource)
    fields = list(source.schema)
    some = choose(source.schema.names, wanted, drop)
    return replace(source, schema=pa.schema([fields[j] for j in some]))


def _refuse_options(options: Namespace) -> None:
    """Raise the error about options that are for tables in memory."""
    from daglock.errors import InvalidParameterError

    given = [f"--{name}" for name in _WHOLE if getattr(options, name, None)]
    if given:
        raise InvalidParameterError(
            f"{', '.join(given)}: not for data that are read in parts, as a folder, a pattern or a "
            "very large file is: leave it out, or mend the files first."
        )
