"""Graphs that need no search: the empty one, and what an order by one number per column gives.

*Sortnregress* (Reisach, Seiler and Weichwald 2021, section 4.2) sorts the variables by variance, or
by R², and regresses each on those before it. What it finds was found without looking for causes:
a learned graph should fit better than this. Parents are chosen here as everywhere in daglock, by
the price of an edge and not by a lasso, so that the scores compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from daglock.criteria import (
    CRITERIA,
    Criterion,
    UnequalVariances,
    default_gamma,
    edge_cost,
    graph_score,
)
from daglock.diagnostics.sortability import TIED, explained_shares
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.graph import Marks, WeightedDAG, dag_to_cpdag
from daglock.knowledge import Masks
from daglock.metrics import compare_cpdag
from daglock.moments import Moments
from daglock.search.regression import least_squares, residual_variances
from daglock.search.run import choose_parents
from daglock.settings import SETTINGS
from daglock.ties import canonical_order
from daglock.typing import Array, IntArray

# σ² of the equal-variance criterion settles within a few turns; the best turn is kept.
TURNS, SETTLED = 5, 1e-3


@dataclass(frozen=True, eq=False)
class Ordered:
    """The graph that one order gives."""

    dag: WeightedDAG  # with the least-squares effect of i on j
    noise_variances: Array  # (d,) residual variance of each variable on its parents
    score: float  # the criterion of `daglock.criteria`, per row; lower is better


@dataclass(frozen=True)
class Baseline:
    """A graph beside the learned one, under the same criterion."""

    name: str  # "learned", "empty", "variance" or "r2" (sorted by that, then regressed)
    n_edges: int
    score: float  # fit plus price of the edges, per row; lower is better
    log_likelihood: float  # Gaussian, per row, at the best weights and variances
    adjacencies: int  # pairs that are adjacent here and in the learned graph
    # Those of them with the same direction; under "unequal" noise equivalence classes are compared,
    # and two edges that can point either way agree.
    directions: int


def sortnregress(
    moments: Moments,
    by: str = "variance",
    *,
    noise: str = "unequal",
    price: float | None = None,
    ebic_gamma: float | None = None,
) -> Ordered:
    """Sort the variables by one number each, then choose parents among those that come before.

    Where that number is the same for all there is no order, and InvalidDataError is raised.

    Parameters
    ----------
    by : "variance" or "r2"
    noise : "equal" or "unequal", the criterion by which parents are chosen.
    price : of one edge, per row; as in a certificate's ``edge_cost``.
    ebic_gamma : γ of that price where it is not given; by default the one of the engine.

    Examples
    --------
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> W = erdos_renyi(10, 10, rng=0)
    >>> moments = Moments.from_data(linear_sem(W, 1000, rng=1))
    >>> sortnregress(moments, by="variance", noise="equal").dag.n_edges
    15
    """
    if noise not in ("equal", "unequal"):
        raise InvalidParameterError(f"noise must be equal or unequal; got {noise!r}.")
    if price is None:
        n, d = moments.n, moments.d
        gamma = default_gamma(n, d) if ebic_gamma is None else ebic_gamma
        price = edge_cost(n, d, gamma)
    return graph_of_order(moments, sorting_order(moments, by), noise=noise, price=price)


def sorting_order(moments: Moments, by: str) -> IntArray:
    """Return the variables by growing variance or R²; ties do not go by column."""
    if by == "variance":
        scores = np.log(np.diag(moments.cov))
    elif by == "r2":
        scores = explained_shares(moments.cov)
    else:
        raise InvalidParameterError(f"by must be variance or r2; got {by!r}.")
    if np.ptp(scores) <= TIED:
        what = "variance" if by == "variance" else "R²"
        raise InvalidDataError(f"All columns have the same {what}: it gives no order.")
    return _sorted_by(moments, scores)


def _sorted_by(moments: Moments, scores: Array) -> IntArray:
    """Sort by score; where scores are tied, in an order that does not depend on columns."""
    by_score = np.argsort(scores, kind="stable")
    group = np.empty(moments.d, dtype=np.intp)
    group[by_score] = np.cumsum(np.diff(scores[by_score], prepend=scores.min()) > TIED)
    rank = np.empty(moments.d, dtype=np.intp)
    rank[canonical_order(moments.cov, moments.names)] = np.arange(moments.d)
    return np.lexsort((rank, group))


def graph_of_order(moments: Moments, order: IntArray, *, noise: str, price: float) -> Ordered:
    """Choose the parents of every node among its predecessors in one given order.

    As the engine does it: by log RSS on the correlation, and for equal variances by turns, the
    parents for a given σ² and σ² for given parents, of which the best is kept.
    """
    S, criterion, plain = moments.cov, CRITERIA[noise](moments), UnequalVariances(moments)
    parents = _choose(plain, order, price, 1.0)
    rss = residual_variances(S, parents)
    best = criterion.score(rss, sum(map(len, parents)), price)
    weight = criterion.weight(rss)
    for _ in range(0 if criterion.name == plain.name else TURNS):
        turn = _choose(criterion, order, price, weight)
        turn_rss = residual_variances(S, turn)
        score = criterion.score(turn_rss, sum(map(len, turn)), price)
        if score < best:
            parents, rss, best = turn, turn_rss, score
        before, weight = weight, criterion.weight(turn_rss)
        if abs(before / weight - 1.0) < SETTLED:
            break
    weights = [least_squares(S, P, j) for j, P in enumerate(parents)]
    return Ordered(WeightedDAG.from_parents(order, parents, weights), rss, best)


def compare_baselines(
    moments: Moments,
    dag: WeightedDAG,
    *,
    noise: str,
    price: float,
    criteria: Mapping[str, Array],
) -> tuple[Baseline, ...]:
    """Set a learned graph beside the empty one and beside those that sorting gives.

    Hard knowledge plays no part in the others: they show what the data alone would give.
    ``criteria`` are the numbers (d,) to sort by, by their name.
    """

    def describe(name: str, graph: WeightedDAG, marks: Marks) -> Baseline:
        rss = residual_variances(moments.cov, graph.parents)
        score = graph_score(rss, graph.n_edges, price, noise)
        fit = score - price * graph.n_edges
        log_likelihood = -0.5 * (fit + moments.d * (1.0 + np.log(2.0 * np.pi)))
        seen = compare_cpdag(marks, dag.marks())
        shared = seen.true_positives + seen.reversed
        same = seen.true_positives
        return Baseline(name, graph.n_edges, score, float(log_likelihood), shared, same)

    empty = WeightedDAG.from_parents(dag.order, [[]] * dag.d, [[]] * dag.d)
    baselines = [describe("learned", dag, dag.marks()), describe("empty", empty, empty.marks())]
    for name, scores in criteria.items():
        order = _sorted_by(moments, scores)
        equivalent = CRITERIA[noise].score_equivalent
        graph = graph_of_order(moments, order, noise=noise, price=price).dag
        marks = dag_to_cpdag(graph.adjacency()) if equivalent else graph.marks()
        baselines.append(describe(name, graph, marks))
    return tuple(baselines)


def _choose(criterion: Criterion, order: IntArray, price: float, weight: float) -> list[IntArray]:
    """Grow and shrink along the order, from nothing and then from other starts."""
    n, d = criterion.moments.n, len(order)
    spec = criterion.spec(weight, price, SETTINGS.most_parents(n, d), Masks())
    full = SETTINGS.full_regressions_pay(n, d)
    return choose_parents(spec, order, full_regressions=full).parents
