"""Unequal variances, standardised data: score, distance and time beside FLOP."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.bench.cases import Case, cpdag_distance
from daglock.bench.extension import consistent_extension
from daglock.bench.peers import flop, ours
from daglock.bench.table import Table, progress
from daglock.graph import dag_to_cpdag
from daglock.moments import Moments
from daglock.search.score import edge_cost, graph_score, residual_variances
from daglock.typing import Array, BoolArray

OURS = "daglock"


def score_of(adjacency: BoolArray, X: Array, gamma: float) -> float:
    """Score a DAG under unequal variances, apart from the search."""
    moments = Moments.from_data(X)
    parents = [np.flatnonzero(adjacency[:, j]) for j in range(moments.d)]
    rss = residual_variances(moments.cov, parents)
    cost = edge_cost(moments.n, moments.d, gamma)
    return graph_score(rss, int(adjacency.sum()), cost, "unequal")


def same_criterion(case: Case, seeds: int, restarts: tuple[int, ...], **options: Any) -> Table:
    """Compare under FLOP's own price of an edge: who reaches the better score, and how fast.

    The last row is daglock at its default price; its score is still counted at FLOP's.
    """
    gamma = flop.gamma_of_flop(case.n, case.d)
    ours.run(case.draw(seeds)[1], noise="unequal")  # warm up
    entries: dict[str, list[tuple[int, float, float]]] = {}
    for seed in progress(range(seeds), case.label):
        W, X = case.draw(seed)
        for count in restarts:
            result = flop.run(X, count)
            score = score_of(consistent_extension(result.adjacency), X, gamma)
            distance = cpdag_distance(result.adjacency, W)
            entries.setdefault(f"FLOP-{count}", []).append((distance, score, result.seconds))
        for method, price in ((OURS, gamma), (f"{OURS}, its own price", None)):
            result, _ = ours.run(X, noise="unequal", ebic_gamma=price, rng=seed, **options)
            score = score_of(result.adjacency != 0, X, gamma)
            distance = cpdag_distance(class_of(result.adjacency), W)
            entries.setdefault(method, []).append((distance, score, result.seconds))
    table = Table(
        f"{case.label}, {seeds} seeds, one criterion",
        ["method", "CPDAG-SHD", "exact", "score worse than best", "seconds", "time / ours"],
    )
    figures = {method: np.array(rows).T for method, rows in entries.items()}
    best = np.min([figure[1] for figure in figures.values()], axis=0)
    mine = figures[OURS][2].mean()
    for method, (distances, scores, seconds) in figures.items():
        table.add(
            method,
            f"{distances.mean():.2f}",
            f"{int((distances == 0).sum())} of {seeds}",
            f"{int((scores > best + 1e-7).sum())} of {seeds}",
            f"{seconds.mean():.3f}",
            f"{seconds.mean() / mine:.1f}",
        )
    return table


def class_of(adjacency: NDArray[np.int8]) -> NDArray[np.int8]:
    """CPDAG of a DAG."""
    return np.asarray(dag_to_cpdag(adjacency.astype(np.float64)), dtype=np.int8)
