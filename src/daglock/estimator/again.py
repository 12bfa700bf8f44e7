"""Rows that are given again: whether they are those that a model was fitted on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidDataError
from daglock.estimator.regimes import same_regimes
from daglock.moments import Moments
from daglock.typing import Statistics


def require_same(rows: NDArray[Any], labels: NDArray[np.str_] | None, moments: Statistics) -> None:
    """Raise where rows cannot be those behind the moments."""
    if not (_same_means(rows, moments) and same_regimes(rows, labels, moments)):
        raise InvalidDataError(
            "The rows are not those that the model was fitted on: pass those as X."
        )


def _same_means(rows: NDArray[Any], moments: Statistics) -> bool:
    """Whether these can be the rows behind the moments, by their means."""
    if rows.shape != (moments.n_rows, moments.d):
        return False
    if isinstance(moments, Moments) and moments.missing:
        # those of one more step are nearly the same
        again = Moments.from_incomplete(rows, start=moments, tolerance=1e-3, quiet=True)
        near = 1e-3 * np.sqrt(np.diagonal(moments.cov))
        return bool((np.abs(again.means - moments.means) <= near).all())
    near = 1e-6 * np.nanstd(rows, axis=0)
    return bool((np.abs(np.nanmean(rows, axis=0) - moments.means) <= near).all())
