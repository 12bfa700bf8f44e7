"""The proof that comes with a graph, and its check, which shares nothing with the search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from daglock.moments import Moments
from daglock.search.score import graph_score, residual_variances
from daglock.typing import Array, IntArray

# Relative error up to which two computations of one number count as the same.
SAME = 1e-6
# Share of its variance up to which a residual variance is known.
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is claimed of a graph, with all that is needed to check it.

    Attributes
    ----------
    source, target, weight : the edges, (n_edges,)
    order : (d,)
        A topological order: every edge goes from an earlier node to a later one.
    score : float
        Fit plus price of the edges, per row (see `daglock.search.score`); lower is better.
    edge_cost : float
        Price of one edge, k.
    noise : "equal" or "unequal"
    kkt_residual : float
        Largest ``|∂L/∂W_ij|`` over the edges, in units of the two standard deviations: zero at
        the least-squares weights.
    locally_optimal : bool
        True when, at the end, every move of one node to another place in the order was tried and
        none improved the score. Whom a move concerns chooses parents anew, by grow and shrink: a
        node that loses a parent, or is offered one that pays (up to 12 variables: is offered
        any). Under "equal" the score is the sum of RSS_j/σ² and the price, at the last σ².
    optimal : bool
        True when no DAG at all that knowledge allows has a better score: all were compared, by
        dynamic programming over sets (`daglock.search.exact`; up to 14 variables).
    is_dag : bool
    """

    source: IntArray
    target: IntArray
    weight: Array
    order: IntArray
    score: float
    edge_cost: float
    noise: str
    kkt_residual: float
    locally_optimal: bool
    optimal: bool = False

    @property
    def is_dag(self) -> bool:
        """Whether ``order`` proves that the edges are acyclic."""
        d = len(self.order)
        if not np.array_equal(np.sort(self.order), np.arange(d)):
            return False
        if self.source.shape != self.target.shape:
            return False
        ends = np.concatenate([self.source, self.target])
        if not np.all((ends >= 0) & (ends < d)):
            return False
        position = np.empty(d, dtype=np.intp)
        position[self.order] = np.arange(d)
        return bool(np.all(position[self.source] < position[self.target]))

    def verify(self, moments: Moments) -> bool:
        """Recompute everything that can be recomputed from the moments; True when all agrees.

        Acyclicity comes from the order, residual variances and weights from one least-squares
        problem for each node, the score from those.
        """
        if moments.d != len(self.order) or not self.is_dag:
            return False
        if self.weight.shape != self.source.shape:
            return False
        parents = parents_of(self.source, self.target, moments.d)
        variance, rss = np.diag(moments.cov), residual_variances(moments.cov, parents)
        score = graph_score(rss, len(self.source), self.edge_cost, self.noise)
        # d log RSS = dRSS / RSS: where little is left, rounding shows in the logarithm
        share = variance.sum() / rss.sum() if self.noise == "equal" else np.mean(variance / rss)
        slack = SAME * max(1.0, abs(score)) + ROUNDING * moments.d * share
        residual = gradient_residual(moments.cov, self.source, self.target, self.weight)
        # a NaN agrees with nothing
        return bool(
            abs(score - self.score) <= slack
            and residual <= SAME
            and abs(residual - self.kkt_residual) <= SAME
        )

    def __str__(self) -> str:
        """One line for a person."""
        proof = "a DAG, by its order" if self.is_dag else "NOT a DAG"
        moves = "moves left to try"
        if self.optimal:
            moves = "no other DAG has a better one"
        elif self.locally_optimal:
            moves = "no single-node move that was tried improves it"
        edges = "1 edge" if len(self.source) == 1 else f"{len(self.source)} edges"
        return (
            f"{edges} on {len(self.order)} nodes: {proof}; score "
            f"{self.score:.6f} ({self.noise} variances); {moves}; "
            f"KKT residual {self.kkt_residual:.1e}"
        )


def parents_of(source: IntArray, target: IntArray, d: int) -> list[IntArray]:
    """Parents of every node, sorted."""
    by_target = np.lexsort((source, target))
    ends = np.searchsorted(target[by_target], np.arange(1, d))
    return np.split(source[by_target], ends)


def gradient_residual(S: Array, source: IntArray, target: IntArray, weight: Array) -> float:
    """Largest |Cov(X_i, residual of X_j)| over the edges i -> j, divided by sd(X_i) sd(X_j)."""
    if not len(source):
        return 0.0
    deviation = np.sqrt(np.diag(S))
    by_target = np.argsort(target, kind="stable")
    nodes, firsts = np.unique(target[by_target], return_index=True)
    worst = 0.0
    for j, edges in zip(nodes, np.split(by_target, firsts[1:]), strict=True):
        P, w = source[edges], weight[edges]
        gap = np.abs(S[P, j] - S[P[:, None], P] @ w) / (deviation[P] * deviation[j])
        worst = float(np.maximum(worst, gap.max()))  # keeps a NaN
    return worst
