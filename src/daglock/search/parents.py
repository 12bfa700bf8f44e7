"""Parents of one node: grow and shrink on the covariance.

With the predecessors of node ``u`` fixed, choosing its parents is a regression. A set ``P`` costs

    f_u(P) = weight_u · φ(RSS_u(P)) + k·|P|,     φ the logarithm or the identity.

Unequal variances are weight 1 and the logarithm, equal ones weight 1/σ² and the identity.

Grow adds the candidate with the largest drop of RSS while it pays for its ``k``, shrink removes
the parent with the smallest rise while that pays, and both repeat until neither does. Everything
comes from the covariance ``S`` through a growing Cholesky factor: with ``L Lᵀ = S_PP`` and
``V = L⁻¹ S_P·`` one row of ``V`` per parent keeps, for every other variable ``i`` at once,

    r_i = S_iu − S_iP S_PP⁻¹ S_Pu,     D_i = S_ii − S_iP S_PP⁻¹ S_Pi,     gain_i = r_i² / D_i.

The kernels work on plain arrays; ``Spec`` holds what never changes during a search and ``Work``
the scratch space of one thread.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
from numba import njit

from daglock.ties import TIE
from daglock.typing import Array, BoolArray, IntArray

# A variable whose residual variance falls below this share of its variance is a linear
# combination of the parents: it can add nothing but rounding errors.
COLLINEAR = 1e-13
# A pivot below this share of its variance makes an inverse that is mostly rounding.
SINGULAR = 1e-11
# Above this many variables the lower bounds from the inverse covariance cost too much.
MAX_INVERSE = 500


class Spec(NamedTuple):
    """What the search minimises, and over what: never changed by a kernel."""

    S: Array  # covariance, (d, d), C-contiguous
    variance: Array  # its diagonal
    floor: Array  # COLLINEAR · variance
    least: Array  # no choice of parents gives node u a score below least[u]
    cost: float  # k, the price of one edge
    weight: Array  # (d,) of the fit of each node
    logarithmic: bool  # the fit is log RSS, else RSS
    max_parents: int
    allowed: BoolArray  # [u, i]: i may be a parent of u; (0, 0): all may
    required: BoolArray  # [u, i]: i must be a parent of u; (0, 0): none must
    before: BoolArray  # [i, u]: i must precede u; (0, 0): no such knowledge
    thorough: bool  # a new candidate may be worth its price only together with other changes


class Work(NamedTuple):
    """Scratch arrays of one thread."""

    V: Array  # (max_parents, d): L⁻¹ S_P·, one row per parent
    r: Array  # (d,) residual covariance with the node
    D: Array  # (d,) residual variance
    v: Array  # (max_parents,) L⁻¹ S_Pu
    P: IntArray  # (max_parents,) the parents, in the order in which they were added
    inverse: Array  # (max_parents, max_parents) L⁻¹
    precision: Array  # (max_parents, max_parents) S_PP⁻¹
    b: Array  # (max_parents,) S_PP⁻¹ S_Pu
    eligible: BoolArray  # (d,) candidates of the node
    start: IntArray  # (d,) the set to start from
    queue: IntArray  # (d,) what is about to become a parent


def make_spec(
    S: Array,
    cost: float,
    *,
    max_parents: int,
    weight: float | Array = 1.0,
    logarithmic: bool = True,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    thorough: bool = False,
    bounded: bool = True,
) -> Spec:
    """Gather the settings of a search in the form that the kernels take.

    The three masks are indexed ``[i, j]`` for i -> j here, as everywhere outside the kernels.
    Without ``bounded`` there is no ``least`` worth speaking of, and no matrix to invert for it.
    """
    S = read_only(S)
    variance = np.ascontiguousarray(np.diag(S))
    floor = COLLINEAR * variance
    rss = np.maximum(conditional_variances(S) if bounded else 0.0, floor)
    weight = np.full(len(S), weight, dtype=np.float64)
    none = np.zeros((0, 0), dtype=np.bool_)
    return Spec(
        S,
        variance,
        floor,
        weight * (np.log(rss) if logarithmic else rss),
        float(cost),
        weight,
        bool(logarithmic),
        int(max_parents),
        none if allowed is None else np.ascontiguousarray(allowed.T, dtype=np.bool_),
        none if required is None else np.ascontiguousarray(required.T, dtype=np.bool_),
        none if before is None else np.ascontiguousarray(before, dtype=np.bool_),
        bool(thorough),
    )


def read_only(S: Array) -> Array:
    """View S as the kernels want it, always of one type, so that they are compiled once."""
    S = np.ascontiguousarray(S, dtype=np.float64).view()
    S.flags.writeable = False
    return S


def conditional_variances(S: Array) -> Array:
    """Variance of each variable given all others, 1/(S⁻¹)_uu; zero where that is not to be had."""
    d = S.shape[0]
    if d > MAX_INVERSE:
        return np.zeros(d)
    L = cholesky(S)
    if L is None:
        return np.zeros(d)
    inverse, info = scipy.linalg.lapack.dpotri(L, lower=1)
    return 1.0 / np.diag(inverse) if info == 0 else np.zeros(d)


def cholesky(S: Array) -> Array | None:
    """Lower Cholesky factor; None where S is singular up to rounding, on whatever processor."""
    L, info = scipy.linalg.lapack.dpotrf(S, lower=1, clean=1)
    if info != 0 or (np.diag(L) ** 2 <= SINGULAR * np.diag(S)).any():
        return None
    return np.asarray(L)


def make_work(d: int, max_parents: int) -> Work:
    """Allocate the scratch arrays of one thread."""
    m = max_parents
    return Work(
        np.empty((m, d)),
        np.empty(d),
        np.empty(d),
        np.empty(m),
        np.empty(m, dtype=np.intp),
        np.empty((m, m)),
        np.empty((m, m)),
        np.empty(m),
        np.empty(d, dtype=np.bool_),
        np.empty(d, dtype=np.intp),
        np.empty(d, dtype=np.intp),
    )


@njit(cache=True, nogil=True)
def begin(spec: Spec, work: Work, u: int) -> float:
    """Forget all parents of u; return RSS_u of the empty set."""
    row, r, D, variance = spec.S[u], work.r, work.D, spec.variance
    for i in range(r.shape[0]):
        r[i] = row[i]
        D[i] = variance[i]
    return float(variance[u])


@njit(cache=True, nogil=True)
def push(spec: Spec, work: Work, p: int, m: int) -> float:
    """Make p the m-th parent: one row of V, then r and D for every variable; return the gain."""
    V, r, D = work.V, work.r, work.D
    d = r.shape[0]
    row, source = V[m], spec.S[p]
    scale = 1.0 / np.sqrt(D[p])
    for i in range(d):
        row[i] = source[i]
    for t in range(m):
        c, other = V[t, p], V[t]
        for i in range(d):
            row[i] -= c * other[i]
    c = r[p] * scale
    for i in range(d):
        x = row[i] * scale
        row[i] = x
        r[i] -= c * x
        D[i] -= x * x
    work.v[m] = c
    work.P[m] = p
    r[p] = 0.0
    D[p] = 0.0  # never a candidate again
    return float(c * c)


@njit(cache=True, nogil=True)
def weakest(work: Work, m: int, n_fixed: int) -> tuple[int, float]:
    """Return the parent whose removal raises RSS least, b_a² / (S_PP⁻¹)_aa, and that rise."""
    V, P, inverse = work.V, work.P, work.inverse
    for k in range(m):
        pivot = V[k, P[k]]
        inverse[k, k] = 1.0 / pivot
        for t in range(k):
            s = 0.0
            for q in range(t, k):
                s += V[q, P[k]] * inverse[q, t]
            inverse[k, t] = -s / pivot
    best, least = -1, np.inf
    for a in range(n_fixed, m):
        b, precision = 0.0, 0.0
        for k in range(a, m):
            b += inverse[k, a] * work.v[k]
            precision += inverse[k, a] * inverse[k, a]
        rise = b * b / precision
        if rise * (1.0 + TIE) < least:
            best, least = a, rise
    return best, least


@njit(cache=True, nogil=True)
def survivors(spec: Spec, work: Work, u: int, m: int, n_fixed: int, rss: float) -> int:
    """Drop the weakest parent while that pays; write who is left to the queue, return how many.

    Needs the inverse that ``weakest`` leaves. Removing a turns K = S_PP⁻¹ and b into
    ``K − K_·a K_a· / K_aa`` and ``b − K_·a b_a / K_aa``: all removals cost m², none touches V.
    """
    K, b, inverse = work.precision, work.b, work.inverse
    for i in range(m):
        s = 0.0
        for k in range(i, m):
            s += inverse[k, i] * work.v[k]
        b[i] = s
        for j in range(i + 1):
            s = 0.0
            for k in range(i, m):
                s += inverse[k, i] * inverse[k, j]
            K[i, j] = s
            K[j, i] = s
    while True:
        a, least = -1, largest_rise(spec, u, rss)
        for i in range(n_fixed, m):
            if K[i, i] > 0.0 and b[i] * b[i] * (1.0 + TIE) < least * K[i, i]:
                a, least = i, b[i] * b[i] / K[i, i]
        if a < 0:
            break
        rss += least
        for i in range(m):
            if i != a and K[i, i] > 0.0:
                c = K[i, a] / K[a, a]
                b[i] -= c * b[a]
                for j in range(m):
                    K[i, j] -= c * K[a, j]
        K[a, a] = 0.0  # gone
    left = 0
    for i in range(m):
        if K[i, i] > 0.0:
            work.queue[left] = work.P[i]
            left += 1
    return left


@njit(cache=True, nogil=True)
def least_gain(spec: Spec, u: int, rss: float) -> float:
    """Smallest drop of RSS_u that pays for one edge."""
    if spec.logarithmic:
        return float(rss * -np.expm1(-spec.cost / spec.weight[u]))
    return float(spec.cost / spec.weight[u])


@njit(cache=True, nogil=True)
def largest_rise(spec: Spec, u: int, rss: float) -> float:
    """Largest rise of RSS_u that the price of one edge makes up for."""
    if spec.logarithmic:
        return float(rss * np.expm1(spec.cost / spec.weight[u]))
    return float(spec.cost / spec.weight[u])


@njit(cache=True, nogil=True)
def node_score(spec: Spec, u: int, rss: float, m: int) -> float:
    """Return f_u: fit plus price of m parents."""
    fit = np.log(rss) if spec.logarithmic else rss
    return float(spec.weight[u] * fit + spec.cost * m)


@njit(cache=True, nogil=True)
def select(spec: Spec, work: Work, u: int, n_start: int) -> tuple[float, int, float]:
    """Grow and shrink from ``work.start[:n_start]`` over ``work.eligible``.

    Returns ``(f_u, |P|, RSS_u)``; the parents are ``work.P[:|P|]``, and ``work.r``, ``work.D``
    describe what is left for every other variable. Required parents are never dropped.
    """
    r, D, floor, eligible, queue = work.r, work.D, spec.floor, work.eligible, work.queue
    d = r.shape[0]
    # One loop with one call of push, so that compiling it stays cheap: whatever is to become a
    # parent goes through the queue, first the required, then the start, then one at a time.
    waiting = 0
    if spec.required.shape[0] > 0:
        for i in range(d):
            if spec.required[u, i]:
                queue[waiting] = i
                waiting += 1
    n_fixed = waiting
    for a in range(n_start):
        p = work.start[a]
        if waiting < spec.max_parents and not (spec.required.shape[0] > 0 and spec.required[u, p]):
            queue[waiting] = p
            waiting += 1
    m, rss, passes = 0, begin(spec, work, u), 0
    while True:
        for a in range(waiting):
            p = queue[a]
            if D[p] > floor[p]:
                rss = max(rss - push(spec, work, p, m), floor[u])
                m += 1
            elif m < n_fixed:
                n_fixed -= 1  # a required parent that adds nothing cannot be told apart
        waiting = 0
        best, gain = -1, least_gain(spec, u, rss)
        if m < spec.max_parents:
            for i in range(d):
                # gain_i = r_i² / D_i, compared without dividing; of equal ones the first
                if eligible[i] and r[i] * r[i] > gain * D[i] and D[i] > floor[i]:
                    best, gain = i, (1.0 + TIE) * r[i] * r[i] / D[i]
        if best >= 0:
            queue[0] = best
            waiting = 1
            continue
        # every removal lowers f_u; the bound guards against rounding
        if weakest(work, m, n_fixed)[1] < largest_rise(spec, u, rss) and passes < 100:
            passes += 1
            waiting = survivors(spec, work, u, m, n_fixed, rss)
            m, rss = 0, begin(spec, work, u)
            continue
        return node_score(spec, u, rss, m), m, rss
