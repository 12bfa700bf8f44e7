"""The best of all graphs, for few variables: dynamic programming over sets of variables.

Let f_j(P) be what node j costs with the parents P, b_j(U) = min f_j(P) over P ⊆ U, and V(U) the
least cost of a DAG on U. One of the nodes of U comes last in an order of them, so that

    b_j(U) = min(f_j(U), min_{k ∈ U} b_j(U∖k)),    V(U) = min_{j ∈ U} V(U∖j) + b_j(U∖j)

(Silander and Myllymäki, 2006). There are 2^d sets: for a dozen variables this takes milliseconds,
and nothing better is left.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel
from daglock.search.joint import all_extras
from daglock.search.parents import COLLINEAR
from daglock.search.set_costs import JointSpec, all_set_costs
from daglock.ties import is_better
from daglock.typing import Array, BoolArray, IntArray

# Two sums of the same terms in another order differ by less; of equals the one with fewer edges is
# taken, then the first.
ROUNDING = 1e-11
# exp of this is as much as a number holds
_MOST = 600.0


class Best(NamedTuple):
    """A graph: parents of every node, and an order that they respect."""

    order: IntArray
    parents: list[IntArray]


# A corner of the convex hull of all graphs: Σ RSS, number of edges, and the graph.
Corner: TypeAlias = tuple[float, int, Best]


class Sets(NamedTuple):
    """All that does not depend on the noise model.

    Attributes
    ----------
    rss : [U, j] residual variance of j given the set U, as the bits of a number; j not in U.
    fits : [U, j] whether knowledge and the number of rows allow U as the parents of j.
    size : [U] number of members.
    after : [j] the set of those that must come after j.
    """

    rss: Array
    fits: BoolArray
    size: NDArray[np.int64]
    after: NDArray[np.int64]


def make_sets(
    S: Array,
    most: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
) -> Sets:
    """Regress every variable on every set of others; masks are indexed [i, j] for i -> j."""
    d = len(S)
    deviation = np.sqrt(np.diag(S))
    rss = residuals(S / np.outer(deviation, deviation)) * np.diag(S)
    return Sets(rss, *_which_fit(d, most, allowed, required, before))


def make_context_sets(
    matrices: list[Array],
    contexts: list[list[tuple[int, float]]],
    extra: float,
    most: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
) -> Sets:
    """Regress every variable on every set of others in each of its contexts.

    ``rss[U, j]`` is the exponential of the sum of weighted logarithms, and of what coefficients in
    further contexts cost; see `daglock.search.contexts`.
    """
    d = len(contexts)
    fits, size, after = _which_fit(d, most, allowed, required, before)
    cost = extra * size[:, None] * np.array([len(own) - 1.0 for own in contexts])
    for k in sorted({k for own in contexts for k, _ in own}):
        variance = np.diag(matrices[k])
        deviation = np.sqrt(np.where(variance > 0.0, variance, 1.0))
        rss = residuals(matrices[k] / np.outer(deviation, deviation))
        for j, own in enumerate(contexts):
            for group, weight in own:
                if group == k:
                    cost[:, j] += weight * np.log(rss[:, j] * variance[j])
    return Sets(np.exp(np.minimum(cost, _MOST)), fits, size, after)


def make_joint_sets(
    spec: JointSpec,
    most: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
) -> Sets:
    """Work out what every variable costs with every set of others, where sets have costs.

    ``rss[U, j]`` is the exponential of c(U ∪ j) − c(U) and of what U costs beyond its edges.
    """
    d = len(spec.size)
    costs, every = all_set_costs(spec), np.arange(1 << d)
    fits, size, after = _which_fit(d, most, allowed, required, before)
    cost = all_extras(spec)
    for j in range(d):
        cost[:, j] += costs[every | 1 << j] - costs
    return Sets(np.exp(np.minimum(cost, _MOST)), fits, size, after)


def _which_fit(
    d: int,
    most: int,
    allowed: BoolArray | None,
    required: BoolArray | None,
    before: BoolArray | None,
) -> tuple[BoolArray, NDArray[np.int64], NDArray[np.int64]]:
    """Return what `Sets` has beside the residual variances."""
    bits = (np.arange(1 << d)[:, None] >> np.arange(d)) & 1 == 1
    size = bits.sum(axis=1)
    fits = ~bits & (size <= most)[:, None]
    if allowed is not None:
        fits &= ~(bits @ ~allowed)
    if required is not None:
        fits &= ~(~bits @ required)
    after = np.zeros(d, dtype=np.int64) if before is None else before @ (1 << np.arange(d))
    return fits, size, after


def residuals(R: Array) -> Array:
    """Return the residual variance of every variable given every set of variables, [U, j]."""
    d = len(R)
    found, left = np.empty((1 << d, d)), np.empty((d + 1, d, d))
    left[0] = R
    _sweep_out(left, found)
    return found


@kernel
def _sweep_out(left: Array, found: Array) -> None:
    """Fill in `residuals`: the diagonal of what is left when U is swept out of the correlation.

    A set comes from the one without its highest member by one sweep. ``left[m]`` is what the first
    m members of U leave; the next set has one member more, or else its last but one is the next.
    """
    d = found.shape[1]
    U, m, highest = 0, 0, -1
    while True:
        for j in range(d):
            found[U, j] = left[m, j, j] if left[m, j, j] > COLLINEAR else COLLINEAR
        if highest == d - 1:
            U ^= 1 << highest
            while highest >= 0 and not U >> highest & 1:
                highest -= 1
            if highest < 0:
                return
            U ^= 1 << highest
            m -= 2
        highest += 1
        U ^= 1 << highest
        before, now = left[m], left[m + 1]
        pivot = before[highest, highest]
        if pivot <= COLLINEAR:
            pivot = np.inf  # the others determine it: it says nothing new
        for i in range(d):
            share = before[i, highest] / pivot
            for j in range(d):
                now[i, j] = before[i, j] - share * before[highest, j]
        m += 1


def least(
    cost: Array, size: NDArray[np.int64], after: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sink of the best DAG on every set, and every b_j's P.

    ``cost[U, j]`` is f_j(U), infinite where U may not be; it is overwritten with b_j(U). A node is
    no sink of a set with a member that must come after it.
    """
    n_sets, d = cost.shape
    chosen = np.empty((n_sets, d), dtype=np.int64)
    n_edges, sink = np.zeros((2, n_sets), dtype=np.int64)
    _least(cost, size, after, chosen, np.zeros(n_sets), n_edges, sink)
    return sink, chosen


@kernel
def _least(
    cost: Array,
    size: NDArray[np.int64],
    after: NDArray[np.int64],
    chosen: NDArray[np.int64],
    value: Array,
    n_edges: NDArray[np.int64],
    sink: NDArray[np.int64],
) -> None:
    """Fill in `least`: V, how many edges its DAG has and its last node, for every set."""
    n_sets, d = cost.shape
    for U in range(n_sets):
        for j in range(d):
            chosen[U, j] = U
        for k in range(d):
            if U >> k & 1:
                V = U & ~(1 << k)
                for j in range(d):
                    slack = -ROUNDING
                    if size[chosen[V, j]] < size[chosen[U, j]]:
                        slack = ROUNDING
                    if cost[V, j] < cost[U, j] + slack:
                        cost[U, j] = cost[V, j]
                        chosen[U, j] = chosen[V, j]
        if U:
            value[U] = np.inf
            for j in range(d):
                V = U & ~(1 << j)
                if V != U and not after[j] & V:
                    edges = n_edges[V] + size[chosen[V, j]]
                    slack = ROUNDING if edges < n_edges[U] else -ROUNDING
                    if value[V] + cost[V, j] < value[U] + slack:
                        value[U] = value[V] + cost[V, j]
                        n_edges[U] = edges
                        sink[U] = j


def solve(sets: Sets, fit: Array, price: float) -> Best:
    """Return the DAG with the least Σ_j fit[P_j, j] + price·|E|."""
    d = fit.shape[1]
    cost = np.where(sets.fits, fit + price * sets.size[:, None], np.inf)
    sink, chosen = least(cost, sets.size, sets.after)
    order = np.empty(d, dtype=np.intp)
    parents: list[IntArray] = [np.empty(0, dtype=np.intp)] * d
    U = (1 << d) - 1
    for q in range(d - 1, -1, -1):
        j = int(sink[U])
        U &= ~(1 << j)
        order[q] = j
        parents[j] = np.flatnonzero(chosen[U, j] >> np.arange(d) & 1)
    return Best(order, parents)


@kernel
def _least_value(best: Array, after: NDArray[np.int64], value: Array) -> float:
    """Return V of all variables from the b_j(U) that `least` leaves; infinite without a DAG."""
    n_sets, d = best.shape
    value[0] = 0.0
    for U in range(1, n_sets):
        value[U] = np.inf
        for j in range(d):
            V = U & ~(1 << j)
            if V != U and not after[j] & V and value[V] + best[V, j] < value[U]:
                value[U] = value[V] + best[V, j]
    return float(value[n_sets - 1])


def costs_to_turn(
    sets: Sets, fit: Array, price: float, source: IntArray, target: IntArray
) -> Array:
    """Return for edges i -> j by how much the best DAG is worse in which j comes before i."""
    best = np.where(sets.fits, fit + price * sets.size[:, None], np.inf)
    least(best, sets.size, sets.after)
    value, costs = np.empty(len(best)), np.empty(len(source))
    at_best = _least_value(best, sets.after, value)
    for e, (i, j) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        after = sets.after.copy()
        after[j] |= 1 << i
        costs[e] = _least_value(best, after, value) - at_best
    return costs


def best_unequal(sets: Sets, price: float) -> Best:
    """Minimise Σ_j log RSS_j + k|E|."""
    return solve(sets, np.log(sets.rss), price)


def best_equal(sets: Sets, price: float) -> Best:
    """Minimise d·log(Σ_j RSS_j / d) + k|E|.

    A graph is a point (R, E), R = Σ_j RSS_j and E its number of edges. The score is concave, so
    its least value is at a corner of the points' convex hull: at the graph that minimises R + t·E
    for some price t. To find the corners between two, solve at the price that makes these two
    equal: the solution is another corner, or none is left. Two corners were found with a price
    each, and all points lie above the two lines that say so. No point between the corners has a
    better score than the crossing of the lines: where that is no better than what is known, there
    is no need to look.
    """
    d = sets.rss.shape[1]

    def corner(t: float) -> Corner:
        best = solve(sets, sets.rss, t)
        R = sum(sets.rss[int((1 << P).sum()), j] for j, P in enumerate(best.parents))
        return float(R), sum(map(len, best.parents)), best

    def score(R: float, E: float) -> float:
        return float(d * np.log(R / d) + price * E)

    def better(a: Corner, b: Corner) -> Corner:
        return b if is_better(score(*b[:2]), b[1], score(*a[:2]), a[1]) else a

    # The price at the optimum is k·R/d, and R lies between that of all edges and that of none.
    low, high = corner(0.0), corner(2.0 * sets.rss[0].sum())
    ends = price * low[0] / d, price * high[0] / d
    first, last = corner(ends[0]), corner(ends[1])
    winner = better(first, last)
    pending = [(first, ends[0], last, ends[1])]
    while pending:
        a, t_a, b, t_b = pending.pop()
        if a[1] <= b[1]:
            continue
        # Where R + t_a E = R_a + t_a E_a and R + t_b E = R_b + t_b E_b cross.
        v_a, v_b = a[0] + t_a * a[1], b[0] + t_b * b[1]
        E = (v_b - v_a) / (t_b - t_a) if t_b > t_a else float(b[1])
        R = v_a - t_a * E
        if R > 0.0 and score(R, E) >= score(*winner[:2]) - ROUNDING:
            continue
        t = (b[0] - a[0]) / (a[1] - b[1])
        c = corner(t)
        if c[0] + t * c[1] >= a[0] + t * a[1] - ROUNDING * max(1.0, a[0]):
            continue
        winner = better(winner, c)
        pending += [(a, t_a, c, t), (c, t, b, t_b)]
    return winner[2]
