"""What the paper's theory asks for: its stability threshold, and its assumptions at a graph.

Theorem 3.7 of the SPG-AHOC paper promises that its method finds the true graph W* if three
assumptions hold (section 3.1). With E the edges of W*, P_j the parents of j and S the covariance,
the Hessian of the least-squares loss is one block S for each column of W, so that they say

    Assumption 3.1, eq. 4, curvature      κ = min_j λ_min(S_PjPj) > 0
    Assumption 3.3, eq. 5, irrepresentable 1 − γ = max_j max_{i ∉ Pj} ‖S_iPj S_PjPj⁻¹‖₁ < 1
    Assumption 3.5, eq. 6, beta-min       min_E |w_ij| ≥ 4 λ/κ

where λ is the penalty. Entries of the diagonal are no variables, so i = j is left out. The paper
takes i over all other variables; a method that knew the order would need it for the predecessors
of j only, and that number is given beside it.

The third one allows every graph, for a λ that is small enough. But the proof (eq. 7, strict dual
feasibility) needs λ to be larger than the force ``|∂L/∂W_ij|`` on every absent edge. Both bounds
on λ are given: in the population no graph with an edge meets both (docs/theory.md, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.linalg

from daglock.dependence.determined import DETERMINED
from daglock.graph import parents_of
from daglock.moments import Moments
from daglock.typing import Array, BoolArray, IntArray

Pair: TypeAlias = tuple[str, str]
_BLOCK = 1 << 22  # cells of the covariance that are looked at at a time


@dataclass(frozen=True)
class Stability:
    """``‖∇L(0)‖_∞`` of the least-squares loss, and the two columns where it is reached."""

    raw: float  # on the scale of the data: the largest covariance of two columns, absolute
    raw_pair: Pair
    standardised: float  # on standardised columns: the largest correlation, absolute
    standardised_pair: Pair


def stability_threshold(moments: Moments) -> Stability:
    """Return the smallest λ of an L1 penalty for which W = 0 is a stationary point.

    ``L(W) = ½ tr((I−W)ᵀ S (I−W))`` has ``∇L(0) = −S``, and the diagonal of W is no variable: the
    threshold is the largest ``|S_ij|``, i ≠ j. The paper asks for a λ at least as large; its
    method, which starts at W = 0, then ends there (docs/theory.md, section 4).

    References
    ----------
    The SPG-AHOC paper, section 2.8, Proposition 2.15, with its proof in the appendix "Formal
    Derivation of Stability Condition".

    Examples
    --------
    >>> moments = Moments.from_covariance([[1.0, 0.5], [0.5, 4.0]], n=100, names=["dose", "weight"])
    >>> stability_threshold(moments)
    Stability(raw=0.5, raw_pair=('dose', 'weight'),
              standardised=0.25, standardised_pair=('dose', 'weight'))
    """
    names = moments.labels
    deviation = np.sqrt(np.diag(moments.cov))
    raw, i, j = _largest_pair(moments.cov, np.ones(moments.d))
    standardised, k, m = _largest_pair(moments.cov, deviation)
    return Stability(raw, (names[i], names[j]), min(standardised, 1.0), (names[k], names[m]))


def _largest_pair(S: Array, scale: Array) -> tuple[float, int, int]:
    """Largest ``|S_ij| / (scale_i scale_j)`` off the diagonal, and where, i < j."""
    d = len(S)
    best, at = -1.0, (0, 1)
    rows = max(1, _BLOCK // d)
    for first in range(0, d, rows):
        block = np.abs(S[first : first + rows])
        block /= scale[first : first + rows, None]
        block /= scale
        inside = np.arange(len(block))
        block[inside, first + inside] = -1.0
        i, j = divmod(int(block.argmax()), d)
        if block[i, j] > best:
            best, at = float(block[i, j]), (first + i, j)
    return best, min(at), max(at)


@dataclass(frozen=True)
class Assumptions:
    """The three assumptions at a graph with edges."""

    standardised: bool  # whether the numbers are for standardised columns
    kappa: float  # smallest curvature
    kappa_node: str  # the column whose parents have it
    independent: bool  # whether no parents of a column determine each other linearly
    gamma: float | None  # one minus the largest row sum; None where they do
    gamma_pair: Pair  # a column, and the one whose parents represent it best
    gamma_before: float | None  # the same over the columns that come before in the order
    weakest: float  # smallest absolute weight
    weakest_edge: Pair
    force: float  # largest pull of the loss on an absent edge
    force_edge: Pair

    @property
    def largest_lam(self) -> float:
        """The largest penalty λ that beta-min allows, κ · min|w| / 4."""
        return self.kappa * self.weakest / 4.0

    @property
    def curved(self) -> bool:
        """Whether κ > 0, up to rounding."""
        return self.independent and self.kappa > 0.0

    @property
    def irrepresentable(self) -> bool:
        """Whether γ > 0."""
        return self.gamma is not None and self.gamma > 0.0

    @property
    def feasible(self) -> bool:
        """Whether some λ is small enough for beta-min and large enough for the absent edges."""
        return self.force < self.largest_lam


def evaluate_assumptions(
    moments: Moments,
    source: IntArray,
    target: IntArray,
    weight: Array,
    order: IntArray,
    *,
    standardise: bool = False,
) -> Assumptions | None:
    """Evaluate the assumptions of the recovery theorem at a graph; None where it has no edge.

    The cost is ``d Σ_j |P_j|²``.

    Parameters
    ----------
    source, target, weight : the edges i -> j with the effect of i on j on the scale of the data;
        the graph may be cyclic.
    order : (d,) of the nodes; only ``gamma_before`` looks at it.
    standardise : evaluate them as if all columns had been standardised first.

    Examples
    --------
    >>> moments = Moments.from_covariance([[1.0, 0.5], [0.5, 2.0]], n=100, names=["a", "b"])
    >>> edge = np.array([0]), np.array([1]), np.array([0.5])
    >>> found = evaluate_assumptions(moments, *edge, order=np.array([0, 1]))
    >>> found.kappa, found.weakest, found.largest_lam, found.force, found.force_edge
    (1.0, 0.5, 0.125, 0.5, ('b', 'a'))
    """
    if not len(source):
        return None
    S = moments.cov
    if standardise:
        deviation = np.sqrt(np.diag(S))
        weight = weight * deviation[source] / deviation[target]
        S = moments.standardised().cov
    names, d = moments.labels, moments.d
    position = np.empty(d, dtype=np.intp)
    position[order] = np.arange(d)
    by_target = np.lexsort((source, target))
    weights = np.split(weight[by_target], np.searchsorted(target[by_target], np.arange(1, d)))
    kappa, independent = np.full(d, np.inf), True
    # for each node: the largest force on it, the largest row sum, and who has them
    force, row_sum, before = np.zeros((3, d))
    force_from, represented = np.zeros((2, d), dtype=np.intp)
    for j, P in enumerate(parents_of(source, target, d)):
        others = np.ones(d, dtype=np.bool_)
        others[P] = others[j] = False
        force[j], force_from[j] = _largest(S[j] - weights[j] @ S[P], others)
        if len(P):
            kappa[j] = scipy.linalg.eigvalsh(S[np.ix_(P, P)])[0]
            B = regress_all(S, P)
            if B is None:
                independent = False
                continue
            sums = np.abs(B).sum(axis=0)
            row_sum[j], represented[j] = _largest(sums, others)
            before[j], _ = _largest(sums, others & (position < position[j]))
    worst, pulled, least = int(row_sum.argmax()), int(force.argmax()), int(np.abs(weight).argmin())
    return Assumptions(
        standardised=standardise,
        kappa=max(float(kappa.min()), 0.0),
        kappa_node=names[int(kappa.argmin())],
        independent=independent,
        gamma=1.0 - float(row_sum.max()) if independent else None,
        gamma_pair=(names[represented[worst]], names[worst]),
        gamma_before=1.0 - float(before.max()) if independent else None,
        weakest=float(abs(weight[least])),
        weakest_edge=(names[source[least]], names[target[least]]),
        force=float(force.max()),
        force_edge=(names[force_from[pulled]], names[pulled]),
    )


def regress_all(S: Array, P: IntArray) -> Array | None:
    """Coefficients of all variables on P, ``S_PP⁻¹ S_P·``; None where P is linearly dependent."""
    deviation = np.sqrt(S[P, P])
    R = S[np.ix_(P, P)] / deviation[:, None] / deviation
    if scipy.linalg.eigvalsh(R)[0] <= DETERMINED:
        return None
    factor = scipy.linalg.cho_factor(R, lower=True)
    B = scipy.linalg.cho_solve(factor, S[P] / deviation[:, None])
    return np.asarray(B / deviation[:, None])


def _largest(values: Array, among: BoolArray) -> tuple[float, int]:
    """Largest absolute value among some, and where; 0 where there are none."""
    size = np.where(among, np.abs(values), -1.0)
    at = int(size.argmax())
    return max(float(size[at]), 0.0), at
