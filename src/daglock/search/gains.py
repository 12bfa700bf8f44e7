"""What one more parent would gain each node at the most."""

from __future__ import annotations

import numpy as np

from daglock._compiling import kernel
from daglock.search.parents import ALLOWED, COLLINEAR, Spec, Work, begin, make_work, push
from daglock.typing import Array, IntArray


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
