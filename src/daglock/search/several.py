"""Parents of one node in several contexts at once: grow and shrink by sums of logarithms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel, part
from daglock.search.contexts import ContextSpec, ContextWork, context_row, make_context_work
from daglock.search.memo import IMPROVES, NOTHING, PARENT, worth
from daglock.search.parents import OUT, START
from daglock.search.spec import ALLOWED, COLLINEAR, REQUIRED
from daglock.typing import Array, IntArray


@part
def start_over(spec: ContextSpec, work: ContextWork, u: int) -> None:
    """Forget all parents of u, in every context."""
    first = spec.first[u]
    for c in range(spec.first[u + 1] - first):
        k = spec.of[first + c]
        row, variance, r, D = (
            context_row(spec, work, k, u),
            spec.variance[k],
            work.rs[c],
            work.Ds[c],
        )
        for i in range(r.shape[0]):
            r[i] = row[i]
            D[i] = variance[i]
        work.rss[c] = variance[u]


@part
def add_parent(spec: ContextSpec, work: ContextWork, u: int, p: int, m: int) -> None:
    """Make p the m-th parent in every context; where others determine it, it adds nothing."""
    first = spec.first[u]
    for c in range(spec.first[u + 1] - first):
        k = spec.of[first + c]
        V, r, D, row = work.Vs[c], work.rs[c], work.Ds[c], work.Vs[c, m]
        d, scale, source = r.shape[0], 0.0, context_row(spec, work, k, p)
        if D[p] > COLLINEAR * spec.variance[k, p]:
            scale = 1.0 / np.sqrt(D[p])
        for i in range(d):
            row[i] = source[i]
        for t in range(m):
            x, other = V[t, p], V[t]
            for i in range(d):
                row[i] -= x * other[i]
        gain = r[p] * scale
        for i in range(d):
            x = row[i] * scale
            row[i] = x
            r[i] -= gain * x
            D[i] -= x * x
        r[p] = 0.0
        D[p] = 0.0
        work.rss[c] = max(work.rss[c] - gain * gain, COLLINEAR * spec.variance[k, u])
    work.columns.P[m] = p


@part
def gain_in_contexts(spec: ContextSpec, work: ContextWork, u: int, i: int) -> float:
    """Return what i would lower the fit of u by."""
    first, gain = spec.first[u], 0.0
    for c in range(spec.first[u + 1] - first):
        k = spec.of[first + c]
        D = work.Ds[c, i]
        if COLLINEAR * spec.variance[k, i] < D:
            drop = work.rs[c, i] * work.rs[c, i] / D
            left = max(work.rss[c] - drop, COLLINEAR * spec.variance[k, u])
            gain += spec.share[first + c] * np.log(work.rss[c] / left)
    return gain


@part
def find_rises(spec: ContextSpec, work: ContextWork, u: int, m: int) -> None:
    """Fill in what dropping each parent of u would raise its fit by.

    Without a, RSS rises by ``b_a² / K_aa``, see `parents.shrink`. A parent that others determine
    has no row: dropping it costs nothing.
    """
    P, inverse, rise, first = work.columns.P, work.inverse, work.rise, spec.first[u]
    for a in range(m):
        rise[a] = 0.0
    for c in range(spec.first[u + 1] - first):
        V = work.Vs[c]
        for k in range(m):
            pivot = V[k, P[k]]
            inverse[k, k] = 1.0 / pivot if pivot > 0.0 else 0.0
            for t in range(k):
                s = 0.0
                for q in range(t, k):
                    s += V[q, P[k]] * inverse[q, t]
                inverse[k, t] = -s * inverse[k, k]
        for a in range(m):
            b, square = 0.0, 0.0
            for k in range(a, m):
                b += inverse[k, a] * V[k, u]
                square += inverse[k, a] * inverse[k, a]
            if square > 0.0:
                rise[a] += spec.share[first + c] * np.log1p(b * b / square / work.rss[c])


@part
def is_parent(P: IntArray, m: int, i: int) -> bool:
    """Whether i is among the first m of P."""
    there = False
    for t in range(m):
        there |= P[t] == i
    return there


@part
def settle_several(spec: ContextSpec, work: ContextWork, u: int, out: NDArray[np.uint8]) -> float:
    """Grow and shrink over the candidates that ``work.role`` names, in several contexts."""
    P, role, known = work.columns.P, work.role, spec.knowledge
    d, price = role.shape[0], spec.cost + spec.extra[u]
    m, n_fixed, passes = 0, 0, 0
    start_over(spec, work, u)
    for step in range(2):  # the required, then the start
        for i in range(d):
            required = known[i, u] & REQUIRED != 0
            if (step == 0 and required) or (
                step == 1 and role[i] == START and not required and m < spec.max_parents
            ):
                add_parent(spec, work, u, i, m)
                m += 1
        if step == 0:
            n_fixed = m
    while True:
        best, most = -1, price + IMPROVES
        if m < spec.max_parents:
            for i in range(d):
                if role[i] != OUT and not is_parent(P, m, i):
                    gain = gain_in_contexts(spec, work, u, i)
                    if gain > most:
                        best, most = i, gain + IMPROVES
        if best >= 0:
            add_parent(spec, work, u, best, m)
            m += 1
            continue
        find_rises(spec, work, u, m)
        weakest, least = -1, price - IMPROVES
        for a in range(n_fixed, m):
            if work.rise[a] < least:
                weakest, least = a, work.rise[a] - IMPROVES
        passes += 1
        if weakest < 0 or passes > 100:  # every removal lowers f_u; this guards against rounding
            break
        start_over(spec, work, u)
        left = 0
        for a in range(m):
            if a != weakest:
                add_parent(spec, work, u, P[a], left)
                left += 1
        m = left
    score, first = price * m, spec.first[u]
    for c in range(spec.first[u + 1] - first):
        score += spec.share[first + c] * np.log(work.rss[c])
    for i in range(d):
        out[i] = NOTHING
        may = i != u and known[i, u] & ALLOWED != 0 and not is_parent(P, m, i)
        gain = gain_in_contexts(spec, work, u, i) - price if may else 0.0
        if gain > IMPROVES:
            out[i] = worth(gain, spec.cost)
    for t in range(m):
        out[P[t]] = PARENT
    return float(score)


def context_gains(spec: ContextSpec, order: IntArray, parents: list[IntArray]) -> Array:
    """Return what one more predecessor would lower each node's score by, without its price k."""
    flat = np.concatenate([*parents, np.empty(0, dtype=np.intp)]).astype(np.intp)
    begins = np.concatenate([[0], np.cumsum([len(P) for P in parents])]).astype(np.intp)
    gains = np.empty(len(order))
    _largest_gains(spec, make_context_work(spec), np.argsort(order), flat, begins, gains)
    return gains


@kernel
def _largest_gains(
    spec: ContextSpec,
    work: ContextWork,
    position: IntArray,
    parents: IntArray,
    begins: IntArray,
    gains: Array,
) -> None:
    """Fill in `context_gains`; the parents of u are ``parents[begins[u]:begins[u + 1]]``."""
    for u in range(gains.shape[0]):
        start_over(spec, work, u)
        m = begins[u + 1] - begins[u]
        for t in range(m):
            add_parent(spec, work, u, parents[begins[u] + t], t)
        gains[u] = 0.0
        for i in range(gains.shape[0]):
            before = position[i] < position[u] and spec.knowledge[i, u] & ALLOWED != 0
            if before and m < spec.max_parents and not is_parent(work.columns.P, m, i):
                gains[u] = max(gains[u], gain_in_contexts(spec, work, u, i) - spec.extra[u])
