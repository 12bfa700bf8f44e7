"""The exact optimum by dynamic programming over subsets: slow, and independent of the search."""

from __future__ import annotations

import numpy as np

from daglock.typing import Array


def subset_rss(S: Array, j: int) -> Array:
    """RSS_j for every set of parents, by bit mask; infinite where j itself is in the set."""
    d = S.shape[0]
    rss = np.full(1 << d, np.inf)
    for mask in range(1 << d):
        if mask >> j & 1:
            continue
        P = [i for i in range(d) if mask >> i & 1]
        b = np.linalg.solve(S[np.ix_(P, P)], S[P, j]) if P else np.empty(0)
        rss[mask] = S[j, j] - S[j, P] @ b
    return rss


def exact_score(S: Array, cost: float, noise: str) -> float:
    """Smallest score of any DAG.

    ``best[A, m]`` is the least sum of fits of the nodes in A, with m edges among them, over all
    DAGs on A; the last node of an order picks its parents from the others.
    """
    d = S.shape[0]
    most = d * (d - 1) // 2
    size = np.array([bin(mask).count("1") for mask in range(1 << d)])
    # fit[j, A, m]: least fit of j with m parents out of A
    fit = np.full((d, 1 << d, d), np.inf)
    for j in range(d):
        rss = subset_rss(S, j)
        value = rss if noise == "equal" else np.log(rss)
        for mask in range(1 << d):
            if mask >> j & 1:
                continue
            fit[j, mask, size[mask]] = value[mask]
            for i in range(d):
                if mask >> i & 1:
                    np.minimum(fit[j, mask], fit[j, mask ^ (1 << i)], out=fit[j, mask])
    best = np.full((1 << d, most + 1), np.inf)
    best[0, 0] = 0.0
    for mask in range(1, 1 << d):
        for j in range(d):
            if mask >> j & 1:
                rest = mask ^ (1 << j)
                for m in range(size[rest] + 1):
                    shifted = best[rest, : most + 1 - m] + fit[j, rest, m]
                    np.minimum(best[mask, m:], shifted, out=best[mask, m:])
    total = best[-1]
    with np.errstate(divide="ignore"):
        value = d * np.log(total / d) if noise == "equal" else total
    return float(np.min(value + cost * np.arange(most + 1)))
