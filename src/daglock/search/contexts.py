"""Parents of one node where it is regressed in one context, or in several, each of its own.

A context is a covariance of some of the rows: those that tell of one mechanism of the node. With
contexts c, covariances S_c and weights w_c, the share of all rows that each has,

    f_u(P) = Σ_c w_c · log RSS_u(P; S_c) + (k + e_u)·|P|:

parents are those of all contexts, coefficients and variances are not, and what further
coefficients cost beyond the price k of an edge is e_u. A node with one context is
what `daglock.search.parents` makes it, on a covariance of its own. For several, grow and shrink
are written out here: what a parent gains is a sum of logarithms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel, part
from daglock.search.memo import IMPROVES, NOTHING, PARENT, PAYS
from daglock.search.parents import (
    ALLOWED,
    COLLINEAR,
    OUT,
    REQUIRED,
    START,
    Spec,
    Work,
    conditional_variances,
    knowledge_flags,
    make_work,
    read_only,
)
from daglock.search.regression import residual_variance
from daglock.typing import Array, BoolArray, IntArray


class ContextSpec(NamedTuple):
    """What the search minimises, and over what: never changed by a kernel."""

    S: Array  # (K, d, d) covariances; the first is that of all rows
    variance: Array  # (K, d) their diagonals
    first: IntArray  # (d + 1,) where the contexts of each node begin
    of: IntArray  # (C,) covariance of each context
    share: Array  # (C,) weight of each context
    weight: Array  # (d,) that of the first context of each node
    least: Array  # no choice of parents gives node u a score below least[u]
    cost: float  # k, the price of one edge
    extra: Array  # (d,) what an edge into each node costs beyond that
    max_parents: int
    knowledge: NDArray[np.uint8]  # [i, j]: flags of i -> j, as in `Spec`


class ContextWork(NamedTuple):
    """Scratch arrays of one thread."""

    columns: Work  # of a node with one context
    V: Array  # (contexts, max_parents, d) one row per parent, as in `Work`
    r: Array  # (contexts, d)
    D: Array  # (contexts, d)
    rss: Array  # (contexts,)
    inverse: Array  # (max_parents, max_parents)
    rise: Array  # (d,) what dropping each parent costs
    role: NDArray[np.uint8]
    own: NDArray[np.uint8]


def make_context_spec(
    matrices: Array,
    contexts: list[list[tuple[int, float]]],
    cost: float,
    extra: float = 0.0,
    *,
    max_parents: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    bounded: bool = True,
) -> ContextSpec:
    """Gather the settings of a search in the form that the kernels take.

    Parameters
    ----------
    matrices : (K, d, d), the first that of all rows.
    contexts : for each node, the number of a matrix and the weight of each of its contexts.
    cost : price k of one edge.
    extra : what it costs beyond that in each further context.
    max_parents : of one node.
    allowed, required, before : what is known, [i, j] for i -> j.
    bounded : whether to work out ``least``.
    """
    S = read_only(matrices)
    d = S.shape[1]
    variance = np.ascontiguousarray(np.diagonal(S, axis1=1, axis2=2))
    sizes = [len(own) for own in contexts]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    of = np.array([k for own in contexts for k, _ in own], dtype=np.intp)
    share = np.array([weight for own in contexts for _, weight in own])
    return ContextSpec(
        S,
        read_only(variance),
        first,
        of,
        share,
        share[first[:-1]],
        _least(S, contexts) if bounded else np.full(d, -np.inf),
        float(cost),
        extra * (np.array(sizes) - 1.0),
        int(max_parents),
        knowledge_flags(d, allowed, required, before),
    )


def _least(S: Array, contexts: list[list[tuple[int, float]]]) -> Array:
    """Return what each node costs with all others as parents, without their price."""
    given: dict[int, Array] = {}
    least = np.zeros(len(contexts))
    for u, own in enumerate(contexts):
        for k, weight in own:
            if k not in given:
                floor = COLLINEAR * np.diagonal(S[k])
                given[k] = np.maximum(conditional_variances(S[k]), floor)
            least[u] += weight * np.log(given[k][u])
    return least


def make_context_work(spec: ContextSpec) -> ContextWork:
    """Allocate the scratch arrays of one thread."""
    d, m = len(spec.weight), spec.max_parents
    several = int(np.diff(spec.first).max())
    columns = make_work(d, m)
    return ContextWork(
        columns,
        np.empty((several, m, d)),
        np.empty((several, d)),
        np.empty((several, d)),
        np.empty(several),
        np.empty((m, m)),
        np.empty(d),
        columns.role,
        columns.own,
    )


@part
def columns_of(spec: ContextSpec, u: int) -> Spec:
    """Return what a node with one context asks for."""
    k = spec.of[spec.first[u]]
    return Spec(
        spec.S[k],
        spec.variance[k],
        spec.least,
        spec.weight,
        True,
        spec.cost,
        spec.max_parents,
        spec.knowledge,
    )


@part
def start_over(spec: ContextSpec, work: ContextWork, u: int) -> None:
    """Forget all parents of u, in every context."""
    first = spec.first[u]
    for c in range(spec.first[u + 1] - first):
        k = spec.of[first + c]
        row, variance, r, D = spec.S[k, u], spec.variance[k], work.r[c], work.D[c]
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
        V, r, D, row, source = work.V[c], work.r[c], work.D[c], work.V[c, m], spec.S[k, p]
        d, scale = r.shape[0], 0.0
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
        D = work.D[c, i]
        if D > COLLINEAR * spec.variance[k, i]:
            drop = work.r[c, i] * work.r[c, i] / D
            left = max(work.rss[c] - drop, COLLINEAR * spec.variance[k, u])
            gain += spec.share[first + c] * np.log(work.rss[c] / left)
    return gain


@part
def rises(spec: ContextSpec, work: ContextWork, u: int, m: int) -> None:
    """Fill in what dropping each parent of u would raise its fit by.

    Without a, RSS rises by ``b_a² / K_aa``, see `parents.shrink`.
    """
    P, inverse, rise, first = work.columns.P, work.inverse, work.rise, spec.first[u]
    for a in range(m):
        rise[a] = 0.0
    for c in range(spec.first[u + 1] - first):
        V = work.V[c]
        for k in range(m):
            pivot = V[k, P[k]]
            # a parent that others determine has no row: dropping it costs nothing here
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
def settle_several(spec: ContextSpec, work: ContextWork, u: int, out: NDArray[np.uint8]) -> float:
    """Grow and shrink over the candidates that ``work.role`` names, in several contexts."""
    P, role, known = work.columns.P, work.role, spec.knowledge
    d, price = role.shape[0], spec.cost + spec.extra[u]
    m, n_fixed = 0, 0
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
    passes = 0
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
        rises(spec, work, u, m)
        weakest, least = -1, price - IMPROVES
        for a in range(n_fixed, m):
            if work.rise[a] < least:
                weakest, least = a, work.rise[a] - IMPROVES
        passes += 1
        if weakest < 0 or passes > 100:
            break
        start_over(spec, work, u)
        left = 0
        for a in range(m):
            p = P[a]
            if a != weakest:
                add_parent(spec, work, u, p, left)
                left += 1
        m = left
    score, first = price * m, spec.first[u]
    for c in range(spec.first[u + 1] - first):
        score += spec.share[first + c] * np.log(work.rss[c])
    for i in range(d):
        out[i] = NOTHING
        if i != u and known[i, u] & ALLOWED != 0 and not is_parent(P, m, i):
            if gain_in_contexts(spec, work, u, i) > price + IMPROVES:
                out[i] = PAYS
    for t in range(m):
        out[P[t]] = PARENT
    return float(score)


@part
def is_parent(P: IntArray, m: int, i: int) -> bool:
    """Whether i is among the first m of P."""
    for t in range(m):
        if P[t] == i:
            return True
    return False


def context_residuals(spec: ContextSpec, parents: list[IntArray]) -> list[Array]:
    """Return the residual variance of every node in each of its contexts, solved afresh."""
    return [
        np.array([residual_variance(spec.S[k], P, u) for k in own_of(spec, u)])
        for u, P in enumerate(parents)
    ]


def own_of(spec: ContextSpec, u: int) -> list[int]:
    """Return the covariances of the contexts of a node."""
    return [int(k) for k in spec.of[spec.first[u] : spec.first[u + 1]]]


def context_scores(spec: ContextSpec, parents: list[IntArray]) -> Array:
    """Return f_u of every node with these parents."""
    sizes = np.array([len(P) for P in parents])
    return np.asarray(context_fits(spec, parents) + (spec.cost + spec.extra) * sizes)


def context_fits(spec: ContextSpec, parents: list[IntArray]) -> Array:
    """Return ``Σ_c w_c log RSS_c`` of every node."""
    shares = np.split(spec.share, spec.first[1:-1])
    left = context_residuals(spec, parents)
    return np.array([w @ np.log(rss) for w, rss in zip(shares, left, strict=True)])


def context_gains(spec: ContextSpec, order: IntArray, parents: list[IntArray]) -> Array:
    """Return what one more predecessor would lower each node's score by, without its price k."""
    d = len(order)
    flat = np.concatenate([*parents, np.empty(0, dtype=np.intp)]).astype(np.intp)
    begins = np.concatenate([[0], np.cumsum([len(P) for P in parents])]).astype(np.intp)
    gains = np.empty(d)
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
    P = work.columns.P
    for u in range(gains.shape[0]):
        start_over(spec, work, u)
        m = begins[u + 1] - begins[u]
        for t in range(m):
            add_parent(spec, work, u, parents[begins[u] + t], t)
        gains[u] = 0.0
        for i in range(gains.shape[0]):
            before = position[i] < position[u] and spec.knowledge[i, u] & ALLOWED != 0
            if before and m < spec.max_parents and not is_parent(P, m, i):
                gains[u] = max(gains[u], gain_in_contexts(spec, work, u, i) - spec.extra[u])
