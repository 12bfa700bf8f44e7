"""Replicates: rows drawn again, learned again, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock._parameters import require_integer
from daglock._progress import Bar
from daglock.engine import learn
from daglock.errors import InvalidDataError
from daglock.graph import WeightedDAG
from daglock.moments import Moments
from daglock.solution import Status
from daglock.typing import Seed

Progress = Callable[[int, int], None]
# Replicates that are given to each worker between two steps of the progress bar.
BATCH = 4
# A column of few different values can be constant in a replicate, which is then drawn again.
MAX_DRAWS = 20


def learn_replicates(
    X: NDArray[Any] | None,
    moments: Moments,
    settings: Mapping[str, Any],
    *,
    n: int,
    rng: Seed,
    n_jobs: int | None,
    progress: Progress | bool | None,
) -> list[WeightedDAG]:
    """Learn n replicates with the same settings; the same seed gives the same, whatever n_jobs.

    Ctrl-C ends it with the replicates that are done, if there are any.

    Parameters
    ----------
    X : rows to draw from with replacement; without them rows are drawn from the Gaussian
        distribution with these moments.
    settings : keyword arguments of `daglock.engine.learn`.
    n_jobs : as in joblib, whose backend is the one that the caller has set.
    progress : called with the replicates done and n; None is a bar on a terminal, False nothing.
    """
    from joblib import Parallel, delayed, effective_n_jobs

    require_integer("n", n, at_least=1)
    generator = np.random.default_rng(rng)
    width = BATCH * max(1, int(effective_n_jobs(n_jobs)))
    result: list[WeightedDAG] = []
    workers = Parallel(n_jobs=n_jobs, return_as="generator")
    try:
        with workers as parallel, Bar(None if callable(progress) else progress) as bar:
            for begin in range(0, n, width):
                batch = generator.spawn(min(width, n - begin))  # the same whatever the width
                jobs = (delayed(_replicate)(X, moments, settings, seed) for seed in batch)
                result.extend(parallel(jobs))  # one after the other: what is done stays
                if callable(progress):
                    progress(len(result), n)
                else:
                    bar.step("bootstrap", len(result), n)
    except KeyboardInterrupt:
        if not result:
            raise
    return result


def _replicate(
    X: NDArray[Any] | None,
    moments: Moments,
    settings: Mapping[str, Any],
    rng: np.random.Generator,
) -> WeightedDAG:
    """Draw rows and learn."""
    learned = learn(_draw(X, moments, rng), rng=rng, by_margin=False, **settings)
    if learned.status is Status.INTERRUPTED:  # the search keeps its best graph; here it is Ctrl-C
        raise KeyboardInterrupt
    return learned.dag


def _draw(X: NDArray[Any] | None, moments: Moments, rng: np.random.Generator) -> Moments:
    """Moments of as many rows as there were, drawn again."""
    if X is None:
        values, vectors = np.linalg.eigh(moments.cov)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        rows = rng.standard_normal((moments.n, moments.d)) @ root.T
        return Moments.from_data(rows + moments.means, names=moments.names)
    for attempt in range(1, MAX_DRAWS + 1):
        try:
            return Moments.from_data(X[rng.integers(len(X), size=len(X))], names=moments.names)
        except InvalidDataError as error:
            if attempt == MAX_DRAWS:
                raise InvalidDataError(f"The rows cannot be drawn again: {error}") from error
    raise AssertionError
