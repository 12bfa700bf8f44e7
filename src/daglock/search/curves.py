"""Parents of one node where effects are curves: a regression on smooth functions of each parent.

Node ``u`` with the parents ``P`` costs

    f_u(P) = log RSS_u(P) + (log|A_PP| − log|R_PP| + b·|P|) / n + k·|P|.

A is the correlation of all functions of all variables, with a ridge on its diagonal, and
``RSS_u(P) = 1 − A_uP A_PP⁻¹ A_Pu`` for the column of u itself, R the correlation of the columns,
and b = −Σ log ridge over the functions of a variable besides itself. What is divided by n is what
bends cost: of functions that are uncorrelated ``Σ log(1 + 1/ridge)``. It is −2 log of the
likelihood, per row and up to a constant, with coefficients integrated over their prior, except that
a line costs the price k of an edge (docs/theory.md).

As parents are added V gets rows: ``V = L⁻¹ A_P·`` for the Cholesky factor L of A_PP. What they
leave of the covariance with u, of each block of functions, and of each column given the columns of
the parents is kept up, so that a candidate costs one factorisation of its own block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel, part
from daglock.search.memo import IMPROVES, NOTHING, PARENT, worth
from daglock.search.parents import OUT, START
from daglock.search.spec import (
    ALLOWED,
    COLLINEAR,
    MAX_INVERSE,
    REQUIRED,
    knowledge_flags,
    read_only,
)
from daglock.typing import Array, BoolArray, IntArray


class CurveSpec(NamedTuple):
    """What the search minimises, and over what: never changed by a kernel."""

    A: Array  # (D, D) correlation of all functions, with the ridge
    width: int  # K, functions of a variable: D = d · K
    n: float  # rows
    bend: float  # b
    least: Array  # no choice of parents gives node u a score below least[u]
    reach: float  # as in `Spec`
    cost: float  # k, the price of one edge
    max_parents: int
    knowledge: NDArray[np.uint8]  # [i, j]: flags of i -> j, as in `Spec`


class CurveWork(NamedTuple):
    """Scratch arrays of one thread."""

    role: NDArray[np.uint8]  # (d,) OUT, CANDIDATE or START
    inside: BoolArray  # (d,) the parents
    P: IntArray  # (d,) the parents, in the order in which they were added
    V: Array  # (max_parents · K, D)
    r: Array  # (D,) what is left of the covariance with u
    G: Array  # (D, K) what is left of the covariance of each block
    U: Array  # (max_parents, d) as V, of the columns alone
    left: Array  # (d,) what the columns of the parents leave of each
    y: Array  # (max_parents · K,) L⁻¹ A_Pu
    L: Array  # (K, K) factor of the block of one variable, with an inverted diagonal
    z: Array  # (K,) and what it makes of the covariance with u
    inverse: Array  # (max_parents · K, max_parents · K) of the factor of A_PP
    plain: Array  # (max_parents, max_parents) of the factor of R_PP


def make_curve_spec(
    A: Array,
    width: int,
    n: float,
    bend: float,
    cost: float,
    *,
    max_parents: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    bounded: bool = True,
) -> CurveSpec:
    """Gather the settings of a search in the form that the kernels take.

    Without ``bounded`` there is no ``least`` worth speaking of, and no matrix to invert for it.
    """
    d = len(A) // width
    least = np.full(d, np.log(COLLINEAR))
    if bounded and d <= MAX_INVERSE:
        precision = np.linalg.inv(A + COLLINEAR * np.eye(len(A)))
        for u in range(d):
            own = slice(u * width, (u + 1) * width)
            least[u] = np.log(max(np.linalg.inv(precision[own, own])[0, 0], COLLINEAR)) - IMPROVES
    return CurveSpec(
        read_only(A),
        int(width),
        float(n),
        float(bend),
        least,
        np.inf,
        float(cost),
        int(max_parents),
        knowledge_flags(d, allowed, required, before),
    )


def make_curve_work(spec: CurveSpec) -> CurveWork:
    """Allocate the scratch arrays of one thread."""
    D, K, most = len(spec.A), spec.width, max(spec.max_parents, 1)
    d = D // K
    return CurveWork(
        np.zeros(d, dtype=np.uint8),
        np.zeros(d, dtype=np.bool_),
        np.zeros(d, dtype=np.intp),
        np.empty((most * K, D)),
        np.empty(D),
        np.empty((D, K)),
        np.empty((most, d)),
        np.empty(d),
        np.empty(most * K),
        np.empty((K, K)),
        np.empty(K),
        np.empty((most * K, most * K)),
        np.empty((most, most)),
    )


@part
def clear(spec: CurveSpec, work: CurveWork, u: int) -> None:
    """Begin with no parents."""
    A, K, d = spec.A, spec.width, work.left.shape[0]
    for i in range(d):
        work.left[i] = 1.0
        work.inside[i] = False
        for a in range(K):
            c = i * K + a
            work.r[c] = A[u * K, c]
            for b in range(K):
                work.G[c, b] = A[c, i * K + b]


@part
def push(spec: CurveSpec, work: CurveWork, p: int, m: int) -> tuple[float, float]:
    """Make p the parent after the first m; return what that takes off RSS, and n times its bends.

    A column that those before it determine has no part in it.
    """
    A, V, r, G, K, D = spec.A, work.V, work.r, work.G, spec.width, spec.A.shape[0]
    d = work.left.shape[0]
    drop, log = 0.0, spec.bend
    for k in range(K):
        t, c = m * K + k, p * K + k
        row = V[t]
        for x in range(D):
            row[x] = A[c, x]
        for s in range(t):
            share, before = V[s, c], V[s]
            if share != 0.0:
                for x in range(D):
                    row[x] -= share * before[x]
        pivot = row[c]
        work.y[t] = 0.0
        if pivot <= COLLINEAR:
            log += np.log(COLLINEAR)
            for x in range(D):
                row[x] = 0.0
            continue
        log += np.log(pivot)
        scale = 1.0 / np.sqrt(pivot)
        for x in range(D):
            row[x] *= scale
        gain = r[c] * scale
        work.y[t] = gain
        drop += gain * gain
        for x in range(D):
            r[x] -= gain * row[x]
        for i in range(d):
            first = i * K
            for a in range(K):
                share = row[first + a]
                for b in range(K):
                    G[first + a, b] -= share * row[first + b]
    plain, left = work.U[m], work.left
    for i in range(d):
        plain[i] = A[p * K, i * K]
    for s in range(m):
        share = work.U[s, p]
        for i in range(d):
            plain[i] -= share * work.U[s, i]
    pivot = plain[p]
    log -= np.log(max(pivot, COLLINEAR))
    scale = 1.0 / np.sqrt(pivot) if pivot > COLLINEAR else 0.0
    for i in range(d):
        plain[i] *= scale
        left[i] -= plain[i] * plain[i]
    work.inside[p] = True
    work.P[m] = p
    return drop, log


@part
def solve_block(work: CurveWork, block: Array, r: Array) -> tuple[float, float]:
    """Return ``rᵀ B⁻¹ r`` and |B| of a block of functions."""
    K, L, z = r.shape[0], work.L, work.z
    total, product = 0.0, 1.0
    for k in range(K):
        pivot, x = block[k, k], r[k]
        for t in range(k):
            y = block[k, t]
            for s in range(t):
                y -= L[k, s] * L[t, s]
            y *= L[t, t]
            L[k, t] = y
            pivot -= y * y
            x -= y * z[t]
        if pivot > COLLINEAR:
            product *= pivot
            L[k, k] = 1.0 / np.sqrt(pivot)
        else:
            product *= COLLINEAR
            L[k, k] = 0.0
        z[k] = x * L[k, k]
        total += z[k] * z[k]
    return total, product


@part
def score_with(spec: CurveSpec, work: CurveWork, i: int, rss: float, logs: float) -> float:
    """Return what a node costs with one parent more, without the price of edges."""
    first, last = i * spec.width, (i + 1) * spec.width
    drop, product = solve_block(work, work.G[first:last], work.r[first:last])
    logs += spec.bend + np.log(product / max(work.left[i], COLLINEAR))
    return float(np.log(max(rss - drop, COLLINEAR)) + logs / spec.n)


@part
def invert(factor: Array, inverse: Array, P: IntArray, m: int, K: int) -> None:
    """Invert the Cholesky factor of m blocks of K, which V has as its columns."""
    for t in range(m * K):
        c = P[t // K] * K + t % K
        own = factor[t, c]
        scale = 1.0 / own if own > 0.0 else 0.0
        for s in range(t):
            x = 0.0
            for q in range(s, t):
                x -= factor[q, c] * inverse[q, s]
            inverse[t, s] = x * scale
        inverse[t, t] = scale


@part
def score_without(
    spec: CurveSpec, work: CurveWork, e: int, m: int, rss: float, logs: float
) -> float:
    """Return what a node costs without the e-th of m parents, and without the price of edges.

    By the inverse of A_PP: what a block adds to RSS is ``bᵀ B⁻¹ b``, and |B| is what the
    determinant loses, for the block B of the inverse and the coefficients b. G and r of that
    parent are what is written over; of no use to a parent.
    """
    K, inverse = spec.width, work.inverse
    first = work.P[e] * K
    block, slope = work.G[first : first + K], work.r[first : first + K]
    for a in range(K):
        slope[a] = 0.0
        for t in range(e * K + a, m * K):
            slope[a] += inverse[t, e * K + a] * work.y[t]
        for b in range(a + 1):
            x = 0.0
            for t in range(e * K + a, m * K):
                x += inverse[t, e * K + a] * inverse[t, e * K + b]
            block[a, b] = x
    rise, product = solve_block(work, block, slope)
    alone = 0.0
    for t in range(e, m):
        alone += work.plain[t, e] * work.plain[t, e]
    logs += np.log(product / max(alone, COLLINEAR)) - spec.bend
    return float(np.log(rss + rise) + logs / spec.n)


@part
def settle_curves(spec: CurveSpec, work: CurveWork, u: int, out: NDArray[np.uint8]) -> float:
    """Grow and shrink over the candidates that ``work.role`` names, from those that it starts with.

    Returns f_u; ``out`` gets what every variable is to u.
    """
    role, inside, known, P = work.role, work.inside, spec.knowledge, work.P
    d, m, rss, logs = role.shape[0], 0, 1.0, 0.0
    clear(spec, work, u)
    for step in range(2):  # the required, then the start
        for i in range(d):
            if i == u or inside[i]:
                continue
            required = known[i, u] & REQUIRED != 0
            if (step == 0 and required) or (
                step == 1 and role[i] == START and m < spec.max_parents
            ):
                drop, log = push(spec, work, i, m)
                m, rss, logs = m + 1, rss - drop, logs + log
    best = np.log(max(rss, COLLINEAR)) + logs / spec.n + spec.cost * m
    while True:
        found, least = -1, best - IMPROVES
        if m < spec.max_parents:
            for i in range(d):
                if role[i] != OUT and not inside[i] and i != u:
                    score = score_with(spec, work, i, rss, logs) + spec.cost * (m + 1)
                    if score < least:
                        found, least = i, score - IMPROVES
        if found >= 0:
            drop, log = push(spec, work, found, m)
            m, rss, logs = m + 1, rss - drop, logs + log
            best = np.log(max(rss, COLLINEAR)) + logs / spec.n + spec.cost * m
            continue
        invert(work.V, work.inverse, P, m, spec.width)
        invert(work.U, work.plain, P, m, 1)
        for e in range(m):
            if known[P[e], u] & REQUIRED == 0:
                score = score_without(spec, work, e, m, rss, logs) + spec.cost * (m - 1)
                if score < least:
                    found, least = e, score - IMPROVES
        if found < 0:
            break
        size, m, rss, logs = m, 0, 1.0, 0.0
        clear(spec, work, u)
        for e in range(size):  # P is written over from the left
            if e != found:
                drop, log = push(spec, work, P[e], m)
                m, rss, logs = m + 1, rss - drop, logs + log
        before = best
        best = np.log(max(rss, COLLINEAR)) + logs / spec.n + spec.cost * m
        if best >= before:  # rounding
            break
    for i in range(d):
        out[i] = NOTHING
        if inside[i]:
            out[i] = PARENT
        elif i != u and known[i, u] & ALLOWED != 0:
            score = score_with(spec, work, i, rss, logs) + spec.cost * (m + 1)
            if score < best - IMPROVES:
                out[i] = worth(best - score, spec.cost)
    return float(best)


@kernel
def _fit(spec: CurveSpec, work: CurveWork, u: int, parents: IntArray, found: Array) -> None:
    """Fill in RSS of a node with these parents, and what their bends cost."""
    clear(spec, work, u)
    rss, logs = 1.0, 0.0
    for m in range(len(parents)):
        drop, log = push(spec, work, parents[m], m)
        rss, logs = rss - drop, logs + log
    found[0], found[1] = max(rss, COLLINEAR), logs / spec.n


def curve_fits(spec: CurveSpec, parents: list[IntArray]) -> tuple[Array, Array]:
    """Return RSS of every node with its parents, and what their bends cost beyond the edges."""
    found = np.empty((len(parents), 2))
    most = max([spec.max_parents, *map(len, parents)])
    work = make_curve_work(spec._replace(max_parents=most))
    for u, P in enumerate(parents):
        _fit(spec, work, u, np.asarray(P, dtype=np.intp), found[u])
    return found[:, 0], found[:, 1]


def curve_costs(spec: CurveSpec, parents: list[IntArray]) -> Array:
    """Return f_u of every node, without the price of edges."""
    rss, bends = curve_fits(spec, parents)
    return np.asarray(np.log(rss) + bends)


@kernel
def _largest_gains(
    spec: CurveSpec, work: CurveWork, position: IntArray, incoming: BoolArray, gains: Array
) -> None:
    """Fill in `curve_gains`; ``incoming[u, i]``: i is a parent of u."""
    d = gains.shape[0]
    for u in range(d):
        clear(spec, work, u)
        m, rss, logs = 0, 1.0, 0.0
        for i in range(d):
            if incoming[u, i]:
                drop, log = push(spec, work, i, m)
                m, rss, logs = m + 1, rss - drop, logs + log
        now = np.log(max(rss, COLLINEAR)) + logs / spec.n
        gains[u] = 0.0
        for i in range(d):
            before = position[i] < position[u] and spec.knowledge[i, u] & ALLOWED != 0
            if m < spec.max_parents and before and not work.inside[i]:
                gains[u] = max(gains[u], now - score_with(spec, work, i, rss, logs))


def curve_gains(spec: CurveSpec, order: IntArray, parents: list[IntArray]) -> Array:
    """Return what one more predecessor would lower each node's score by, without its price k."""
    d = len(order)
    incoming, gains = np.zeros((d, d), dtype=np.bool_), np.empty(d)
    for u, P in enumerate(parents):
        incoming[u, P] = True
    _largest_gains(spec, make_curve_work(spec), np.argsort(order), incoming, gains)
    return gains


def curve_gains_of_edges(
    spec: CurveSpec, parents: list[IntArray], source: IntArray, target: IntArray
) -> Array:
    """Return for edges i -> j by how much log RSS of j rises without i beside its other parents."""
    rss, _ = curve_fits(spec, parents)
    work, found = make_curve_work(spec), np.empty((len(source), 2))
    for e, (i, j) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        _fit(spec, work, j, parents[j][parents[j] != i], found[e])
    return np.asarray(np.maximum(np.log(found[:, 0]) - np.log(rss[target]), 0.0))
