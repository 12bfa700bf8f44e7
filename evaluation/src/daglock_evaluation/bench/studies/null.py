"""Columns without any edge: in how many of a hundred tables one is found all the same."""

from __future__ import annotations

from itertools import product

import numpy as np

from daglock.criteria import default_gamma
from daglock.engine import learn
from daglock.moments import Moments
from daglock_evaluation.bench.studies.table import Table, progress


def false_alarms(count: int, sizes: list[int], rows: list[int]) -> Table:
    """Share of tables of independent normal columns whose graph has an edge.

    At the first price alone, which should allow one in a hundred, and as it is by default, where
    the price can be lowered once.
    """
    table = Table(
        f"Graphs with a false edge, per hundred, of {count} tables of independent columns",
        ["noise", "d", "n", "first price", "as it is", "± 2 standard errors"],
    )
    cells = list(product(("equal", "unequal"), sizes, rows))
    for noise, d, n in progress(cells, "independent columns"):
        found = np.zeros(2)
        for seed in range(count):
            moments = Moments.from_data(np.random.default_rng([d, n, seed]).normal(size=(n, d)))
            for k, gamma in enumerate((default_gamma(n, d), None)):
                found[k] += len(learn(moments, noise=noise, ebic_gamma=gamma, rng=0).dag.source) > 0
        share = found / count
        error = 2.0 * float(np.sqrt(share.max() * (1.0 - share.max()) / count))
        shown = [f"{100 * value:.1f}" for value in (*share, error)]
        table.add(noise, f"{d}", f"{n}", *shown)
    return table
