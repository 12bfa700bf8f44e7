"""A check: all that a table tells before anything is learned from it, in one place."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from daglock.counts import can_be_counted
from daglock.dependence import about_patterns, find_determined
from daglock.diagnostics.columns import ColumnSummary, summarise
from daglock.diagnostics.detectors import inspect_thoroughly, worst_first
from daglock.diagnostics.table import TableDiagnosis, diagnose_table
from daglock.moments import Moments
from daglock.regimes import labels_of
from daglock.table import Table
from daglock.table.kinds import Kind, not_regimes
from daglock.table.misleading import find_misleading
from daglock.table.missing import about_apart
from daglock.table.policy import find_faults
from daglock.table.scores import in_short
from daglock.wording import Finding, listed, plural


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
