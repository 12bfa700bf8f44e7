"""Once more with rows: whether they are those of a fit, and how they are learned from again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.engine import learn
from daglock.engine.invariance import learn_finding
from daglock.engine.learned import Learned
from daglock.errors import InvalidDataError
from daglock.estimator.regimes import same_regimes
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.regimes import Regimes
from daglock.settings import SETTINGS
from daglock.typing import IntArray, Statistics

# Means are added up from those of regimes and of batches: by so much of them they may be rounded.
_ROUNDED = 10 * float(np.finfo(np.float64).eps)


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
    # the means themselves are rounded: far from zero by more than a share of the spread
    off = np.nanmean(rows - moments.means, axis=0)
    near = 1e-6 * np.nanstd(rows, axis=0) + _ROUNDED * np.abs(moments.means)
    return bool((np.abs(off) <= near).all())


def learn_again(
    learned: Learned, moments: Statistics, n_restarts: int, time_limit: float | None
) -> Callable[..., Learned]:
    """Return how a graph is learned from rows that are drawn again.

    A row drawn twice looks like evidence, and columns drawn again have no common scale: the noise
    model, the price and the columns that are set aside are those of the data. The search begins at
    the order that was found: docs/confidence.md tells what that costs. What is returned takes
    moments, which columns they are of, and ``rng``.
    """
    found = isinstance(moments, Regimes) and moments.common
    graph_of = partial(
        learn_finding if found else partial(learn, noise=learned.noise),
        ebic_gamma=learned.ebic_gamma,
        n_restarts=n_restarts,
        time_limit=time_limit,
        by_margin=False,
        settings=replace(SETTINGS, max_exact=SETTINGS.max_exact_slow),
    )
    known = learned.certificate.knowledge
    return partial(_learn_some, graph_of, known, learned.aside, learned.dag.order)


def _learn_some(
    graph_of: Callable[..., Learned],
    known: Masks,
    aside: IntArray,
    start: IntArray,
    moments: Statistics,
    columns: IntArray,
    *,
    rng: np.random.Generator,
) -> Learned:
    """Learn a graph of some of the columns from their moments."""
    number = np.full(len(start), -1, dtype=np.intp)
    number[columns] = np.arange(len(columns))
    aside, start = (own[own >= 0] for own in (number[aside], number[start]))
    masks = known.select(columns) if len(columns) < len(number) else known
    return graph_of(moments, masks=masks, determined=aside, start=start, rng=rng)
