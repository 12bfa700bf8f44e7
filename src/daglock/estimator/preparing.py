"""What is done to a table before its graph is learned, and what its rows say of it afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from daglock.counts import can_be_counted
from daglock.dependence import find_determined
from daglock.dependence.outlying import name_outlier
from daglock.engine.learned import Learned
from daglock.engine.statistics import about_gaps, keep
from daglock.moments import Moments
from daglock.moments.rare import about_rare
from daglock.regimes import centred
from daglock.table.missing import about_apart, about_complete
from daglock.table.scores import apply_scores
from daglock.table.table import Table
from daglock.typing import Statistics

if TYPE_CHECKING:
    from daglock.estimator.stream import Stream


@dataclass(frozen=True, eq=False)
class Prepared:
    """What a graph is learned from, and the rows that are looked at besides.

    Attributes
    ----------
    table : all rows, or of a source a sample of them, with the kinds of the columns.
    labels : regimes of these rows; None where there are none.
    scored : columns that are learned by their ranks, and why.
    moments : what is kept of all rows.
    n_dropped : rows that were left out for missing values.
    cautions : what gaps give reason to say.
    stream : how the rows of a source are read again; None where all of them are in the table.
    """

    table: Table
    labels: NDArray[np.str_] | None
    scored: dict[str, str]
    moments: Statistics
    n_dropped: int
    cautions: list[str]
    stream: Stream | None = None


def with_scores(
    table: Table, how: str, noise: str, labels: NDArray[np.str_] | None = None
) -> tuple[Table, dict[str, str]]:
    """Apply scores, but not to columns that determine each other: ranks would hide that.

    Where rows are counted there is nothing to score. Whether raw values mislead is judged within
    regimes, where there are those.
    """
    judged = table if labels is None else replace(table, data=centred(table.data, labels))
    scored, why = apply_scores(table, how, judged=judged)
    counted = noise == "auto" and labels is None and can_be_counted(table)
    if noise == "counts" or counted:
        return table, {}
    complete = ~np.isnan(table.data).any(axis=1) if why else np.zeros(0, dtype=np.bool_)
    if complete.sum() < 3:
        return scored, why
    found = find_determined(Moments.from_data(table.data[complete], names=table.names))
    alone = [int(j) for group in found.groups for j in group]
    return apply_scores(table, how, alone, judged) if alone else (scored, why)


def keep_table(
    table: Table,
    noise: str,
    progress: bool,
    labels: NDArray[np.str_] | None = None,
    *,
    hurried: bool = False,
) -> tuple[Statistics, list[str]]:
    """Return what is kept of a table, and what its gaps give reason to say."""
    # without names, those that are left keep the numbers that they had
    named = replace(table, names=table.labels) if table.left_out else table
    moments = keep(named, noise, labels=labels, progress=progress, hurried=hurried)
    if not moments.missing:
        return moments, []
    there = ~np.isnan(table.data)
    said = (
        about_gaps(moments),
        about_rare(there, table.labels),
        about_apart(there, table.names),
        about_complete(there.all(axis=1)),
    )
    return moments, [sentence for sentence in said if sentence]


def with_outlier(learned: Learned, table: Table) -> Learned:
    """Name the row that alone made columns look repeated, if there is one."""
    said = name_outlier(learned.cautions, learned.aside, table.data, table.labels)
    message = learned.message
    for old, new in zip(learned.cautions, said, strict=True):
        message = message.replace(old, new)
    return replace(learned, cautions=said, message=message)
