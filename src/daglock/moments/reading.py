"""From a source to moments, for `Moments.from_source` and `Regimes.from_source`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock._progress import Bar
from daglock.errors import InvalidDataError, InvalidParameterError, refuse
from daglock.moments.blocked import fits, form_in_blocks
from daglock.moments.grouped import Collect, Collected
from daglock.moments.patterned import effective_rows_of, fit_groups
from daglock.moments.raw import Raw, known_steps, require_variation
from daglock.moments.streamed import Gather, Gathered, merge_gathered, parts_for
from daglock.sources import Source, as_source
from daglock.sources.encoding import Encoding, is_numeric
from daglock.sources.source import Progress
from daglock.table.missing import refuse_empty
from daglock.table.policy import check_missing, refuse_constant
from daglock.wording import listed, plural, size_text

if TYPE_CHECKING:
    from daglock.moments.moments import Moments

# Where steps begin at the moments of nearly the same rows, so much may be left to go.
NEARLY = 5e-3
# Sums by group are large, and kept for as many runs of pieces at a time.
FEW_PARTS = 2


def read_moments(
    what: Any,
    columns: Sequence[str] | None,
    regimes: str | None,
    missing: str,
    progress: bool | None,
) -> dict[str, Any]:
    """Return the fields of moments."""
    check_missing(missing)
    source, names = numeric_source(what, columns, regimes)
    with watched(source, progress) as watch:
        if regimes is None and missing == "refuse" and not fits(len(names)):
            n, means, cov = form_in_blocks(source, names, watch)
            cov.flags.writeable = False
            return {"cov": cov, "n": n, "means": means, "names": names}
        if regimes is None and missing == "refuse":
            found = source.reduce(
                Gather(names),
                merge_gathered,
                columns=names,
                parts=parts_for(len(names)),
                last=True,
                progress=watch,
            )
            return _fields(found, names)
        collected = collect(source, names, regimes, missing, watch)
    if missing == "refuse":
        refuse_incomplete(collected)
    return collected_fields(collected, names)


def collect(
    source: Source,
    names: Sequence[str],
    regimes: str | None,
    missing: str,
    watch: Progress | None,
) -> Collected:
    """Sum up rows by regime and, where they are to be kept, by their gaps."""
    how = Collect(
        tuple(Encoding(name) for name in names),
        (1,) * len(names),
        regimes or "",
        keep_gaps=missing == "model",
    )
    return source.reduce(
        how, Collected.merge, columns=how.columns, parts=FEW_PARTS, last=True, progress=watch
    )


def refuse_incomplete(found: Collected) -> None:
    """Raise the error about rows that were left out for missing values, if there are any."""
    if not found.incomplete:
        return
    n = found.n + found.incomplete
    raise InvalidDataError(
        f"{found.incomplete:,} of {plural(n, 'row')} have missing values: keep these rows and "
        "model what is missing with missing='model', or leave them out with missing='drop'."
    )


def numeric_source(
    what: Any, columns: Sequence[str] | None, regimes: str | None
) -> tuple[Source, tuple[str, ...]]:
    """Return a source and those of its columns that are wanted, all of which are numbers."""
    source = as_source(what)
    if source is None:
        raise InvalidParameterError(
            f"A {type(what).__name__} is no source of rows: give a path, a pattern or a folder of "
            "files, a data set, a lazy frame, or an iterator of batches; Moments.from_data takes "
            "what is in memory."
        )
    names = tuple(n for n in source.schema.names if n != regimes) if columns is None else columns
    wanted = [*names, regimes] if regimes else names
    have = set(source.schema.names)
    unknown = [name for name in wanted if name not in have]
    if unknown:
        raise InvalidParameterError(
            f"{source.label} has no column {unknown[0]!r}; its columns are "
            f"{listed(map(repr, source.schema.names), 8)}."
        )
    other = [name for name in names if not is_numeric(source.schema.field(name).type)]
    if other:
        raise InvalidDataError(
            f"These columns of {source.label} are not numeric: {listed(map(repr, other), 5)}. Name "
            "those to take (columns=), or let DAGLock().fit find out what they are."
        )
    if len(names) < 2:
        raise InvalidDataError(
            f"At least two columns are needed to learn a graph; got {len(names)}."
        )
    return source, tuple(names)


def _fields(found: Gathered, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of moments of complete rows."""
    require_complete(found, names)
    raw = raw_of(found, names)
    require_variation(raw, names)
    raw.cov.flags.writeable = False
    return {
        "cov": raw.cov,
        "n": raw.n,
        "means": raw.means,
        "names": names,
        "resolution": known_steps(raw.step),
    }


def raw_of(found: Gathered, names: Sequence[str]) -> Raw:
    """Return moments that are not checked yet."""
    sums = found.sums
    assert sums is not None
    looks = [found.numbers[name] for name in names]
    # of a plain column nothing is known but that it varies
    low = np.array([0.0 if look.plain else look.low for look in looks])
    high = np.array([1.0 if look.plain else look.high for look in looks])
    cov = sums.scatter
    cov /= max(1, sums.n)
    return Raw(cov, sums.n, sums.means, low, high, found.steps.step)


def require_complete(found: Gathered, names: Sequence[str]) -> None:
    """Raise the error about missing or infinite values, and about there being no rows."""
    if found.n < 2:
        raise InvalidDataError(f"At least two rows are needed; got n = {found.n}.")
    gaps = [
        f"{found.n - found.numbers[name].there:,} in column {name!r}, the first in "
        f"{found.numbers[name].gap}"
        for name in names
        if found.numbers[name].gap
    ]
    refuse(
        [
            about_infinite_columns(found, names),
            f"Values are missing: {listed(gaps, 3)}; keep these rows with missing='model', or "
            "leave them out with missing='drop'."
            if gaps
            else "",
        ]
    )
    if found.sums is None:
        raise InvalidDataError(
            "The covariance is not finite; rescale columns with very large values."
        )


def about_infinite_columns(found: Gathered, names: Sequence[str]) -> str:
    """Say which of some columns have infinite values; empty where none has."""
    infinite = [
        f"column {name!r} in {found.numbers[name].infinite}"
        for name in names
        if name in found.numbers and found.numbers[name].infinite
    ]
    if not infinite:
        return ""
    return f"Values are infinite: {listed(infinite, 3)}; mend or remove those rows."


def collected_fields(
    found: Collected, names: tuple[str, ...] | None, start: Moments | None = None
) -> dict[str, Any]:
    """Return the fields of moments of rows in groups: within regimes, with or without gaps."""
    if found.n < 2:
        raise InvalidDataError(f"At least two rows are needed; got n = {found.n}.")
    there = list(found.there.values())
    present = np.any(there, axis=0)
    refuse_empty(~present, names)
    step = known_steps(found.steps.step)
    common: dict[str, Any] = {"names": names, "resolution": step}
    if not all(own.all() for own in there):
        begin: dict[str, Any] = (
            {} if start is None else {"start": (start.cov, start.means), "tolerance": NEARLY}
        )
        gaussian, shared = fit_groups(found.sums, found.there, **begin)
        refuse_constant(np.diagonal(gaussian.cov) <= 0.0, names)
        sizes = _regime_sizes(found)
        share = float(np.diagonal(shared).mean()) / found.n
        return common | {
            "cov": gaussian.cov,
            "n": effective_rows_of(shared, found.n),
            "means": sizes / sizes.sum() @ gaussian.means,
            "n_rows": found.n,
            "missing": 1.0 - share,
        }
    scatter = sum((sums.scatter for sums in found.sums.values()), np.zeros(()))
    refuse_constant(np.diagonal(scatter) <= 0.0, names)
    means = sum((sums.n / found.n * sums.means for sums in found.sums.values()), np.zeros(()))
    return common | {"cov": scatter / found.n, "n": found.n, "means": means}


def _regime_sizes(found: Collected) -> Any:
    """Return the rows of each regime, in the order of their names."""
    sizes: dict[str, int] = {}
    for (regime, _), sums in found.sums.items():
        sizes[regime] = sizes.get(regime, 0) + sums.n
    return np.array([sizes[regime] for regime in sorted(sizes)], dtype=np.float64)


@contextmanager
def watched(source: Source, progress: bool | None) -> Iterator[Progress | None]:
    """Show rows and bytes as they are read."""
    if progress is False:
        yield None
        return
    with Bar(progress) as bar:
        total, size = source.n_rows, source.n_bytes

        def show(rows: int, read: int) -> None:
            if size is not None:
                note = f"{rows:,} rows of {size_text(size)}"
                bar.step("reading, MB", read >> 20, size >> 20, note)
            else:
                bar.step("reading, rows", rows, total or rows, size_text(read))

        yield show
