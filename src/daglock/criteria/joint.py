"""Criteria of sets: blocks of columns, and counts.

    score = Σ_j [c(P_j ∪ j) − c(P_j) + e_j(P_j)] + k·|E|

where a set of variables costs c, and parents e beyond the price of their edges, see
`daglock.search.joint`. With log RSS_j for what is in brackets
this is the score of unequal variances, and what is said there holds here: equivalent graphs have
one score. An edge of one degree of freedom costs k, every further one what the BIC asks.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from daglock.blocks import Blocks
from daglock.checking import (
    all_costs_of_blocks,
    all_costs_of_counts,
    extra_of_blocks,
    extra_of_counts,
    joint_costs_of_blocks,
    joint_costs_of_counts,
)
from daglock.counts import Counts
from daglock.criteria.criterion import strengths
from daglock.criteria.unitless import UnitlessCriterion
from daglock.graph import edges_into
from daglock.knowledge import Masks
from daglock.search.all_sets import Sets, make_joint_sets
from daglock.search.joint import joint_extras, joint_fits, joint_gains, joint_gains_of_edges
from daglock.search.node import AnySpec
from daglock.search.set_costs import JointSpec, make_joint_spec
from daglock.typing import Array, IntArray

# exp of this is as much as a number holds; a graph whose fit is worse is none
_MOST = 600.0


class JointCriterion(UnitlessCriterion):
    """``Σ_j log RSS_j + k·|E|``, log RSS_j from what sets of variables cost together."""

    score_equivalent: ClassVar[bool] = True

    @abstractmethod
    def kept(self) -> dict[str, Any]:
        """Return what was kept of the table, as `make_joint_spec` calls it."""

    def joint_spec(
        self, cost: float, max_parents: int, masks: Masks, *, bounded: bool = True
    ) -> JointSpec:
        """Return what the kernels take."""
        return make_joint_spec(
            cost,
            n=self.moments.n,
            max_parents=max_parents,
            allowed=masks.allowed,
            required=masks.required,
            before=masks.before,
            bounded=bounded,
            **self.kept(),
        )

    @cached_property
    def plain(self) -> JointSpec:
        """Without prices, knowledge and bounds: for what sets cost."""
        return self.joint_spec(0.0, self.moments.d - 1, Masks(), bounded=False)

    @cached_property
    def matrix(self) -> Array:
        """How far each pair depends on each other."""
        return np.asarray(self.moments.likeness)

    def spec(
        self, weight: float, cost: float, max_parents: int, masks: Masks, *, bounded: bool = True
    ) -> AnySpec:
        """Return all of it as the kernels take it."""
        return self.joint_spec(cost, max_parents, masks)

    def sets(self, max_parents: int, masks: Masks, deadline: float = np.inf) -> Sets:
        """Work out what every variable costs with every set of others."""
        return make_joint_sets(self.plain, max_parents, *masks, deadline=deadline)

    def residuals(self, parents: list[IntArray]) -> Array:
        """Return what stands for the residual variance of every node."""
        cost = joint_fits(self.plain, parents) + joint_extras(self.plain, parents)
        return np.asarray(np.exp(np.minimum(cost, _MOST)))

    def edge_weights(self, parents: list[IntArray]) -> list[Array]:
        """Return how far j depends on i given its other parents: ``√(1 − exp(−2 I))``.

        Linfoot's coefficient of correlation: between 0 and 1, and the absolute value of the partial
        correlation where both are one Gaussian column.

        References
        ----------
        Linfoot, An informational measure of correlation, Information and Control 1 (1957), eq. 2.
        """
        source, target = edges_into(parents)
        gains = joint_gains_of_edges(self.plain, parents, source, target)
        return strengths(gains, target, len(parents))

    def largest_gains(self, spec: AnySpec, order: IntArray, parents: list[IntArray]) -> Array:
        """Return what one more predecessor would gain each node, without the price of its edge."""
        assert isinstance(spec, JointSpec)
        return joint_gains(spec, order, parents)

    @abstractmethod
    def checked_costs(self, sets: list[IntArray]) -> Array:
        """Return c of sets by arithmetic that the search does not share."""

    @abstractmethod
    def checked_costs_of_all(self) -> Array:
        """Return c of every set of variables, (2^d,), by such arithmetic."""

    @property
    @abstractmethod
    def extents(self) -> IntArray:
        """Columns or levels of each variable."""

    def fits(self, parents: list[IntArray]) -> Array:
        """Return ``c(P_j ∪ j) − c(P_j)`` of every node."""
        return joint_fits(self.plain, parents)

    @abstractmethod
    def checked_extra(self, j: int, P: IntArray) -> float:
        """Return what parents cost beyond their edges, by arithmetic that the search has not."""


class Mixed(JointCriterion):
    """Blocks of columns: numbers and categories together, c(U) = log|S_UU|.

    A categorical variable is a block of columns of 0 and 1, and all columns together are taken for
    Gaussian: an approximation that scores well.

    References
    ----------
    Andrews, Ramsey and Cooper, Learning high-dimensional directed acyclic graphs with mixed
    data-types, Proceedings of Machine Learning Research 104 (2019), section 3.
    """

    name: ClassVar[str] = "mixed"
    described: ClassVar[str] = (
        "numbers and categories, a category as one yes/no column for each level but the first"
    )
    in_short: ClassVar[str] = "blocks"
    may_cost_less: ClassVar[bool] = False
    called: ClassVar[str] = "blocks of columns"
    moments: Blocks

    def kept(self) -> dict[str, Any]:
        """Return the covariance of uncorrelated blocks, and where each begins."""
        return {"blocks": (self.moments.whitened(), self.moments.first)}

    def edge_weights(self, parents: list[IntArray]) -> list[Array]:
        """Return coefficients between single columns, and Linfoot's correlation where a block is.

        A coefficient is that of the regression on all columns of all parents.
        """
        weights, blocks = super().edge_weights(parents), self.moments
        S = blocks.columns.cov
        for j, P in enumerate(parents):
            if blocks.widths[j] > 1:
                continue
            columns = blocks.members(P)
            slopes = np.linalg.lstsq(
                S[np.ix_(columns, columns)], S[columns, blocks.first[j]], rcond=None
            )[0]
            for t, i in enumerate(P.tolist()):
                if blocks.widths[i] == 1:
                    weights[j][t] = slopes[np.searchsorted(columns, blocks.first[i])]
        return weights

    def checked_extra(self, j: int, P: IntArray) -> float:
        """Return ``l·(q_j − |P|)``."""
        widths = self.moments.widths
        return extra_of_blocks(self.moments.n, int(widths[j]), widths[P])

    def checked_costs(self, sets: list[IntArray]) -> Array:
        """Return log|S_UU| by eigenvalues."""
        R = self.moments.whitened()
        return joint_costs_of_blocks(R, [self.moments.members(U) for U in sets])

    def checked_costs_of_all(self) -> Array:
        """Return log|S_UU| by eigenvalues."""
        return all_costs_of_blocks(self.moments.whitened(), self.moments.first)

    @property
    def extents(self) -> IntArray:
        """Columns of each block."""
        return self.moments.widths


class Multinomial(JointCriterion):
    """Counts: a table of categories, c(U) = 2 H(U), twice the entropy of the counts of U.

    A network of multinomial distributions, one for each node and configuration of its parents,
    with the price of quotients of normalised maximum likelihoods as long as cells are few.

    References
    ----------
    Silander, Leppä-aho, Jääsaari and Roos, Quotient normalized maximum likelihood criterion for
    learning Bayesian network structures, AISTATS (2018), equation 9.
    """

    name: ClassVar[str] = "counts"
    described: ClassVar[str] = "categories only, rows counted for each combination of levels"
    in_short: ClassVar[str] = "counts"
    called: ClassVar[str] = "counts"
    moments: Counts

    def kept(self) -> dict[str, Any]:
        """Return the different rows, how often each occurs, and the levels of each variable."""
        return {"counts": (self.moments.dense, self.moments.weight, self.moments.sizes)}

    def checked_extra(self, j: int, P: IntArray) -> float:
        """Return what the levels of parents cost."""
        sizes = self.moments.sizes
        return extra_of_counts(self.moments.n, int(sizes[j]), sizes[P])

    def checked_costs(self, sets: list[IntArray]) -> Array:
        """Return 2 H(U) from a dictionary of rows."""
        return joint_costs_of_counts(self.moments.codes, self.moments.weight, sets)

    def checked_costs_of_all(self) -> Array:
        """Return 2 H(U) from cells that are split one after the other."""
        return all_costs_of_counts(self.moments.dense, self.moments.weight)

    @property
    def extents(self) -> IntArray:
        """Levels of each variable."""
        return self.moments.sizes
