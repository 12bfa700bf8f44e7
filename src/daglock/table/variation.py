"""Variation: which columns have two values or more, in the rows of each regime."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import BoolArray


def varying(rows: NDArray[Any], labels: NDArray[Any] | None = None) -> dict[str, BoolArray]:
    """Return for each regime which columns have two different values there; gaps are no values.

    Without labels all rows are of the regime "".

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 5.0], [1.0, np.nan, 5.0], [2.0, 1.0, 7.0]])
    >>> varying(X)[""].tolist()
    [True, False, True]
    >>> {label: own.tolist() for label, own in varying(X, np.array(["a", "a", "b"])).items()}
    {'a': [True, False, False], 'b': [False, False, False]}
    """
    if labels is None:
        return {"": np.fmin.reduce(rows) < np.fmax.reduce(rows)}
    regimes, place = np.unique(labels, return_inverse=True)
    by_regime = np.argsort(place, kind="stable")
    ordered, first = rows[by_regime], np.searchsorted(place[by_regime], np.arange(len(regimes)))
    vary = np.fmin.reduceat(ordered, first) < np.fmax.reduceat(ordered, first)
    return dict(zip(map(str, regimes.tolist()), vary, strict=True))
