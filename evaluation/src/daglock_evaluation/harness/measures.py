"""What else is told of an answer: its score at one price, its arrows, and its best threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.criteria import edge_cost, graph_score
from daglock.diagnostics import r2_sortability, var_sortability
from daglock.graph import Graph, as_csr, edge_list, is_dag, parents_of, threshold
from daglock.metrics import compare, compare_classes
from daglock.moments import Moments
from daglock.search.regression import residual_variances
from daglock.typing import Array, BoolArray
from daglock_evaluation.harness.case import Draw, reaches
from daglock_evaluation.harness.judge import Kind
from daglock_evaluation.methods import Answer
from daglock_evaluation.methods.classes import gamma_of_flop

# Above so many columns none of this is worked out.
LARGEST = 500
# So many times the edges of the true graph are kept by a threshold in hindsight: an acyclic graph
# with more of them is farther from the truth than the empty one.
KEPT = 2
# Of those thresholds the nearest by direction whose classes are compared, too.
NEAREST = 40


def further(answer: Answer, draw: Draw, returns: Kind) -> dict[str, Any]:
    """Return what else is told of an answer; nothing of very large graphs.

    Returns
    -------
    dict with ``score`` (of the graph, under unequal variances at twice the price of BIC, for all
    rows: the smaller the better; None for a graph with a cycle), ``n_arrows`` (directions that the
    method states), ``n_false`` (of these, how many where no directed path leads that way),
    ``n_found`` (and how many are edges of the true graph), ``n_true`` (the edges of that),
    ``best_shd`` and ``best_cpdag_shd`` (with the threshold that is the best in hindsight; only of
    methods that have weights).
    """
    if draw.X.shape[1] > LARGEST:
        return {}
    codes = as_csr(answer.graph).toarray()
    dag = codes != 0 if returns == "dag" else consistent_extension(codes)
    arrows = answer.arrows
    if arrows is None:
        arrows = dag if returns == "dag" else codes == 1
    truth = as_csr(draw.truth).toarray() != 0
    acts = reaches(truth) if draw.acts is None else draw.acts
    has_score = returns != "ancestors" and is_dag(dag)
    found = {
        "score": round(score_of(dag, draw.X), 4) if has_score else None,
        "n_arrows": int(arrows.sum()),
        "n_false": int((arrows & ~acts).sum()),
        "n_found": int((arrows & truth).sum()),
        "n_true": int(truth.sum()),
    }
    if answer.weights is None:
        return found
    return {**found, **in_hindsight(answer.weights, truth, answer.graph)}


def in_hindsight(weights: Array, truth: BoolArray, own: Graph | None = None) -> dict[str, Any]:
    """Return the smallest distances over all thresholds, which nobody knows beforehand.

    The graph that a method makes of its weights itself, `own`, is one of those that are tried.
    """
    most = KEPT * max(1, int(truth.sum()))
    sizes = np.unique(np.abs(weights[weights != 0]))[::-1][:most]
    cuts = [threshold(weights, float(size)) for size in sizes]
    cuts += [np.zeros_like(weights), *([] if own is None else [as_csr(own).toarray()])]
    distances = [compare(W, truth).shd for W in cuts]
    acyclic = [k for k, W in enumerate(cuts) if is_dag(W)]
    near = sorted(acyclic, key=distances.__getitem__)[:NEAREST]
    tried = {*near, *(k for k in acyclic if k >= len(sizes))}
    classes = [compare_classes(cuts[k], truth).shd for k in tried]
    return {"best_shd": min(distances), "best_cpdag_shd": min(classes, default=None)}


def score_of(dag: Graph, X: Array, gamma: float | None = None) -> float:
    """Score a DAG under unequal variances, apart from any search: fit plus price for all rows.

    The price is twice that of BIC unless γ is given.
    """
    moments = Moments.from_data(X)
    gamma = gamma_of_flop(moments.n, moments.d) if gamma is None else gamma
    return moments.n * score_of_row(dag, moments, gamma, "unequal")


def score_of_row(dag: Graph, moments: Moments, gamma: float, noise: str) -> float:
    """Score a DAG apart from any search, per row."""
    sources, targets, _ = edge_list(dag)
    rss = residual_variances(moments.cov, parents_of(sources, targets, moments.d))
    return graph_score(rss, sources.size, edge_cost(moments.n, moments.d, gamma), noise)


def consistent_extension(cpdag: NDArray[Any]) -> BoolArray:
    """Return a DAG of a class: its undirected edges point from node to node in one order.

    Next is always a node with the most undirected neighbours before it. Their graph is chordal, so
    that these neighbours are adjacent, and no v-structure is new (Tarjan and Yannakakis, 1984).

    Examples
    --------
    >>> consistent_extension(np.array([[0, 2], [2, 0]], dtype=np.int8)).astype(int).tolist()
    [[0, 1], [0, 0]]
    """
    undirected: BoolArray = cpdag == 2
    dag: BoolArray = cpdag == 1
    left, before = np.ones(len(cpdag), dtype=np.bool_), np.zeros(len(cpdag))
    for _ in range(len(cpdag)):
        x = np.argmax(np.where(left, before, -1.0))
        left[x] = False
        dag[x] |= undirected[x] & left
        before += undirected[x]
    return dag


def sortability(draw: Draw) -> dict[str, Any]:
    """Return how far sorting by variance, and by R², gives the order of the true graph."""
    if draw.X.shape[1] > LARGEST:
        return {}
    cov = Moments.from_data(draw.X).cov
    both = var_sortability(cov, draw.truth), r2_sortability(cov, draw.truth)
    by_variance, by_r2 = (None if np.isnan(found) else round(found, 4) for found in both)
    return {"var_sortability": by_variance, "r2_sortability": by_r2}
