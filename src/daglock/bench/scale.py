"""Sparse graphs with thousands of variables: accuracy, time, memory, and how they grow."""

from __future__ import annotations

import resource
from time import perf_counter

import numpy as np

from daglock.bench.table import Table, progress
from daglock.engine import learn
from daglock.metrics import compare
from daglock.moments import Moments
from daglock.simulate import erdos_renyi, linear_sem


def sparse_graphs(sizes: list[int], n: int = 2000) -> Table:
    """ER1, equal variances; the table's title holds the fitted exponent of the engine's time."""
    table = Table("", ["d", "F1", "SHD", "covariance s", "engine s", "ratio", "peak GB"])
    learn(Moments.from_data(linear_sem(erdos_renyi(100, 100, rng=0), n, rng=1)), noise="equal")
    seconds = []
    for d in progress(sizes, "scale"):
        W = erdos_renyi(d, d, rng=d, sparse=True)
        X = linear_sem(W, n, rng=d + 1)
        begin = perf_counter()
        moments = Moments.from_data(X)
        forming = perf_counter() - begin
        del X
        begin = perf_counter()
        learned = learn(moments, noise="equal", rng=0)
        seconds.append(perf_counter() - begin)
        comparison = compare(learned.to_sparse(), W)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        table.add(
            str(d),
            f"{comparison.f1:.5f}",
            str(comparison.shd),
            f"{forming:.2f}",
            f"{seconds[-1]:.2f}",
            f"{seconds[-1] / forming:.2f}",
            f"{peak:.2f}",
        )
    slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0] if len(sizes) > 1 else np.nan
    table.title = f"ER1 ±[0.5,1], equal variances, n={n}; time grows like d^{slope:.2f}"
    return table


def dense_graph(d: int = 1000, n: int = 5000) -> Table:
    """ER4 with positive weights, d=1000, n=5000: the setting with published figures."""
    W = erdos_renyi(d, 4 * d, signs="positive", rng=0)
    X = linear_sem(W, n, rng=1)
    begin = perf_counter()
    learned = learn(Moments.from_data(X), noise="equal", rng=0)
    seconds = perf_counter() - begin
    table = Table(f"ER4 +[0.5,1], equal variances, d={d}, n={n}", ["SHD", "seconds"])
    table.add(str(compare(learned.to_sparse(), W).shd), f"{seconds:.2f}")
    return table
