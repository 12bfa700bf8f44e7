"""Why a better score is not always a smaller distance: what the errors are, at one price."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from daglock.engine import learn
from daglock.graph import dag_to_cpdag
from daglock.moments import Moments
from daglock.typing import Array, BoolArray
from daglock_evaluation.harness.measures import score_of
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import each
from daglock_evaluation.studies.equal_price import FLOP, NETWORKS, OURS, Cell, flop, ours

FIRST_SEED, N = 1000, 1000
# Graphs with weak and uneven effects.
KINDS = (5, 6, 7, 8)
CALLED = f"{OURS}, what it calls oriented"
ERRORS = ("missing", "false", "reversed", "open", "stated, right", "stated, wrong")


def kinds_of_error(found: BoolArray, dag: BoolArray) -> tuple[int, ...]:
    """Count the pairs in which a graph differs from the class of a DAG, by `ERRORS`.

    "Open" are edges without an arrow that have one in the class, "stated" are arrows where it has
    none: right if the DAG has them. A pair without an arrow is marked both ways.
    """
    true = np.asarray(dag_to_cpdag(dag)) != 0
    linked, there = found | found.T, true | true.T
    arrow, arrow_there = found & ~found.T, true & ~true.T
    stated = arrow & true & true.T
    return (
        int((there & ~linked).sum()) // 2,
        int((linked & ~there).sum()) // 2,
        int((arrow & arrow_there.T).sum()),
        int((found & found.T & arrow_there).sum()),
        int((stated & dag).sum()),
        int((stated & ~dag).sum()),
    )


def judged(cell: Cell, seed: int) -> tuple[float, ...]:
    """Return the errors of each method on the graph of a seed, and FLOP's score less daglock's."""
    draw = cell.net.draw(cell.d, cell.n, seed)
    dag, X, gamma = np.asarray(draw.truth) != 0, draw.X, cell.gamma
    graphs = [search(X, gamma, seed)[0] for search in (ours, partial(flop, restarts=20))]
    classes = [np.asarray(dag_to_cpdag(graph)) != 0 for graph in graphs]
    counts = [kinds_of_error(one, dag) for one in (*classes, called(X, gamma, seed))]
    behind = score_of(graphs[1], X, gamma) - score_of(graphs[0], X, gamma)
    return (*np.concatenate(counts).tolist(), behind)


def called(X: Array, gamma: float, seed: int) -> BoolArray:
    """Return the edges of daglock's graph with an arrow where it calls them oriented."""
    dag = learn(Moments.from_data(X), noise="unequal", ebic_gamma=gamma, rng=seed).dag
    graph = np.zeros((dag.d, dag.d), dtype=np.bool_)
    graph[dag.source, dag.target] = True
    graph[dag.target[~dag.oriented], dag.source[~dag.oriented]] = True
    return graph


def errors(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Tabulate the errors of daglock and FLOP at one price, daglock's."""
    head = ("graphs", "d", "method", "n·score, more than daglock's", "distance", *ERRORS)
    rows: list[tuple[str, ...]] = [head]
    for d in sizes or [50, 100]:
        for cell in (Cell(NETWORKS[kind], d, N, OURS) for kind in KINDS):
            found = each(partial(judged, cell), FIRST_SEED, seeds or 20, cell.net.label)
            means = found.mean(axis=0)
            behind = ("0", f"{means[-1]:.1f}", "–")
            for k, method in enumerate((OURS, FLOP, CALLED)):
                own = means[k * len(ERRORS) : (k + 1) * len(ERRORS)]
                figures = [f"{value:.1f}" for value in (own.sum(), *own)]
                rows.append((cell.net.label, str(d), method, behind[k], *figures))
    yield Table("What the errors are, mean of a graph, at daglock's price", rows)
