"""A check: all that a table tells before anything is learned from it, in one place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from daglock.counts import can_be_counted
from daglock.dependence import about_patterns, find_determined
from daglock.diagnostics.detectors import inspect_thoroughly, worst_first
from daglock.diagnostics.table import TableDiagnosis, diagnose_table
from daglock.moments import Moments
from daglock.regimes import labels_of
from daglock.table import Table
from daglock.table.kinds import Kind, not_regimes
from daglock.table.missing import about_apart
from daglock.table.policy import find_faults
from daglock.table.scores import find_misleading, in_short
from daglock.typing import Array
from daglock.wording import Finding, listed, plural

# Beyond the quartiles by so many times their distance a value is far out (Tukey 1977).
FAR_OUT = 3.0


@dataclass(frozen=True)
class Check:
    """What a table tells.

    Attributes
    ----------
    columns : a line for each.
    problems : why `learn` would refuse the table as it is; also among the findings.
    findings : warnings first, then what is good to know.
    not_found : what was looked for in vain.
    plan : what `learn` would do, in sentences.
    diagnosis : rows, overlap and scales; None where too little can be used.
    scores : columns that would be learned by their ranks, and why.
    """

    columns: tuple[ColumnSummary, ...]
    problems: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    not_found: tuple[str, ...]
    plan: tuple[str, ...]
    diagnosis: TableDiagnosis | None
    scores: dict[str, str]


def check_table(table: Table) -> Check:
    r"""Look at a table as `daglock check` does.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> check = check_table(Table(np.exp(rng.normal(4.0, 0.3, size=(200, 2))).round(), ("a", "b")))
    >>> [column.name for column in check.columns], check.problems
    (['a', 'b'], ())
    >>> print(*check.plan, sep="\n")
    Learn from 200 rows and 2 columns. With 100 rows for each column, an edge is drawn when it
    explains at least about 3.3% of the variation that the other causes leave open; weaker effects
    are not told from chance.
    """
    faults, _ = find_faults(table)
    problems = [fault for fault in faults if fault.level == "warning"]
    labels = labels_of(table, None)
    found, nothing = inspect_thoroughly(table, labels)
    diagnosis, scores, overlap = None, {}, []
    numbers = _numbers(table)
    if min(numbers.data.shape) > 1:
        there = ~np.isnan(numbers.data)
        if (apart := about_apart(~np.isnan(table.data), table.names)) and not there.all():
            faults.append(Finding("warning", "Columns that are never seen together", apart))
        moments = Moments.from_incomplete(
            numbers.data, names=numbers.labels, labels=labels, quiet=True
        )
        diagnosis = diagnose_table(moments)
        patterns = about_patterns(numbers.data, numbers.labels, find_determined(moments))
        overlap = [diagnosis.about_overlap(), *patterns]
        keep = [table.labels.index(name) for name in diagnosis.determined]
        scores = {table.labels[j]: why for j, why in find_misleading(table, keep).items()}
        if diagnosis.about_rows().level == "warning":
            overlap.append(diagnosis.about_rows())
        if any(finding.word == "near copy" for finding in found) and not diagnosis.determined:
            overlap = overlap[1:]  # said already, with the groups
        carried = {
            name for finding in found if finding.word == "one row" for name in finding.columns
        }
        if diagnosis.overlapping and carried.issuperset(diagnosis.overlapping):
            overlap = [one for one in overlap if one != diagnosis.about_overlap()]  # of one row
    findings = worst_first([*faults, *overlap, *found])
    return Check(
        columns=tuple(summarise(table, findings)),
        problems=tuple(problems),
        findings=tuple(finding for finding in findings if finding.level != "good"),
        not_found=tuple(nothing),
        plan=tuple(_plan(table, problems, diagnosis, scores, labels)),
        diagnosis=diagnosis,
        scores=scores,
    )


def _numbers(table: Table) -> Table:
    """Return the columns that are numbers."""
    some = [j for j, kind in enumerate(table.kinds) if kind.kind is not Kind.CATEGORICAL]
    return replace(
        table,
        data=table.data[:, some],
        names=tuple(table.labels[j] for j in some),
        kinds=tuple(table.kinds[j] for j in some),
    )


def _plan(
    table: Table,
    problems: list[Finding],
    diagnosis: TableDiagnosis | None,
    scores: dict[str, str],
    labels: NDArray[np.str_] | None,
) -> list[str]:
    """Say what `learn` would do."""
    said = []
    if problems:
        named = listed(finding.title.lower() for finding in problems)
        said.append(f"Refuse the table as it is: {named}. Once that is mended:")
    n, d = table.data.shape
    size = f"Learn from {plural(n, 'row')} and {plural(d, 'column')}."
    categories = [
        name
        for name, kind in zip(table.labels, table.kinds, strict=True)
        if kind.kind is Kind.CATEGORICAL
    ]
    if labels is None and can_be_counted(table):
        said.append(f"{size} All columns are categories or codes: rows are counted.")
        scores = {}
    elif diagnosis is None or categories:
        blocks = f" {listed(categories)} as one yes/no column for each level but the first."
        said.append(f"{size}{blocks if categories else ''}")
    else:
        about = diagnosis.about_rows()
        said.append(f"{size}{f' {about.text}' if about.level != 'warning' else ''}")
    if labels is not None:
        regimes, rows = np.unique(labels, return_counts=True)
        said.append(
            f"Give every column a mean of its own in each of {plural(len(regimes), 'regime')} of "
            f"{_between(int(rows.min()), int(rows.max()))}; with --targets they tell directions."
        )
    gone = not_regimes(table.left_out)
    if gone:
        said.append(f"Leave out {listed([f'{name} ({why})' for name, why in gone.items()])}.")
    if diagnosis is not None and diagnosis.aside:
        said.append(f"Set aside {listed(diagnosis.aside)}: others determine them.")
    if scores:
        said.append(f"Use ranks (normal scores) in place of values for {listed(in_short(scores))}.")
    return said


def _between(low: int, high: int) -> str:
    """Return a number of rows, or from where to where it goes."""
    return plural(low, "row") if low == high else f"{low:,} to {plural(high, 'row')}"


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
