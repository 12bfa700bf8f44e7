"""Parents of one node: grow and shrink on the covariance.

With the predecessors of node ``u`` fixed, choosing its parents is a regression. A set ``P`` costs

    f_u(P) = weight_u · φ(RSS_u(P)) + k·|P|,     φ the logarithm or the identity.

Unequal variances are weight 1 and the logarithm, equal ones weight 1/σ² and the identity.

Grow adds the candidate with the largest drop of RSS while it pays for its ``k``, shrink removes
the parent with the smallest rise while that pays, exchange puts a candidate into the place of a
parent, and they repeat until none pays. Everything
comes from the covariance ``S`` through a growing Cholesky factor: with ``L Lᵀ = S_PP`` and
``V = L⁻¹ S_P·`` one row of ``V`` per parent keeps, for every other variable ``i`` at once,

    r_i = S_iu − S_iP S_PP⁻¹ S_Pu,     D_i = S_ii − S_iP S_PP⁻¹ S_Pi,     gain_i = r_i² / D_i.

The kernels work on plain arrays: a `Spec`, which never changes during a search, and ``Work``, the
scratch space of one thread.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import inlined, merged, part
from daglock.search.spec import COLLINEAR, REQUIRED, Spec
from daglock.ties import TIE
from daglock.typing import Array, IntArray

# What a variable is when the parents of a node are chosen.
OUT, CANDIDATE, START = 0, 1, 2


class Work(NamedTuple):
    """Scratch arrays of one thread."""

    V: Array  # (max_parents, d): L⁻¹ S_P·, one row per parent
    r: Array  # (d,) residual covariance with the node
    D: Array  # (d,) residual variance
    P: IntArray  # (d,) the parents, in the order in which they were added, then those about to be
    share: Array  # (max_parents,) the root of what each took off RSS then
    inverse: Array  # (max_parents, max_parents) L⁻¹
    dropped: Array  # (max_parents, max_parents) scratch: columns of S_PP⁻¹, of those that are gone
    slope: Array  # (max_parents,) S_PP⁻¹ S_Pu
    square: Array  # (max_parents,) the diagonal of S_PP⁻¹; 0 for those that are gone
    coefficient: Array  # (d,) scratch: of one parent, in the regression of each variable on all
    bits: NDArray[np.int64]  # (d,) the same memory: numbers that are not negative, in their order
    instead: Array  # (d,) what RSS falls by when a variable takes the place of a parent
    role: NDArray[np.uint8]  # (d,) OUT, CANDIDATE or START


def make_work(d: int, max_parents: int) -> Work:
    """Allocate the scratch arrays of one thread."""
    m, coefficient = max_parents, np.empty(d)
    return Work(
        np.empty((m, d)),
        np.empty(d),
        np.empty(d),
        np.empty(d, dtype=np.intp),
        np.empty(m),
        np.empty((m, m)),
        np.empty((m, m)),
        np.empty(m),
        np.empty(m),
        coefficient,
        coefficient.view(np.int64),
        np.empty(d),
        np.zeros(d, dtype=np.uint8),
    )


@part
def least_gain(spec: Spec, u: int, rss: float) -> float:
    """Smallest drop of RSS_u that pays for one edge."""
    if spec.logarithmic:
        return float(rss * -np.expm1(-spec.cost / spec.weight[u]))
    return float(spec.cost / spec.weight[u])


@part
def largest_rise(spec: Spec, u: int, rss: float) -> float:
    """Largest rise of RSS_u that the price of one edge makes up for."""
    if spec.logarithmic:
        return float(rss * np.expm1(spec.cost / spec.weight[u]))
    return float(spec.cost / spec.weight[u])


@part
def node_score(spec: Spec, u: int, rss: float, m: int) -> float:
    """Return f_u: fit plus price of m parents."""
    fit = np.log(rss) if spec.logarithmic else rss
    return float(spec.weight[u] * fit + spec.cost * m)


@part
def rss_of(spec: Spec, u: int, score: float, m: int) -> float:
    """Return RSS_u from f_u: `node_score` the other way round."""
    fit = (score - spec.cost * m) / spec.weight[u]
    return float(np.exp(fit) if spec.logarithmic else fit)


@merged
def go_back(spec: Spec, work: Work, u: int, m: int) -> float:
    """Leave u no parents but the first m, whose rows of V are known; return RSS_u."""
    S, at, V, r, D, variance = spec.S, spec.place[u], work.V, work.r, work.D, spec.variance
    d, rss, floor = r.shape[0], variance[u], COLLINEAR * variance[u]
    for i in range(d):
        r[i] = S[at, i]
        D[i] = variance[i]
    for t in range(m):  # as in `push`
        c = work.share[t]
        for i in range(d):
            x = V[t, i]
            r[i] -= c * x
            D[i] -= x * x
        r[work.P[t]] = 0.0
        D[work.P[t]] = 0.0
        rss = max(rss - c * c, floor)
    return float(rss)


@merged
def push(spec: Spec, work: Work, p: int, m: int) -> float:
    """Make p the m-th parent: one row of V, then r and D for every variable; return the gain."""
    V, r, D, S, at = work.V, work.r, work.D, spec.S, spec.place[p]
    d = r.shape[0]
    scale = 1.0 / np.sqrt(D[p])
    for i in range(d):
        V[m, i] = S[at, i]
    t = 0
    while t + 4 <= m:  # four at a time, in the same order: the row is read and written less often
        c0, c1, c2, c3 = V[t, p], V[t + 1, p], V[t + 2, p], V[t + 3, p]
        for i in range(d):
            x = (V[m, i] - c0 * V[t, i]) - c1 * V[t + 1, i]
            V[m, i] = (x - c2 * V[t + 2, i]) - c3 * V[t + 3, i]
        t += 4
    while t < m:
        c = V[t, p]
        for i in range(d):
            V[m, i] -= c * V[t, i]
        t += 1
    c = r[p] * scale
    for i in range(d):
        x = V[m, i] * scale
        V[m, i] = x
        r[i] -= c * x
        D[i] -= x * x
    work.P[m] = p
    work.share[m] = c
    r[p] = 0.0
    D[p] = 0.0  # never a candidate again
    return float(c * c)


@merged
def shrink(
    spec: Spec, work: Work, u: int, m: int, n_fixed: int, known: int, rss: float
) -> tuple[int, int]:
    """Drop the weakest of ``P[n_fixed:m]`` while that pays; how many are left, and stay in place.

    Without a, RSS rises by ``b_a² / K_aa``, with ``K = S_PP⁻¹`` and ``b = K S_Pu``. Removing it
    turns them into ``K − K_·a K_a· / K_aa`` and ``b − K_·a b_a / K_aa``: of K nothing is worked out
    but its diagonal and the columns of those that go, and none of this touches V. Of L⁻¹ the first
    ``known`` rows are, from before.
    """
    V, P, inverse, gone = work.V, work.P, work.inverse, work.dropped
    # sums are added up row by row, in the order of their terms: that is quick, and one result
    for k in range(known, m):
        p, scale, q = P[k], -1.0 / V[k, P[k]], 0
        for t in range(m):
            inverse[k, t] = 0.0
        while q + 4 <= k:  # as in `push`; above the diagonal there are zeros
            c0, c1, c2, c3 = V[q, p], V[q + 1, p], V[q + 2, p], V[q + 3, p]
            for t in range(q + 4):
                x = (inverse[k, t] + c0 * inverse[q, t]) + c1 * inverse[q + 1, t]
                inverse[k, t] = (x + c2 * inverse[q + 2, t]) + c3 * inverse[q + 3, t]
            q += 4
        while q < k:
            c = V[q, p]
            for t in range(q + 1):
                inverse[k, t] += c * inverse[q, t]
            q += 1
        for t in range(k):
            inverse[k, t] *= scale
        inverse[k, k] = -scale
    b, square = work.slope, work.square
    for a in range(m):
        b[a], square[a] = 0.0, 0.0
    for k in range(m):
        c = V[k, u]  # V's column of the node itself is L⁻¹ S_Pu
        for a in range(k + 1):
            b[a] += inverse[k, a] * c
            square[a] += inverse[k, a] * inverse[k, a]
    n_gone = 0
    while True:
        a, least = -1, largest_rise(spec, u, rss)
        for i in range(n_fixed, m):
            if square[i] > 0.0 and b[i] * b[i] * (1.0 + TIE) < least * square[i]:
                a, least = i, b[i] * b[i] / square[i]
        if a < 0:
            break
        rss += least
        column = gone[n_gone]  # K_·a / √K_aa, as the removals before have left K
        for i in range(m):
            column[i] = 0.0
        for k in range(a, m):
            c = inverse[k, a]
            for i in range(k + 1):
                column[i] += c * inverse[k, i]
        for t in range(n_gone):
            c = gone[t, a]
            for i in range(m):
                column[i] -= c * gone[t, i]
        scale = 1.0 / np.sqrt(column[a])
        slope = b[a] * scale
        for i in range(m):
            column[i] *= scale
            b[i] -= slope * column[i]
            square[i] -= column[i] * column[i]
        square[a] = 0.0
        n_gone += 1
    if n_gone == 0:  # the usual case
        return m, m
    left, same = 0, 0
    for i in range(m):
        if square[i] > 0.0:
            same += left == i
            P[left] = P[i]
            left += 1
    return left, same


@merged
def exchange(spec: Spec, work: Work, u: int, m: int, n_fixed: int, rss: float) -> tuple[int, int]:
    """Work out what others gain in the place of a parent; the best such candidate, and for whom.

    Without a, with c_i the coefficient of a in the regression of i on all parents,

        r_i becomes r_i + c_i b_a / K_aa,     D_i becomes D_i + c_i² / K_aa,

    and RSS is b_a² / K_aa more (see `shrink`, which has left K's diagonal and b). ``work.instead``
    is the most that each i takes off RSS, 0 if nothing, unless it pays as one more parent and is no
    candidate; −1 and −1 if no candidate does.

    A parent whose absence would cost too much is passed over. With h = b_a² / K_aa and
    s = c_i / √K_aa what i gains in its place, (r_i + s √h)² / (D_i + s²) − h, is positive where
    r_i² + 2 r_i s √h > h D_i. As s² ≤ V_i − D_i, V_i being the variance of i, nothing is where
    √h ≥ |r_i| (√(V_i − D_i) + √V_i) / D_i, which is at most 2 |r_i| √V_i / D_i.
    """
    V, r, D, c, instead = work.V, work.r, work.D, work.coefficient, work.instead
    variance, role, inverse, d = spec.variance, work.role, work.inverse, work.r.shape[0]
    bits, top, least = work.bits, 0, least_gain(spec, u, rss)
    for i in range(d):
        instead[i] = 0.0
        may = (D[i] > 0.0) & ((role[i] != OUT) | (r[i] * r[i] <= least * D[i]))
        ratio = r[i] / D[i] if may else 0.0
        c[i] = 4.0 * variance[i] * ratio * ratio
    c[u] = 0.0
    for i in range(d):
        top = bits[i] if bits[i] > top else top
    bits[0] = top
    hopeless = (1.0 + 1e-6) * c[0]
    best, place, most = -1, -1, 0.0
    for a in range(n_fixed, m):
        scale = 1.0 / work.square[a]
        slope, rise = work.slope[a] * scale, work.slope[a] * work.slope[a] * scale + TIE * rss
        if rise > hopeless:
            continue
        for i in range(d):
            c[i] = 0.0
        t = a
        while t + 4 <= m:  # as in `push`
            x0, x1, x2, x3 = inverse[t, a], inverse[t + 1, a], inverse[t + 2, a], inverse[t + 3, a]
            for i in range(d):
                x = (c[i] + x0 * V[t, i]) + x1 * V[t + 1, i]
                c[i] = (x + x2 * V[t + 2, i]) + x3 * V[t + 3, i]
            t += 4
        while t < m:
            x = inverse[t, a]
            for i in range(d):
                c[i] += x * V[t, i]
            t += 1
        better = False
        for i in range(d):  # without a branch, so that several are worked out at a time
            left = r[i] + c[i] * slope
            own = D[i] + c[i] * c[i] * scale
            may = (left * left > rise * own) & (D[i] > 0.0) & (own > COLLINEAR * variance[i])
            gain = left * left / own - rise if may else 0.0
            c[i] = gain
            instead[i] = gain if gain > instead[i] else instead[i]
            better |= (role[i] != OUT) & (gain > most)
        if better:  # of equal ones the first
            for i in range(d):
                if role[i] != OUT and c[i] > (1.0 + TIE) * most:
                    best, place, most = i, a, c[i]
    return best, place


@part
def first_of_the_largest(values: Array, bits: NDArray[np.int64]) -> int:
    """Return the first of those that no other exceeds by more than `TIE`; none is negative.

    The largest is sought among whole numbers, several at a time: of numbers with a point it is not,
    as one might be none.
    """
    top = bits[0]
    for i in range(bits.shape[0]):
        top = bits[i] if bits[i] > top else top
    last, first = 0, 0
    while bits[last] != top:
        last += 1
    while values[last] > (1.0 + TIE) * values[first]:
        first += 1
    return first


@inlined
def select(spec: Spec, work: Work, u: int) -> tuple[float, int, float]:
    """Grow and shrink over the candidates that ``work.role`` names, from those that it starts with.

    Where neither pays a parent is exchanged for a candidate, if there are exchanges.

    Returns ``(f_u, |P|, RSS_u)``; the parents are ``work.P[:|P|]``, and ``work.r``, ``work.D``
    describe what is left for every other variable. Required parents are never dropped. Where a row
    of the covariance is missing, that of p, |P| is −1 − p and nothing is chosen.
    """
    r, D, P, role, variance = work.r, work.D, work.P, work.role, spec.variance
    d = r.shape[0]
    # P[:m] are parents, P[m:end] are about to be: first the required, then the start, then one at
    # a time.
    m, end = 0, 0
    for i in range(d):
        if spec.knowledge[i, u] & REQUIRED:
            P[end] = i
            end += 1
    n_fixed, n_idle = end, 0
    for i in range(d):
        if role[i] == START and end < spec.max_parents and not spec.knowledge[i, u] & REQUIRED:
            P[end] = i
            end += 1
    if spec.place[u] < 0:
        return 0.0, -1 - u, 0.0
    rss, floor, passes, known = go_back(spec, work, u, 0), COLLINEAR * variance[u], 0, 0
    share = least_gain(spec, u, 1.0)
    while True:
        for a in range(m, end):
            p = P[a]
            if spec.place[p] < 0:
                return 0.0, -1 - p, 0.0
            if D[p] > COLLINEAR * variance[p]:
                rss -= push(spec, work, p, m)
                if rss < floor:
                    rss = floor
                m += 1
            elif m < n_fixed:
                n_fixed -= 1  # a required parent that adds nothing: it has its price all the same
                n_idle += 1
        end = m
        best, gain = -1, rss * share if spec.logarithmic else share
        if m < spec.max_parents:
            pays = False
            for i in range(d):  # gain_i = r_i² / D_i, compared without dividing and branching
                enough = (r[i] * r[i] > gain * D[i]) & (D[i] > COLLINEAR * variance[i])
                pays |= (role[i] != OUT) & enough
            if pays:
                gains = work.coefficient
                for i in range(d):
                    may = (role[i] != OUT) & (D[i] > COLLINEAR * variance[i])
                    gains[i] = r[i] * r[i] / D[i] if may else 0.0
                best = first_of_the_largest(gains, work.bits)
                if not gains[best] > gain:
                    best = -1
        if best >= 0:
            P[m] = best
            end = m + 1
            continue
        # every removal lowers f_u; the bound guards against rounding
        left, same = m, m
        if passes < 100:
            left, same = shrink(spec, work, u, m, n_fixed, known, rss)
        if left == m:
            other = -1
            if spec.exchanges:  # none where `shrink` was not asked
                last = m if passes < 100 else n_fixed
                other, same = exchange(spec, work, u, last, n_fixed, rss)
            if other < 0:
                return node_score(spec, u, rss, m + n_idle), m, rss
            P[same] = other
        passes += 1
        m, end, known, rss = same, left, same, go_back(spec, work, u, same)
