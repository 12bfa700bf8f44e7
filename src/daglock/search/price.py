"""The price of an edge, lowered where a graph leaves more unexplained than chance does.

`default_gamma` makes an edge so dear that a false one is an exception. Where effects are strong
that costs nothing; with few rows or weak effects true edges are missed. But missed edges leave a
trace: for too many nodes there is a predecessor that would explain more than chance alone lets
any. At a lower price k, as many nodes as have such a predecessor gain an edge at the least, and
chance accounts for at most d(d−1)/2 · P(gain > k) of them. The price goes to where the first number
exceeds a multiple of the second by most, and stays where it was if that is not much.
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc, fdtrc

from daglock._compiling import kernel
from daglock.search.parents import ALLOWED, COLLINEAR, Spec, Work, begin, make_work, push
from daglock.search.score import edge_cost
from daglock.typing import Array, IntArray

# Of the nodes that gain an edge at the lower price, chance may account for at most this share.
BY_CHANCE = 0.25
# So many more than that must gain one.
LEAST = 2.0
# Steps in which γ is lowered.
STEP = 0.05


def lowered_gamma(gains: Array, n_edges: int, n: int, gamma: float, noise: str) -> float:
    """Return the γ that the gains speak for: the given one, or a lower one.

    Parameters
    ----------
    gains : (d,) what one more parent would lower each node's score by at most, without its price.
    n_edges : edges of the graph.
    n : rows.
    gamma : γ of the price at which the graph was found.
    noise : "equal" or "unequal".

    Examples
    --------
    >>> lowered_gamma(np.full(20, 0.001), 20, 1000, gamma=0.8, noise="equal")
    0.8
    >>> lowered_gamma(np.full(20, 0.015), 20, 1000, gamma=0.8, noise="equal") < 0.8
    True
    """
    d = len(gains)
    gammas = np.append(np.arange(gamma, 0.0, -STEP), 0.0)
    prices = np.array([edge_cost(n, d, g) for g in gammas])
    gaining = np.count_nonzero(gains[:, None] > prices, axis=0)
    excess = gaining - _by_chance(prices, n_edges, n, d, noise) / BY_CHANCE
    best = int(excess.argmax())
    return float(gammas[best]) if excess[best] >= LEAST else gamma


def _by_chance(prices: Array, n_edges: int, n: int, d: int, noise: str) -> Array:
    """Return the expected number of pairs whose gain exceeds a price where no edge is missing.

    Under equal variances n·gain is χ² with one degree of freedom, the variance being known from
    all nodes together. Else a gain is −log(1 − R²), and R²/(1 − R²) times the degrees of freedom
    that a regression leaves has an F distribution.
    """
    if noise == "equal":
        tail = chdtrc(1.0, n * prices)
    else:
        left = max(n - 2.0 - n_edges / d, 1.0)
        tail = fdtrc(1.0, left, left * np.expm1(prices))
    return np.asarray(d * (d - 1) / 2 * tail)


def largest_gains(spec: Spec, order: IntArray, parents: list[IntArray]) -> Array:
    """Return what one more predecessor would lower each node's score by at most, without its price.

    The criterion is that of ``spec``; parents that are not allowed are not looked at.
    """
    position = np.empty(len(order), dtype=np.intp)
    position[order] = np.arange(len(order))
    ends = np.cumsum([len(P) for P in parents])
    drops, rss = np.zeros(len(order)), np.empty(len(order))
    work = make_work(len(order), max(1, *(len(P) for P in parents)))
    _largest_drops(spec, work, position, np.concatenate(parents), ends, drops, rss)
    if spec.logarithmic:
        return -spec.weight * np.log(np.maximum(rss - drops, COLLINEAR * spec.variance) / rss)
    return drops * spec.weight


@kernel
def _largest_drops(
    spec: Spec,
    work: Work,
    position: IntArray,
    parents: IntArray,
    ends: IntArray,
    drops: Array,
    rss: Array,
) -> None:
    """RSS_u, and by how much one more predecessor lowers it at most, for every node."""
    r, D, variance = work.r, work.D, spec.variance
    first = 0
    for u in range(position.shape[0]):
        rss[u] = begin(spec, work, u)
        m = 0
        full = ends[u] - first >= spec.max_parents
        for a in range(first, ends[u]):
            p = parents[a]
            if D[p] > COLLINEAR * variance[p]:
                rss[u] = max(rss[u] - push(spec, work, p, m), COLLINEAR * variance[u])
                m += 1
        first = ends[u]
        for i in range(position.shape[0]):
            may = position[i] < position[u] and spec.knowledge[i, u] & ALLOWED
            if may and not full and D[i] > COLLINEAR * variance[i]:
                drops[u] = max(drops[u], r[i] * r[i] / D[i])
