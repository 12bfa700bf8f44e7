"""Unequal variances at FLOP's price of an edge: the search alone, score beside score."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from daglock.criteria import edge_cost, graph_score
from daglock.graph import Graph, dag_to_cpdag, edge_list
from daglock.metrics import compare_cpdag
from daglock.moments import Moments
from daglock.search.regression import residual_variances
from daglock.typing import Array
from daglock_evaluation.bench.cases import Case
from daglock_evaluation.bench.peers import flop, ours
from daglock_evaluation.bench.studies.extension import consistent_extension
from daglock_evaluation.bench.studies.table import Table, progress

OURS = "daglock"


def score_of(dag: Graph, X: Array, gamma: float) -> float:
    """Score a DAG under unequal variances, apart from the search."""
    moments = Moments.from_data(X)
    sources, targets, _ = edge_list(dag)
    parents = [sources[targets == j] for j in range(moments.d)]
    rss = residual_variances(moments.cov, parents)
    cost = edge_cost(moments.n, moments.d, gamma)
    return graph_score(rss, sources.size, cost, "unequal")


def same_criterion(case: Case, seeds: int, restarts: tuple[int, ...]) -> Table:
    """Compare under FLOP's own price of an edge: who reaches the better score, and how fast.

    The last row is daglock at its default price; its score is still counted at FLOP's.
    """
    gamma = flop.gamma_of_flop(case.n, case.d)
    ours.fit(case.draw(seeds).X, 0, noise="unequal")  # warm up
    entries: dict[str, list[tuple[int, float, float]]] = {}
    for seed in progress(range(seeds), case.label):
        draw = case.draw(seed)
        truth = np.asarray(dag_to_cpdag(np.asarray(draw.truth)))
        for count in restarts:
            begin = perf_counter()
            cpdag = np.asarray(flop.run(draw.X, seed, count).graph)
            seconds = perf_counter() - begin
            score = score_of(consistent_extension(cpdag), draw.X, gamma)
            distance = compare_cpdag(cpdag, truth).shd
            entries.setdefault(f"FLOP-{count}", []).append((distance, score, seconds))
        for method, price in ((OURS, gamma), (f"{OURS}, its own price", None)):
            begin = perf_counter()
            dag = ours.fit(draw.X, seed, noise="unequal", ebic_gamma=price).to_sparse()
            seconds = perf_counter() - begin
            score = score_of(dag, draw.X, gamma)
            distance = compare_cpdag(dag_to_cpdag(dag), truth).shd
            entries.setdefault(method, []).append((distance, score, seconds))
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
