"""The exact optimum, by dynamic programming over subsets and by listing all DAGs.

Slow, and independent of the search. A set of variables is a bit mask.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from daglock.typing import Array, BoolArray, IntArray


def conditional_covariances(S: Array) -> Array:
    """Covariance given each set of variables, (2^d, d, d); zero for those in the set.

    Conditioning on one more variable: ``C − C_·i C_i· / C_ii``, for all sets at once.
    """
    d = S.shape[0]
    C = np.empty((1 << d, d, d))
    C[0] = S
    for i in range(d):
        given = C[: 1 << i]
        row = given[:, i]
        C[1 << i : 2 << i] = given - row[:, :, None] * row[:, None, :] / row[:, i, None, None]
        C[1 << i : 2 << i, i] = C[1 << i : 2 << i, :, i] = 0.0
    return C


def subset_rss(S: Array) -> Array:
    """RSS_j for every set of parents, (2^d, d); infinite where j itself is in the set."""
    d = S.shape[0]
    rss: Array = np.diagonal(conditional_covariances(S), axis1=1, axis2=2).copy()
    rss[members(d)] = np.inf
    return rss


def members(d: int) -> BoolArray:
    """Which variables are in each set, (2^d, d)."""
    return np.asarray((np.arange(1 << d)[:, None] >> np.arange(d)) % 2 == 1)


def best_subset_scores(S: Array, cost: float, inv_sigma2: float) -> Array:
    """Least f_j over all parents out of each set, (2^d, d): what the kernels minimise."""
    d = S.shape[0]
    rss, inside = subset_rss(S), members(d)
    fit = rss * inv_sigma2 if inv_sigma2 > 0.0 else np.log(rss)
    best = fit + cost * inside.sum(axis=1)[:, None]
    for i in range(d):
        with_i = np.flatnonzero(inside[:, i])
        best[with_i] = np.minimum(best[with_i], best[with_i ^ (1 << i)])
    return np.asarray(best)


def exact_score(S: Array, cost: float, noise: str) -> float:
    """Smallest score of any DAG.

    ``best[A, m]`` is the least sum of fits of the nodes in A, with m edges among them, over all
    DAGs on A; the last node of an order picks its parents from the others.
    """
    d = S.shape[0]
    most = d * (d - 1) // 2
    inside = members(d)
    size = inside.sum(axis=1)
    rss = subset_rss(S)
    # fit[A, m, j]: least fit of j with m parents out of A
    fit = np.full((1 << d, d, d), np.inf)
    smaller = size < d
    fit[smaller, size[smaller]] = (rss if noise == "equal" else np.log(rss))[smaller]
    for i in range(d):
        with_i = np.flatnonzero(inside[:, i])
        fit[with_i] = np.minimum(fit[with_i], fit[with_i ^ (1 << i)])
    best = np.full((1 << d, most + 1), np.inf)
    best[0, 0] = 0.0
    for s in range(1, d + 1):
        for j in range(d):
            sets = np.flatnonzero((size == s) & inside[:, j])
            rest = sets ^ (1 << j)
            for m in range(s):
                through = best[rest, : most + 1 - m] + fit[rest, m, j, None]
                best[sets, m:] = np.minimum(best[sets, m:], through)
    total = best[-1]
    value = d * np.log(total / d) if noise == "equal" else total
    return float(np.min(value + cost * np.arange(most + 1)))


def all_dags(d: int) -> IntArray:
    """Parent masks of every DAG on d nodes, (number, d)."""
    pairs = [(i, j) for i in range(d) for j in range(i)]
    graphs = []
    for directions in product((0, 1, 2), repeat=len(pairs)):
        parents = [0] * d
        for (i, j), direction in zip(pairs, directions, strict=True):
            if direction:
                head, tail = (i, j) if direction == 1 else (j, i)
                parents[head] |= 1 << tail
        left = (1 << d) - 1
        while True:  # take away whoever has no parents left
            sources = [v for v in range(d) if left >> v & 1 and not parents[v] & left]
            if not sources:
                break
            left &= ~sum(1 << v for v in sources)
        if not left:
            graphs.append(parents)
    return np.array(graphs)
