"""The best of all graphs, for few variables: dynamic programming over sets of variables.

Let f_j(P) be what node j costs with the parents P, b_j(U) = min f_j(P) over P ⊆ U, and V(U) the
least cost of a DAG on U. One of the nodes of U comes last in an order of them, so that

    b_j(U) = min(f_j(U), min_{k ∈ U} b_j(U∖k)),    V(U) = min_{j ∈ U} V(U∖j) + b_j(U∖j)

(Silander and Myllymäki, 2006). There are 2^d sets: for a dozen variables this takes milliseconds,
for twenty about a second, and nothing better is left. All is done in slices, so that the clock and
Ctrl-C are heard.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel
from daglock._pace import Pace
from daglock.search.all_sets import Sets
from daglock.ties import is_better
from daglock.typing import Array, IntArray

# Two sums of the same terms in another order differ by less. Of equals the one with fewer edges is
# taken, for an edge costs so many times that more, then the first.
ROUNDING = 1e-11
FEWER = 4.0
# Share of a sum of residual variances up to which a corner is the one that its own price leads to.
SETTLED = 1e-9
# Steps to that corner; any of them will do.
MAX_STEPS = 10


class Best(NamedTuple):
    """A graph: parents of every node, and an order that they respect."""

    order: IntArray
    parents: list[IntArray]


# A corner of the convex hull of all graphs: Σ RSS, number of edges, and the graph.
Corner: TypeAlias = tuple[float, int, Best]


class Tables(NamedTuple):
    """What the recursion leaves behind, for every set.

    Attributes
    ----------
    best : [U, j] b_j(U); infinite for j in U, and where what is known leaves no parents.
    value : [U] V(U); infinite where what is known leaves no DAG.
    sink : [U] last node of that DAG.
    """

    best: Array
    value: Array
    sink: NDArray[np.int8]


def make_tables(d: int, best: Array | None = None) -> Tables:
    """Allocate what `fill` fills in; ``best`` may be the array of the fits, which is then lost."""
    best = np.empty((1 << d, d)) if best is None else best
    return Tables(best, np.empty(1 << d), np.empty(1 << d, dtype=np.int8))


def fill(
    tables: Tables,
    sets: Sets,
    fit: Array,
    price: float,
    deadline: float = np.inf,
    slack: float = ROUNDING,
) -> None:
    """Run the recursion for Σ_j fit[P_j, j] + price·|E|; sums that differ by the slack are equal.

    Raises
    ------
    OutOfTimeError
    """
    price += FEWER * slack
    pace, begin = Pace(deadline), 0
    while begin < len(fit):
        end = min(begin + pace.width, len(fit))
        _fill(tables, sets, fit, price, slack, begin, end)
        begin = end
        pace.step()


@kernel
def _fill(
    tables: Tables, sets: Sets, fit: Array, price: float, slack: float, begin: int, end: int
) -> None:
    """Fill in the tables for some sets, in the order of their numbers: subsets come first.

    A node is no sink of a set with a member that must come after it. ``may`` of a node does not
    have the node itself, so that its own sets cost infinitely much.
    """
    best, value, sink = tables
    may, must, after, d = sets.may, sets.must, sets.after, fit.shape[1]
    for U in range(begin, end):
        m = sets.size[U]
        for j in range(d):
            out = m > sets.most or U & ~may[j] != 0 or must[j] & ~U != 0
            best[U, j] = np.inf if out else fit[U, j] + price * m
        value[U] = np.inf if U else 0.0
        sink[U] = 0
        for k in range(d):
            if not U >> k & 1:
                continue
            V = U & ~(1 << k)
            if not after[k] & V and value[V] + best[V, k] < value[U] - slack:
                value[U] = value[V] + best[V, k]
                sink[U] = k
            for j in range(d):  # for all nodes at once, those of U among them
                best[U, j] = min(best[U, j], best[V, j])
        for j in range(d):
            if U >> j & 1:
                best[U, j] = np.inf


def solve(
    sets: Sets,
    fit: Array,
    price: float,
    *,
    deadline: float = np.inf,
    slack: float = ROUNDING,
    tables: Tables | None = None,
) -> Best:
    """Return the DAG with the least Σ_j fit[P_j, j] + price·|E|.

    Parameters
    ----------
    slack : sums that differ by less are equal.
    tables : memory to use, for who solves more than once, or has no more need of the fits.

    Raises
    ------
    OutOfTimeError
    """
    d = fit.shape[1]
    tables = make_tables(d) if tables is None else tables
    fill(tables, sets, fit, price, deadline, slack)
    order = np.empty(d, dtype=np.intp)
    parents: list[IntArray] = [np.empty(0, dtype=np.intp)] * d
    U = (1 << d) - 1
    for q in range(d - 1, -1, -1):
        j = int(tables.sink[U])
        U &= ~(1 << j)
        order[q] = j
        parents[j] = _parents(tables.best[:, j], U, slack)
    return Best(order, parents)


def _parents(best: Array, U: int, slack: float) -> IntArray:
    """Return the parents behind b_j(U): what is left when no more can go without making it worse.

    Of sets that are equally good the one that the last variables are not in.
    """
    d, least = len(best).bit_length() - 1, best[U] + slack
    for k in range(d - 1, -1, -1):
        if U >> k & 1 and best[U & ~(1 << k)] <= least:
            U &= ~(1 << k)
    return np.flatnonzero(U >> np.arange(d) & 1)


def costs_to_turn(
    sets: Sets,
    fit: Array,
    price: float,
    source: IntArray,
    target: IntArray,
    *,
    deadline: float = np.inf,
) -> Array:
    """Return for edges i -> j by how much the best DAG is worse in which j comes before i.

    In such a DAG some set U that has j, and not i, comes first, then i, then the others: it costs
    V(U) + b_i(U) + W(U ∪ i), with W(U) what it costs to go on from U to all variables,

        W(U) = min_{i ∉ U} b_i(U) + W(U ∪ i),

    so that one pass over all sets has the least for every pair. The fits are used up.

    Raises
    ------
    OutOfTimeError
    """
    n_sets, d = fit.shape
    tables, pace, end = make_tables(d, fit), Pace(deadline), n_sets
    fill(tables, sets, fit, price, deadline)
    rest, least, most = np.empty(n_sets), np.full((d, d), np.inf), np.full(d, np.inf)
    while end > 0:
        begin = max(end - pace.width, 0)
        _turn(tables, sets.after, rest, least, most, begin, end)
        end = begin
        pace.step()
    return np.asarray(least[source, target] - tables.value[-1])


@kernel
def _turn(
    tables: Tables,
    after: NDArray[np.int64],
    rest: Array,
    least: Array,
    most: Array,
    begin: int,
    end: int,
) -> None:
    """Fill in W for some sets from the last on, and the least cost with j before i, [i, j].

    ``most[i]`` is the largest of these: what costs as much is the least of none.
    """
    best, value, d = tables.best, tables.value, len(after)
    for U in range(end - 1, begin - 1, -1):
        rest[U] = np.inf if best.shape[0] - 1 > U else 0.0
        for i in range(d):
            if U >> i & 1 or after[i] & U:
                continue
            onward = best[U, i] + rest[U | 1 << i]
            rest[U] = min(rest[U], onward)
            if value[U] + onward < most[i]:
                most[i] = -np.inf
                for j in range(d):
                    if U >> j & 1:
                        least[i, j] = min(least[i, j], value[U] + onward)
                    if j != i:
                        most[i] = max(most[i], least[i, j])


def best_unequal(sets: Sets, price: float, deadline: float = np.inf) -> Best:
    """Minimise Σ_j log RSS_j + k|E|."""
    fit = np.log(sets.rss)
    tables = make_tables(fit.shape[1], fit)
    return solve(sets, fit, price, deadline=deadline, tables=tables)


def best_equal(sets: Sets, price: float, deadline: float = np.inf) -> Best:
    """Minimise d·log(Σ_j RSS_j / d) + k|E|.

    A graph is a point (R, E), R = Σ_j RSS_j and E its number of edges. The score is concave, so
    its least value is at a corner of the points' convex hull: at the graph that minimises R + t·E
    for the price t = k·R/d. The higher the price, the larger is R. So where t is too low (too
    high) for the optimum, k·R/d at the corner of t is so too, and nearer: from both ends this leads
    to two corners with the optimum between them, as a rule the same. To find the corners between
    two, solve at the price that makes these two equal: the solution is another corner, or none is
    left. Two corners were found with a price each, and all points lie above the two lines that say
    so. No point between the corners has a better score than the crossing of the lines: where that
    is no better than what is known, there is no need to look.
    """
    d = sets.rss.shape[1]
    tables, nodes = make_tables(d), np.arange(d)
    slack = ROUNDING * float(sets.rss[0].mean())  # of what columns vary by, whatever their unit

    def corner(t: float) -> Corner:
        best = solve(sets, sets.rss, t, deadline=deadline, slack=slack, tables=tables)
        R = sum(sets.rss[int((1 << P).sum()), j] for j, P in enumerate(best.parents))
        return float(R), sum(map(len, best.parents)), best

    def score(R: float, E: float) -> float:
        return float(d * np.log(R / d) + price * E)

    def better(a: Corner, b: Corner) -> Corner:
        return b if is_better(score(*b[:2]), b[1], score(*a[:2]), a[1]) else a

    def settled(R: float) -> tuple[Corner, float]:
        for _ in range(MAX_STEPS):
            t = price * R / d
            found = corner(t)
            if abs(found[0] - R) <= SETTLED * R:
                break
            R = found[0]
        return found, t

    # R lies between that with all parents that may be and that with those that must be
    (first, t_first), (last, t_last) = (
        settled(float(sets.rss[P, nodes].sum())) for P in (sets.may, sets.must)
    )
    winner = better(first, last)
    pending = [(first, t_first, last, t_last)]
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
        if c[0] + t * c[1] >= a[0] + t * a[1] - d * slack:
            continue
        winner = better(winner, c)
        pending += [(a, t_a, c, t), (c, t, b, t_b)]
    return winner[2]
