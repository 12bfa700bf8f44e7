"""Few columns in units that have nothing to do with each other, whose variances may seem equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from daglock.engine import learn
from daglock.moments import Moments
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import each

FIRST_SEED = 9500
ROWS = (100, 500)
# The same without the rule: nothing is too likely by chance.
UNRULED = replace(SETTINGS, by_chance=1.0)


def units(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Count tables taken for ones of equal variances, and what of their edges is the wrong way."""
    count = seeds or 150
    counted = ("equal", "identified", "wrong")
    rows = [("d", "n", "tables", *(f"{what}, no rule" for what in counted), *counted)]
    for d, n in product(sizes or [2, 3, 4, 5, 6], ROWS):
        found = each(partial(judged, d, n), FIRST_SEED, count, f"d = {d}")
        rows.append((str(d), str(n), str(count), *map(str, found.sum(axis=0).astype(int))))
    yield Table("Columns in unrelated units, taken for ones of equal noise variances", rows)


def judged(d: int, n: int, seed: int) -> tuple[int, ...]:
    """Return without the rule and with it: whether equal, edges identified, and of these wrong."""
    rng = np.random.default_rng([seed, d, n])
    W = erdos_renyi(d, d - 1, weights=(0.5, 1.2), rng=rng)
    X = linear_sem(W, n, rng=rng)
    moments = Moments.from_data(X / X.std(axis=0) * np.exp(rng.uniform(-1.0, 1.0, d)))
    counts: list[int] = []
    for settings in (UNRULED, SETTINGS):
        learned = learn(moments, rng=0, settings=settings)
        equal, dag = learned.noise == "equal", learned.dag
        identified = dag.oriented & equal
        wrong = identified & (W[dag.source, dag.target] == 0)
        counts += [int(equal), int(identified.sum()), int(wrong.sum())]
    return tuple(counts)
