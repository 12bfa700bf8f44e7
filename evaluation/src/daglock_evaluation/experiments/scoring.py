"""An estimate beside the true graph, and its numbers as they stand in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.graph import dag_to_cpdag, is_dag, threshold
from daglock.metrics import compare, compare_cpdag
from daglock.solution import Status
from daglock.typing import Array
from daglock_evaluation.experiments.experiment import Record
from daglock_evaluation.experiments.methods import Estimate

# Weights below this are dropped "by hand" where a method has no exact zeros, as NOTEARS does.
CUTOFF = 0.3


def result_of(estimate: Estimate, truth: Array) -> dict[str, Any]:
    """Set an estimate beside the true graph: the result of a case, in JSON values.

    status, seconds, cpu_seconds, skipped (where it is), n_iter, h, and

    nnz, sparsity : non-zeros, and the share of zeros among the d(d − 1) entries.
    is_dag, shd, tpr : of the graph as it comes out.
    nnz_cut, is_dag_cut, shd_cut, tpr_cut : after weights below 0.3 are dropped.
    shd_transposed, shd_cut_transposed : against the transpose of the truth, which is what a
        method scores when the data come from ``X = X Wᵀ + Z`` and W is taken for the truth.
    cpdag_shd : between equivalence classes, of the graph as it comes out or else after the cut;
        None where neither is a DAG.

    What a time limit cut short depends on the machine, so it is kept under "point_after_seconds".
    """
    result: dict[str, Any] = {
        "status": estimate.status,
        "seconds": estimate.seconds,
        "cpu_seconds": estimate.cpu_seconds,
    }
    if estimate.note:
        result["skipped"] = estimate.note
    point: dict[str, Any] = {"n_iter": estimate.n_iter, "h": estimate.h}
    if estimate.W is not None:
        point.update(_measure(estimate.W, truth))
    elif estimate.cpdag is not None:
        found = compare_cpdag(estimate.cpdag, _class(truth))
        point.update(nnz=found.n_estimated, cpdag_shd=found.shd)
    if estimate.status == Status.TIME_LIMIT.value:
        return {**result, "point_after_seconds": point}
    return {**result, **point}


def point_of(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a result with what a time limit cut short on the same level as the rest."""
    return {**result, **result.get("point_after_seconds", {})}


def _measure(W: Array, truth: Array) -> dict[str, Any]:
    """Return the structural numbers of `result_of`."""
    d, cut = len(W), threshold(W, CUTOFF)
    raw, strong = compare(W, truth), compare(cut, truth)
    acyclic, acyclic_cut = is_dag(W), is_dag(cut)
    graph = W if acyclic else cut if acyclic_cut else None
    return {
        "nnz": raw.n_estimated,
        "sparsity": 1.0 - raw.n_estimated / (d * (d - 1)),
        "is_dag": acyclic,
        "shd": raw.shd,
        "shd_transposed": compare(W, truth.T).shd,
        "tpr": raw.tpr,
        "nnz_cut": strong.n_estimated,
        "is_dag_cut": acyclic_cut,
        "shd_cut": strong.shd,
        "shd_cut_transposed": compare(cut, truth.T).shd,
        "tpr_cut": strong.tpr,
        "cpdag_shd": None
        if graph is None
        else compare_cpdag(np.asarray(dag_to_cpdag(graph)), _class(truth)).shd,
    }


def _class(truth: Array) -> NDArray[np.int8]:
    """Return the CPDAG of the truth."""
    return np.asarray(dag_to_cpdag(np.asarray(truth, dtype=np.float64)))


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
