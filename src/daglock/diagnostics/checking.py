"""A check: all that a table tells before anything is learned from it, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from daglock.dependence import about_patterns, find_determined
from daglock.diagnostics.columns import ColumnSummary, summarise
from daglock.diagnostics.detectors import inspect_thoroughly, worst_first
from daglock.diagnostics.table import TableDiagnosis, diagnose_table
from daglock.moments import Moments
from daglock.table import Table
from daglock.table.misleading import find_misleading
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
    faults, usable = find_faults(table)
    problems = [fault for fault in faults if fault.level == "warning"]
    found, nothing = inspect_thoroughly(table)
    diagnosis, scores, overlap = None, {}, []
    if min(usable.data.shape) > 1:
        moments = Moments.from_data(usable.data, names=usable.names)
        diagnosis = diagnose_table(moments)
        overlap = [
            diagnosis.about_overlap(),
            *about_patterns(usable.data, usable.labels, find_determined(moments)),
        ]
        if len(usable.kinds) == usable.data.shape[1]:
            keep = [usable.labels.index(name) for name in diagnosis.determined]
            why = find_misleading(usable, keep)
            scores = {usable.labels[j]: reason for j, reason in why.items()}
        if diagnosis.about_rows().level == "warning":
            overlap.append(diagnosis.about_rows())
        if any(finding.word == "near copy" for finding in found) and not diagnosis.determined:
            overlap = overlap[1:]  # said already, with the groups
    findings = worst_first([*faults, *overlap, *found])
    return Check(
        columns=tuple(summarise(table, findings)),
        problems=tuple(problems),
        findings=tuple(finding for finding in findings if finding.level != "good"),
        not_found=tuple(nothing),
        plan=tuple(_plan(table, problems, diagnosis, scores)),
        diagnosis=diagnosis,
        scores=scores,
    )


def _plan(
    table: Table,
    problems: list[Finding],
    diagnosis: TableDiagnosis | None,
    scores: dict[str, str],
) -> list[str]:
    """Say what `learn` would do."""
    said = []
    if problems:
        named = listed(finding.title.lower() for finding in problems)
        said.append(f"Refuse the table as it is: {named}. Once that is mended:")
    if diagnosis is None:
        return said
    size = f"{plural(diagnosis.n, 'row')} and {plural(diagnosis.d, 'column')}"
    about = diagnosis.about_rows()
    said.append(f"Learn from {size}." + (f" {about.text}" if about.level != "warning" else ""))
    if table.left_out:
        names = listed([f"{name} ({why})" for name, why in table.left_out.items()])
        said.append(f"Leave out {names}.")
    if diagnosis.aside:
        said.append(f"Set aside {listed(diagnosis.aside)}: others determine them.")
    if scores:
        said.append(f"Use ranks (normal scores) in place of values for {listed(in_short(scores))}.")
    return said
