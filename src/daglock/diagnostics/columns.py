"""A line a column: what each column of a table holds, and what is suspicious about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from daglock.table import Table
from daglock.typing import Array
from daglock.wording import Finding

# Beyond the quartiles by so many times their distance a value is far out (Tukey 1977).
FAR_OUT = 3.0


@dataclass(frozen=True)
class ColumnSummary:
    """What one column holds; it has nothing but what JSON can hold."""

    name: str
    kind: str
    missing: float  # share of the rows without a value
    distinct: int  # different values
    low: float | None  # the smallest value; None where there is none, or where values are labels
    high: float | None
    skewness: float | None  # None where it does not vary, or has labels
    outliers: int  # values far out beyond the quartiles
    levels: tuple[str, ...] | None  # what codes stand for
    suspicions: tuple[str, ...]  # a word or two each, the worst first
    serious: bool  # whether a warning is about it


def summarise(table: Table, findings: Iterable[Finding] = ()) -> list[ColumnSummary]:
    """Describe each column, with what findings say of it.

    Examples
    --------
    >>> table = Table(np.array([[1.0], [2.0], [4.0], [np.nan]]), ("dose",))
    >>> (dose,) = summarise(table)
    >>> dose.missing, dose.distinct, dose.low, dose.high, round(dose.skewness, 2)
    (0.25, 3, 1.0, 4.0, 0.38)
    """
    words: dict[str, list[str]] = {name: [] for name in table.labels}
    serious: set[str] = set()
    for finding in findings:
        for name in finding.columns:
            if finding.word and name in words and finding.word not in words[name]:
                words[name].append(finding.word)
                serious |= {name} if finding.level == "warning" else set()
    return [
        _describe(table, j, words[name], name in serious) for j, name in enumerate(table.labels)
    ]


def _describe(table: Table, j: int, words: list[str], serious: bool) -> ColumnSummary:
    """Describe one column."""
    kind, name = table.kinds[j], table.labels[j]
    column = np.asarray(table.data[:, j], dtype=np.float64)
    values = column[~np.isnan(column)]
    numbers = kind.levels is None and len(values) > 0
    deviation = float(values.std()) if len(values) else 0.0
    skewness = None
    if numbers and deviation > 0.0 and values.max() > values.min():
        skewness = float((((values - values.mean()) / deviation) ** 3).mean())
    return ColumnSummary(
        name=name,
        kind=kind.kind.value,
        missing=1.0 - len(values) / len(column) if len(column) else 0.0,
        distinct=len(np.unique(values)),
        low=float(values.min()) if numbers else None,
        high=float(values.max()) if numbers else None,
        skewness=skewness,
        outliers=_far_out(values) if numbers else 0,
        levels=kind.levels,
        suspicions=tuple(words),
        serious=serious,
    )


def _far_out(values: Array) -> int:
    """How many values are far out; none where half of them are the same."""
    low, high = np.quantile(values, (0.25, 0.75))
    reach = FAR_OUT * (high - low)
    if reach <= 0.0:
        return 0
    return int(((values < low - reach) | (values > high + reach)).sum())
