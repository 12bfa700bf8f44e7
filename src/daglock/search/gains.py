"""What one more parent would gain each node at the most."""

from __future__ import annotations

import numpy as np

from daglock.search.spec import ALLOWED, COLLINEAR, Spec
from daglock.typing import Array, IntArray

# So many nodes are worked on at once: enough for NumPy to be quick, few enough for the cache.
_AT_ONCE = 64


def largest_gains(spec: Spec, order: IntArray, parents: list[IntArray]) -> Array:
    """Return what one more predecessor would lower each node's score by at most, without its price.

    The criterion is that of ``spec``; parents that are not allowed are not looked at.
    """
    d = len(order)
    position = np.argsort(order)
    n_parents = np.array(list(map(len, parents)))
    drops, rss = np.empty(d), np.empty(d)
    by_number = np.argsort(n_parents, kind="stable")
    for first in range(0, d, _AT_ONCE):
        nodes = by_number[first : first + _AT_ONCE]
        r, D, rss[nodes] = _residuals(spec, nodes, [parents[u] for u in nodes])
        may = (spec.knowledge.T[nodes] & ALLOWED).astype(np.bool_)
        may &= position < position[nodes, None]
        may &= COLLINEAR * spec.variance < D
        may &= (n_parents[nodes] < spec.max_parents)[:, None]
        drops[nodes] = np.max(r * r / np.where(may, D, np.inf), axis=1)
    if spec.logarithmic:
        return -spec.weight * np.log(np.maximum(rss - drops, COLLINEAR * spec.variance) / rss)
    return drops * spec.weight


def _residuals(spec: Spec, nodes: IntArray, parents: list[IntArray]) -> tuple[Array, Array, Array]:
    """Return r and D of every variable, a row for each node, and RSS: `parents.push`, for many."""
    row = np.arange(len(nodes))
    r, D = spec.S[nodes], np.tile(spec.variance, (len(nodes), 1))
    rss, floor = spec.variance[nodes], COLLINEAR * spec.variance[nodes]
    V: list[Array] = []
    for t in range(max(map(len, parents))):
        p = np.array([P[t] if t < len(P) else -1 for P in parents])
        x = spec.S[p]
        for earlier in V:
            x -= earlier[row, p, None] * earlier
        own = D[row, p]
        pushed = (p >= 0) & (own > COLLINEAR * spec.variance[p])
        scale = np.sqrt(np.where(pushed, own, np.inf))  # of the others nothing is left
        x /= scale[:, None]
        c = r[row, p] / scale
        r -= c[:, None] * x
        D -= x * x
        rss = np.maximum(rss - c * c, floor)
        V.append(x)
    return r, D, rss
