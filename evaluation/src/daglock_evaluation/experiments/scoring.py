"""An estimate beside the true graph, and its numbers as they stand in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from daglock.solution import Status
from daglock.typing import Array
from daglock_evaluation.experiments.experiment import Record
from daglock_evaluation.experiments.methods import Estimate
from daglock_evaluation.harness.judge import CUTOFF, judge_class, judge_weights

__all__ = [
    "CUTOFF",
    "average",
    "matching",
    "point_of",
    "reaches_tolerance",
    "result_of",
    "spread",
    "values",
]


def result_of(estimate: Estimate, truth: Array) -> dict[str, Any]:
    """Set an estimate beside the true graph: the result of a case, in JSON values.

    status, seconds, cpu_seconds, skipped (where it is), n_iter, h, and what `judge_weights` gives,
    or `judge_class` where there is a class only. What a time limit cut short depends on the
    machine, so it is kept under "point_after_seconds".
    """
    result: dict[str, Any] = {
        "status": estimate.status,
        "seconds": estimate.seconds,
        "cpu_seconds": estimate.cpu_seconds,
    }
    if estimate.note:
        result["skipped"] = estimate.note
    truth = np.asarray(truth, dtype=np.float64)
    point: dict[str, Any] = {"n_iter": estimate.n_iter, "h": estimate.h}
    if estimate.W is not None:
        point.update(judge_weights(estimate.W, truth))
    elif estimate.cpdag is not None:
        point.update(judge_class(estimate.cpdag, truth))
    if estimate.status == Status.TIME_LIMIT.value:
        return {**result, "point_after_seconds": point}
    return {**result, **point}


def point_of(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result with what a time limit cut short on the same level as the rest."""
    return {**result, **result.get("point_after_seconds", {})}


def reaches_tolerance(result: Mapping[str, Any]) -> bool:
    """Whether a solver ended with its h within the tolerance: what the paper calls converged.

    The graph may still have cycles, or be the empty one that the solver started from.
    """
    return result["status"] in {
        Status.CONVERGED.value,
        Status.CONVERGED_CYCLIC.value,
        Status.STAYED_AT_START.value,
        "finished",
    }


def matching(records: Sequence[Record], **settings: Any) -> list[Record]:
    """Return the records with these settings and with a result to look at."""
    return [
        record
        for record in records
        if all(record.case.get(name) == value for name, value in settings.items())
        and "skipped" not in record.result
    ]


def values(records: Sequence[Record], name: str) -> list[float]:
    """Return one number of each record, those left out that do not have it."""
    found = [point_of(record.result).get(name) for record in records]
    return [value for value in found if value is not None]


def average(numbers: Sequence[float]) -> float:
    """Return the mean, NaN of nothing."""
    return float(np.mean(numbers)) if len(numbers) else float("nan")


def spread(numbers: Sequence[float], digits: int = 3) -> str:
    """Write numbers for a table: the mean, and where they differ the smallest and largest.

    Examples
    --------
    >>> spread([3, 3]), spread([1, 2, 6]), spread([])
    ('3', '3 (1–6)', '–')
    >>> spread([1999, 2000])
    '2000 (1999–2000)'
    """
    if not len(numbers):
        return "–"
    low, high = _short(min(numbers), digits), _short(max(numbers), digits)
    middle = _short(float(np.mean(numbers)), digits)
    return middle if low == high else f"{middle} ({low}–{high})"


def _short(number: float, digits: int) -> str:
    """Write so many digits, but all of those before the point."""
    return f"{number:.0f}" if abs(number) >= 10**digits else f"{number:.{digits}g}"
