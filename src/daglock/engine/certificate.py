"""What is claimed of a graph, and its check, which shares no arithmetic with the search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from daglock.checking import (
    MAX_COMPARED,
    candidates,
    context_candidates,
    curve_candidates,
    curve_cost,
    deviation_terms,
    joint_candidates,
    residual_variance,
    surface_candidates,
    surface_cost,
)
from daglock.criteria import CRITERIA, ByRegime, Curved, JointCriterion
from daglock.criteria.criterion import gradient_residual
from daglock.curves import Curves
from daglock.graph import WeightedDAG
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.regimes import Regimes
from daglock.typing import Array, IntArray, Statistics

# Relative error up to which two computations of one number count as the same.
SAME = 1e-6
# A residual variance is known up to this share of all that cancels in it.
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is claimed of a graph, with all that is needed to check it.

    Everything but `locally_optimal` and `window`, which are reports of the search, and a bound for
    more than 20 variables, which is one of linear programmes, is recomputed by `verify`.

    Attributes
    ----------
    dag, noise, knowledge : the graph, its noise model (a name in `CRITERIA`), and what was known.
    score : fit plus price of the edges, per row (see `daglock.criteria`); lower is better.
    edge_cost : price of one edge, k.
    kkt_residual : largest ``|∂L/∂W_ij|`` over the edges, in units of the two standard deviations:
        zero at the least-squares weights.
    locally_optimal : the search reports that, at the end, every move of one node to another place
        in the order was tried and none improved the score. Whom a move concerns chooses parents
        anew, by grow and shrink: a node that loses a parent, or is offered one that pays. Under
        "equal" the score is the sum of RSS_j/σ² and the price, at the last σ².
    window : the search reports that, at the end, no reordering of so many consecutive nodes of its
        order improved the score, parents being chosen in the same way; 0 where it reports nothing:
        without restarts, or when time was up.
    optimal : no DAG that knowledge allows, with at most `max_parents` parents a node, has a better
        score: all were compared (`daglock.search.exact`; up to 20 variables, by default fewer), or
        `lower_bound` is the score.
    max_parents : most parents that a node could have: d − 1 where that is no limit, and never more
        than a quarter of the rows, which leave nothing to tell more of them from chance.
    aside : columns that were not searched because others determine them. They have no edges, and
        score and optimality are about the rest.
    lower_bound : no such DAG has a score below this one; None where nobody asked (`prove`).
    """

    dag: WeightedDAG
    score: float
    edge_cost: float
    noise: str
    kkt_residual: float
    locally_optimal: bool
    window: int
    optimal: bool
    max_parents: int
    knowledge: Masks
    aside: IntArray
    lower_bound: float | None = None

    @property
    def order(self) -> IntArray:
        """A topological order: every edge goes from an earlier node to a later one."""
        return self.dag.order

    @property
    def is_dag(self) -> bool:
        """Whether ``order`` proves that the edges are acyclic."""
        return self.dag.goes_forward()

    @property
    def gap(self) -> float | None:
        """By how much the score of another DAG can be lower; None where nobody asked."""
        return None if self.lower_bound is None else max(self.score - self.lower_bound, 0.0)

    @property
    def shown_by(self) -> str:
        """How it was shown that no graph is better, in words."""
        return "by a lower bound for all" if self._is_bounded else "all were compared"

    @property
    def _is_bounded(self) -> bool:
        """Whether what is said of all graphs rests on a bound, because they are too many."""
        return self.lower_bound is not None and len(self._searched) > MAX_COMPARED

    @property
    def statement(self) -> str:
        """What can be said of the score, in words."""
        limits = ["of the columns that were searched"] if len(self.aside) else []
        if self.max_parents < self.dag.d - len(self.aside) - 1:
            limits.append(f"with at most {self.max_parents} parents a node")
        if not self.knowledge.is_empty:
            limits.append("that was allowed")
        other = " ".join(["no other DAG", *limits])
        if self.optimal:
            return f"{other} has a better score"
        said = "moves were left to try"
        if self.locally_optimal:
            said = "no move of a single node that was tried improves the score"
            if self.window:
                said += f", nor does any order of {self.window} nodes next to each other"
        if self.gap is not None:
            said += f", and {other} has one that is lower by more than {self.gap:.3g}"
        return said

    def verify(self, moments: Statistics) -> bool:
        """Recompute everything that is claimed from the moments; True when all agrees.

        Acyclicity comes from the order; knowledge is looked up; residual variances come from one
        elimination for each node, and the score from those; the weights must leave residuals
        that no parent is correlated with; and where the graph is said to be the best of all,
        all are compared once more. What is not checked are `locally_optimal` and `window`, and a
        lower bound for more variables than can be compared.
        """
        if self.lower_bound is not None and not self._bound_fits():
            return False
        if moments.d != self.dag.d or not self.is_dag or not self._is_allowed():
            return False
        kind = CRITERIA[self.noise]
        if issubclass(kind, JointCriterion):
            return self._agrees_with(kind(moments.select(self._searched)))
        if kind is ByRegime:
            return isinstance(moments, Regimes) and self._agrees_by_regime(moments)
        if kind is Curved:
            return isinstance(moments, Curves) and self._agrees_with_curves(moments)
        if not isinstance(moments, Moments):
            return False
        S, parents = moments.cov, self.dag.parents
        searched = self._searched
        d = len(searched)
        rss = np.array([residual_variance(S, parents[j], j) for j in searched])
        criterion = CRITERIA[self.noise]
        score = criterion.score(rss, self.dag.n_edges, self.edge_cost)
        # d log RSS = dRSS / RSS: where little is left of much, rounding shows in the logarithm
        terms = np.array([deviation_terms(S, parents[j], j) for j in searched])
        if not self._has_plain_weights(S, searched, terms):
            return False
        lost = (terms**2 / criterion.noise_variances(rss)).sum()
        slack = SAME * max(1.0, abs(score)) + ROUNDING * d * lost
        residual = gradient_residual(S, self.dag)
        # a NaN agrees with nothing
        agrees = (
            abs(score - self.score) <= slack
            and residual <= SAME
            and abs(residual - self.kkt_residual) <= SAME
        )
        if not agrees or not self.optimal or self._is_bounded:
            return bool(agrees)
        graphs = candidates(
            S[np.ix_(searched, searched)], self.max_parents, self.knowledge.select(searched)
        )
        return graphs is not None and criterion.none_is_better(
            graphs, self.score - slack, self.edge_cost
        )

    def _bound_fits(self) -> bool:
        """Whether what is said of a bound goes with the score."""
        lower, slack = self.lower_bound, SAME * max(1.0, abs(self.score))
        assert lower is not None
        below = lower <= self.score + slack
        return bool(below and (lower >= self.score - slack or not self.optimal))

    @property
    def _searched(self) -> IntArray:
        """Columns that were not set aside."""
        return np.setdiff1d(np.arange(self.dag.d), self.aside)

    @property
    def _number(self) -> IntArray:
        """The place of every variable among those that were searched; −1 where it was not."""
        number = np.full(self.dag.d, -1, dtype=np.intp)
        number[self._searched] = np.arange(len(self._searched))
        return number

    def _agrees_with(self, criterion: JointCriterion) -> bool:
        """Whether score and weights are those of a criterion of sets, worked out another way."""
        number = self._number
        parents = [number[self.dag.parents[j]] for j in self._searched]
        without = criterion.checked_costs(parents)
        costs = criterion.checked_costs([np.append(P, j) for j, P in enumerate(parents)])
        extras = [criterion.checked_extra(j, P) for j, P in enumerate(parents)]
        fits = costs - without + np.array(extras)
        score = float(fits.sum() + self.edge_cost * self.dag.n_edges)
        slack = SAME * max(1.0, abs(score))
        weights = np.concatenate([*criterion.edge_weights(parents), np.empty(0)])
        own = np.concatenate([*self.dag.by_target(self.dag.weight), np.empty(0)])
        if not (abs(score - self.score) <= slack and np.allclose(weights, own, rtol=1e-5)):
            return False
        if not self.optimal:
            return True
        if len(self._searched) > MAX_COMPARED:
            return False
        graphs = joint_candidates(
            criterion.checked_costs_of_all(),
            criterion.checked_extra,
            criterion.extents,
            self.max_parents,
            self.knowledge.select(self._searched),
        )
        return criterion.none_is_better(graphs, self.score - slack, self.edge_cost)

    def _agrees_with_curves(self, kept: Curves) -> bool:
        """Whether score and weights are those of regressions on curves."""
        searched, number, some = self._searched, self._number, kept.select(self._searched)
        what = some.ridged, some.n_functions, some.n, some.bend
        together = some.surfaces
        weights = self.dag.by_target(self.dag.weight)
        score = self.edge_cost * self.dag.n_edges
        for j in searched.tolist():
            own, P = int(number[j]), number[self.dag.parents[j]]
            others = [np.delete(P, e) for e in range(len(P))]
            rss, cost = curve_cost(*what, P, own)
            if together is None:
                without = np.array([curve_cost(*what, rest, own)[0] for rest in others])
            else:  # curves cost no less
                least = surface_cost(together.cost, P, own)
                if not least <= np.log(rss) + cost + SAME:
                    return False
                rss, cost = np.exp(least), 0.0
                costs = [surface_cost(together.cost, rest, own) for rest in others]
                without = np.exp(np.array(costs))
            score += np.log(rss) + cost
            if not np.allclose(weights[j] ** 2, 1.0 - rss / without, atol=SAME):
                return False
        slack = SAME * max(1.0, abs(score))
        if not abs(score - self.score) <= slack or not self.optimal:  # a NaN agrees with nothing
            return bool(abs(score - self.score) <= slack)
        known = self.max_parents, self.knowledge.select(searched)
        if together is None:
            graphs = curve_candidates(*what, *known)
        else:
            graphs = surface_candidates(together.cost, *known)
        return graphs is not None and Curved.none_is_better(
            graphs, self.score - slack, self.edge_cost
        )

    def _agrees_by_regime(self, kept: Regimes) -> bool:
        """Whether score and weights are those of regressions in the contexts of every node."""
        if kept.changed is None:
            return False
        searched, number, some = self._searched, self._number, kept.select(self._searched)
        weights, further = self.dag.by_target(self.dag.weight), np.log(some.n) / some.n
        score, lost = self.edge_cost * self.dag.n_edges, 0.0
        for j in searched.tolist():
            own, P = int(number[j]), number[self.dag.parents[j]]
            for c, group in enumerate(some.groups(own)):
                S, share = some.covariance(group), some.rows_of(group) / some.n
                rss, terms = residual_variance(S, P, own), deviation_terms(S, P, own)
                score += share * np.log(rss) + (further * len(P) if c else 0.0)
                lost += share * terms**2 / rss
                if c == 0 and not _solves(S, P, own, weights[j], terms):
                    return False
        slack = SAME * max(1.0, abs(score)) + ROUNDING * len(searched) * lost
        if not abs(score - self.score) <= slack or not self.optimal:  # a NaN agrees with nothing
            return bool(abs(score - self.score) <= slack)
        contexts = [
            [(some.covariance(group), some.rows_of(group) / some.n) for group in some.groups(j)]
            for j in range(some.d)
        ]
        graphs = context_candidates(
            contexts, further, self.max_parents, self.knowledge.select(searched)
        )
        return graphs is not None and ByRegime.none_is_better(
            graphs, self.score - slack, self.edge_cost
        )

    def _has_plain_weights(self, S: Array, searched: IntArray, terms: Array) -> bool:
        """Whether weights are not much larger than those of least norm; collinear ones can be."""
        dag, deviation = self.dag, np.sqrt(np.diag(S))
        own = deviation.copy()
        np.add.at(own, dag.target, np.abs(dag.weight) * deviation[dag.source])
        return bool((own[searched] <= 2.0 * terms).all())

    def _is_allowed(self) -> bool:
        """Whether the graph respects what was known."""
        dag, known = self.dag, self.knowledge
        if np.isin(self.aside, [dag.source, dag.target]).any():
            return False
        for mask in known:
            if mask is not None and mask.shape != (dag.d, dag.d):
                return False
        edges, position = (dag.source, dag.target), dag.position
        if known.allowed is not None and not known.allowed[edges].all():
            return False
        if known.required is not None and known.required[edges].sum() < known.required.sum():
            return False
        return known.before is None or not (known.before & (position[:, None] > position)).any()

    def __repr__(self) -> str:
        """Return what it says, in a line."""
        return f"<Certificate: {self}>"

    def __str__(self) -> str:
        """One line for a person."""
        proof = "a DAG, by its order" if self.is_dag else "NOT a DAG"
        edges = "1 edge" if self.dag.n_edges == 1 else f"{self.dag.n_edges} edges"
        kind = CRITERIA[self.noise]
        said = (
            f"{edges} on {self.dag.d} nodes: {proof}; score "
            f"{self.score:.6f} ({kind.called}); {self.statement}"
        )
        if issubclass(kind, JointCriterion | Curved):  # what has a closed form leaves no residual
            return said
        return f"{said}; KKT residual {self.kkt_residual:.1e}"


def _solves(S: Array, P: IntArray, j: int, weight: Array, terms: float) -> bool:
    """Whether weights leave residuals that no parent is correlated with, and are not too large."""
    deviation = np.sqrt(np.diag(S))
    gap = np.abs(S[P, j] - S[np.ix_(P, P)] @ weight)
    plain = deviation[j] + np.abs(weight) @ deviation[P] <= 2.0 * terms
    return bool(plain and (gap <= SAME * deviation[P] * deviation[j]).all())
