"""Detectors: one function each from a table to findings, with a way out of what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from daglock.diagnostics.detectors.batches import find_batches
from daglock.diagnostics.detectors.codes import (
    find_few_values,
    find_impossible_zeros,
    find_sentinel_values,
)
from daglock.diagnostics.detectors.functions import find_functions, find_near_copies
from daglock.diagnostics.detectors.identifiers import find_groups, find_identifiers
from daglock.diagnostics.detectors.rows import find_dependent_rows, find_repeated_rows
from daglock.diagnostics.detectors.shapes import (
    find_carrying_rows,
    find_curvature,
    find_heavy_tails,
)
from daglock.diagnostics.detectors.time import find_calendar
from daglock.diagnostics.detectors.view import View
from daglock.regimes import labels_of
from daglock.table import Table
from daglock.wording import Finding

# What is looked for, and by whom; the worst first: what makes a graph wrong before what makes it
# rough.
DETECTORS: dict[str, Callable[[View], list[Finding]]] = {
    "codes for missing values": find_sentinel_values,
    "identifiers": find_identifiers,
    "zeros that were not measured": find_impossible_zeros,
    "columns that number groups of rows": find_groups,
    "columns that tell batches": find_batches,
    "rows that depend on each other": find_dependent_rows,
    "functions of other columns": find_functions,
    "rows that carry a correlation": find_carrying_rows,
    "very long tails": find_heavy_tails,
    "near copies": find_near_copies,
    "columns that tell the time": find_calendar,
    "curved relations": find_curvature,
    "columns of few values": find_few_values,
    "repeated rows": find_repeated_rows,
}
_LEVELS = ("warning", "note", "good")


def inspect_table(table: Table, labels: NDArray[np.str_] | None = None) -> list[Finding]:
    """Return what is wrong with a table, or may be, the worst first.

    Parameters
    ----------
    table : Table
    labels : regime of each row, where these are not a column of the table. Shifts between regimes
        are no fault.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> data = np.column_stack([np.arange(100), rng.normal(size=(100, 2))])
    >>> for finding in inspect_table(Table(data, ("patient", "a", "b"))):
    ...     print(finding.level, "-", finding.title, "-", finding.fix)
    warning - patient seems to number the rows - --drop patient
    """
    found, _ = inspect_thoroughly(table, labels)
    return found


def inspect_thoroughly(
    table: Table, labels: NDArray[np.str_] | None = None
) -> tuple[list[Finding], list[str]]:
    """Return the findings, the worst first, and what was looked for and not found."""
    if min(table.data.shape) < 2:
        return [], []
    view = View(table, labels_of(table, None) if labels is None else labels)
    with np.errstate(over="ignore", invalid="ignore"):  # Moments refuses what is too large
        by_detector = {what: detector(view) for what, detector in DETECTORS.items()}
    found = [finding for findings in by_detector.values() for finding in findings]
    nothing = [what for what, findings in by_detector.items() if not findings]
    return worst_first(found), nothing


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Sort findings by their level."""
    return sorted(findings, key=lambda finding: _LEVELS.index(finding.level))


__all__ = ["DETECTORS", "View", "inspect_table", "inspect_thoroughly", "worst_first"]
