"""Moments of rows with missing values: what `daglock.gaps` finds, with a bar and warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock._progress import Bar
from daglock.errors import DataWarning
from daglock.gaps import effective_rows, fit_gaussian
from daglock.moments.raw import known_steps
from daglock.table.missing import about_apart, refuse_empty
from daglock.table.policy import refuse_constant, rows_by_regime
from daglock.table.resolution import find_resolution
from daglock.typing import Array

if TYPE_CHECKING:
    from daglock.moments.moments import Moments

Progress = Callable[[int, float], None]

_LONG = 1.0  # seconds of work before a bar is shown


def fit_incomplete(
    table: NDArray[Any],
    names: tuple[str, ...] | None,
    labels: NDArray[Any] | None,
    start: Moments | None,
    tolerance: float,
    progress: Progress | bool | None,
    quiet: bool,
) -> tuple[Array, int, Array, tuple[str, ...] | None, Array]:
    """Return covariance, rows that it is worth, means, names and resolution of a table with gaps.

    Every row has a value. The arguments are those of `Moments.from_incomplete`, for whose caller
    the warnings are meant.
    """
    there = ~np.isnan(table)
    refuse_empty(~there.any(axis=0), names)
    refuse_constant(np.nanmin(table, axis=0) == np.nanmax(table, axis=0), names)
    groups = np.zeros(len(table), dtype=np.intp)
    for g, (_, rows) in enumerate([] if labels is None else rows_by_regime(labels, len(table))):
        groups[rows] = g
    if not quiet and (apart := about_apart(there, names)):
        warnings.warn(apart, DataWarning, stacklevel=3)
    with Bar(False if callable(progress) else progress) as bar:
        began = perf_counter()

        def show(done: int, likelihood: float) -> None:
            if callable(progress):
                progress(done, likelihood)
            elif perf_counter() - began > _LONG:
                bar.step("missing values, steps", done, 0)

        found = fit_gaussian(
            np.asarray(table, dtype=np.float64),
            groups=groups,
            start=None if start is None else (start.cov, start.means),
            start_rows=table.shape[1],
            tolerance=tolerance,
            progress=show,
        )
    if not (found.converged or quiet):
        warnings.warn(
            f"The moments had not settled after {len(found.likelihoods)} steps: too little is "
            "observed of some columns.",
            DataWarning,
            stacklevel=3,
        )
    means = np.bincount(groups) / len(table) @ found.means
    if start is not None:
        return found.cov, effective_rows(there), means, names, start.resolution
    columns = zip(table.T, there.T, strict=True)
    step = np.array([find_resolution(x[some, None])[0] for x, some in columns])
    return found.cov, effective_rows(there), means, names, known_steps(step)
