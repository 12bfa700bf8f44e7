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

# Options that need the whole table.
_WHOLE = ("na", "censored", "sheet", "ragged", "index", "groups", "blocks", "curved")


def read_parts(options: Namespace, *, progress: bool | None, **how: Any) -> Prepared | None:
    """Read what is read in parts, as options say; None where the data are one small file.

    Parameters
    ----------
    progress : as in `daglock._progress.Bar`.
    how : further arguments of `daglock.estimator.streaming.read_source`.
    """
    if options.data == "-" or getattr(options, "covariance", False):
        return None
    from daglock.sources.large import path_source

    source = path_source(options.data, hints_of(options))
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
