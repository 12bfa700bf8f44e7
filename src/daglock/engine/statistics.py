"""What is kept of a table, by the kinds of its columns: moments, blocks of columns, or counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.blocks import Blocks
from daglock.confidence.drawn import Sample
from daglock.counts import Counts, can_be_counted
from daglock.criteria import CRITERIA, Curved, JointCriterion, Mixed, Multinomial
from daglock.criteria.curved import fit_curves
from daglock.curves import Curves
from daglock.errors import InvalidParameterError
from daglock.gaps import effective_rows
from daglock.graph import WeightedDAG
from daglock.moments import Moments
from daglock.regimes import Regimes
from daglock.table.kinds import ColumnKind, Kind
from daglock.table.table import Table
from daglock.table.variation import varying
from daglock.typing import Array, BoolArray, IntArray, Statistics
from daglock.wording import percent, plural

# With missing values the moments of rows drawn again begin at those of all rows, and end when so
# much, in standard deviations, is left to go: a fraction of what drawing rows changes.
NEARLY = 5e-3


def keep(
    table: Table,
    noise: str = "auto",
    *,
    labels: NDArray[np.str_] | None = None,
    start: Statistics | None = None,
    progress: bool | None = False,
    hurried: bool = False,
) -> Statistics:
    """Return all that a graph is learned from.

    A table of nothing but categories, codes among them, is counted, where there are rows enough and
    no value is missing; one with categories beside numbers becomes blocks of columns; any other
    moments.

    Parameters
    ----------
    table : NaN where a value is missing.
    noise : the criterion that was asked for; "auto" leaves the choice to the kinds of columns.
    labels : regime of each row, each with means of its own. Rows of regimes are not counted.
    start : what was kept of nearly the same rows: where values are missing, few steps are left.
    progress : True shows a bar where missing values take long, None on a terminal.
    hurried : whether what takes seconds is left out: parents that act together, among curves.

    Examples
    --------
    >>> from daglock.table.kinds import ColumnKind
    >>> kinds = (ColumnKind(Kind.BINARY),) * 2
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]] * 10)
    >>> keep(Table(X, kinds=kinds)), keep(Table(X))
    (<Counts: 30 rows, 2 variables>, <Moments: 30 rows, 2 columns>)
    """
    if noise == Curved.name:
        like = start if isinstance(start, Curves) else None
        return fit_curves(table.data, table.names, like, hurried=hurried)
    countable = noise == "auto" and labels is None and can_be_counted(table)
    if noise == Multinomial.name and labels is not None:
        raise InvalidParameterError(
            "noise='counts' does not go with regimes: leave noise at auto, and categories become "
            "columns of 0 and 1."
        )
    if noise == Multinomial.name or countable:
        return Counts.from_table(table)
    categories = any(kind.kind is Kind.CATEGORICAL and kind.levels for kind in table.kinds)
    if noise == Mixed.name or categories:
        begin = start.columns if isinstance(start, Blocks) else None
        return Blocks.from_table(table, _moments(begin, progress, labels), labels)
    begin = start if isinstance(start, Moments) else None
    return _moments(begin, progress, labels)(table.data, table.names)


def _moments(
    start: Moments | None, progress: bool | None, labels: NDArray[np.str_] | None
) -> Callable[[NDArray[Any], Sequence[str] | None], Moments]:
    """Return the function from rows, with gaps or without, to moments."""

    def moments(rows: NDArray[Any], names: Sequence[str] | None) -> Moments:
        complete = not np.isnan(rows).any()
        if complete and labels is None:
            return Moments.from_data(rows, names)
        if complete and labels is not None:
            kept = Regimes.from_labelled(rows, labels, names)
            return start.like(kept) if isinstance(start, Regimes) else kept
        how: dict[str, Any] = {"labels": labels, "quiet": True}
        begin = begin_at(start, names)
        if begin is None:
            return Moments.from_incomplete(rows, names, progress=progress, **how)
        return Moments.from_incomplete(rows, names, start=begin, tolerance=NEARLY, **how)

    return moments


def begin_at(start: Moments | None, names: Sequence[str] | None) -> Moments | None:
    """Return the moments to begin at: of these columns, where levels that do not occur have none.

    None where some of the columns are not there.
    """
    if start is None or start.names == names:
        return start
    if start.names is None or names is None or not set(names) <= set(start.names):
        return None
    place = {name: j for j, name in enumerate(start.names)}
    return start.select([place[name] for name in names])


def about_gaps(moments: Statistics) -> str:
    """Say what was done about missing values; empty where there are none.

    Examples
    --------
    >>> about_gaps(Moments(np.eye(2), 830, np.zeros(2), n_rows=1000, missing=0.123))
    '12% of the cells are missing: the covariances are those under which what is there is most
    likely (EM), as if 830 of 1,000 rows were complete.'
    """
    if not moments.missing:
        return ""
    return (
        f"{percent(moments.missing)} of the cells are missing: the covariances are those under "
        f"which what is there is most likely (EM), as if {moments.n:,} of "
        f"{plural(moments.n_rows, 'row')} were complete."
    )


def keep_rows(
    rows: NDArray[Any],
    labels: NDArray[np.str_] | None,
    like: Statistics,
    kinds: tuple[ColumnKind, ...],
    noise: str,
) -> Sample:
    """Return the statistics of resampled rows, with the kinds and the criterion of the fit."""
    columns = varying_columns(varying(rows, labels), like)
    if len(columns) < 2:
        return Sample(like, columns)
    if len(columns) == like.d:
        kept = keep(Table(rows, like.names, kinds=kinds), noise, labels=labels, start=like)
        return Sample(kept, columns)
    some = like.select(columns)
    table = Table(rows[:, columns], some.names, kinds=tuple(kinds[j] for j in columns.tolist()))
    kept = keep(table, noise, labels=labels, start=some)
    if like.missing:
        there = ~np.isnan(rows)
        there = there[there.any(axis=1)]
        if isinstance(like, Blocks):
            there = np.repeat(there, like.widths, axis=1)
        kept = counted_as(kept, effective_rows(there))
    return Sample(kept, columns)


def varying_columns(within: Mapping[str, BoolArray], like: Statistics) -> IntArray:
    """Return the columns that vary in resampled rows, from whether they do in each regime."""
    if isinstance(like, Regimes):
        return np.flatnonzero(like.varying(within))
    return np.flatnonzero(np.any(list(within.values()), axis=0))


def counted_as(kept: Statistics, n: int) -> Statistics:
    """Return the same moments, which count as n complete rows.

    A replicate without a nearly empty column would count as more rows than all others do, and be
    surer of all other links.
    """
    if isinstance(kept, Blocks):
        return replace(kept, columns=replace(kept.columns, n=n))
    assert isinstance(kept, Moments)
    return replace(kept, n=n)


def deviations(moments: Statistics) -> Array:
    """Return the standard deviation of each column; not a number for a category."""
    if isinstance(moments, Moments):
        return np.asarray(np.sqrt(np.diagonal(moments.cov)))
    found = np.full(moments.d, np.nan)
    if isinstance(moments, Blocks):
        single = moments.widths == 1
        found[single] = np.sqrt(np.diagonal(moments.columns.cov))[moments.first[:-1][single]]
    return found


def explained(moments: Statistics, dag: WeightedDAG, noise: str) -> Array:
    """Return the share of each column that its parents explain, from 0 to 1.

    R² of a regression; of a category ``1 − exp(−2 I)``, the square of Linfoot's correlation.
    """
    if isinstance(moments, Curves):
        left = Curved(moments).own_variances(dag.parents)
        share = 1.0 - left / np.diagonal(moments.cov)
    elif isinstance(moments, Moments):
        variance = np.diagonal(moments.cov)
        cov = dag.weight * moments.cov[dag.source, dag.target]
        share = np.bincount(dag.target, weights=cov, minlength=dag.d) / variance
    else:
        kind = CRITERIA[noise]
        assert issubclass(kind, JointCriterion)
        criterion = kind(moments)
        alone = criterion.fits([np.empty(0, dtype=np.intp)] * dag.d)
        share = -np.expm1(criterion.fits(dag.parents) - alone)
    return np.clip(share, 0.0, 1.0)
