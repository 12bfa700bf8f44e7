"""Kernels of the prox-linear path: columns fitted one after the other, cycles priced locally.

The price of an entry i → j is ``μ C_ij``, and ``C_ij`` is the weight of the paths j ⇝ i. With the
log-determinant, ``C = (sI − M)⁻ᵀ = (1/s) Σ_k (Mᵀ/s)^k``, and column j of C is found by walking from
j along the children, layer by layer: no d × d matrix is inverted, and there is no domain to leave.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel, part
from daglock.typing import Array, BoolArray, IntArray

# In the place of prices and slopes, for `sweep`.
NOT_GIVEN = np.empty((0, 0))


class Columns(NamedTuple):
    """W by columns, and what follows from it."""

    S: Array  # (d, d) covariance
    weights: Array  # (d, d): weights[j] is column j of W, the edges into j
    residual: Array  # (d, d): residual[j] = S_j − S W_j, minus the gradient of ½ RSS_j
    variance: Array  # (d,): RSS_j
    child: NDArray[np.int32]  # (d, d): child[i, :n_child[i]] are the children of i
    strength: Array  # (d, d): M_ij / s of these children
    n_child: IntArray  # (d,)
    allowed: BoolArray  # (d, d): [i, j]: whether i → j may be an edge; Fortran order, by columns
    visit: IntArray  # (d,): order in which columns and entries are visited


class Rule(NamedTuple):
    """What is minimised."""

    profile: bool  # ½ Σ log RSS_j instead of ½ Σ RSS_j
    lam: float
    gamma: float  # of MCP; infinite for L1
    alpha: float
    s: float
    max_path: int  # longest path that is looked at
    max_passes: int  # coordinate descent over one column
    tolerance: float  # change of a weight at which these passes end
    noise: float  # λ of column j is not below this over √RSS_j
    floor: float  # RSS_j is not taken below this share of S_jj


class Work(NamedTuple):
    """Scratch space of one thread; `price` is all zero between two columns."""

    price: Array  # (d,): C_·j
    mass: Array  # (2, d): path weights of two layers
    layer: IntArray  # (2, d): nodes of two layers
    touched: IntArray  # (d,): nodes with a price
    seen: BoolArray  # (d,)
    active: IntArray  # (d,): entries that may be non-zero
    before: Array  # (d,): their weights before


@part
def core(w: float, alpha: float) -> float:
    """``α w² + (1−α)|w|``."""
    return alpha * w * w + (1.0 - alpha) * abs(w)


@part
def column_lam(columns: Columns, rule: Rule, j: int) -> float:
    """λ of column j."""
    return (
        max(rule.lam, rule.noise / np.sqrt(columns.variance[j])) if rule.noise > 0.0 else rule.lam
    )


@part
def subtract(y: Array, a: float, x: Array) -> None:
    """Replace y by ``y − a x``."""
    for k in range(y.shape[0]):
        y[k] -= a * x[k]


@part
def link(columns: Columns, rule: Rule, i: int, j: int, w: float) -> None:
    """Make the children of i agree with the weight w of i → j."""
    child, strength = columns.child[i], columns.strength[i]
    n = columns.n_child[i]
    k = 0
    while k < n and child[k] != j:
        k += 1
    if w != 0.0:
        child[k], strength[k] = j, core(w, rule.alpha) / rule.s
        columns.n_child[i] = max(n, k + 1)
    elif k < n:
        child[k], strength[k] = child[n - 1], strength[n - 1]
        columns.n_child[i] = n - 1


@part
def price_paths(
    columns: Columns, work: Work, j: int, s: float, max_path: int, cutoff: float
) -> tuple[int, float]:
    """Column j of C into ``work.price``: for each i, the weight of the paths j ⇝ i.

    Layer k holds ``(M/s)^k`` from j; what is at most `cutoff` is not carried further. Returns how
    many entries of ``work.touched`` have a price, and ``Σ_k ((M/s)^k)_jj / k``, the share of j in
    the log-determinant.
    """
    price, seen, touched = work.price, work.seen, work.touched
    now, later = work.layer[0], work.layer[1]
    mass, mass_later = work.mass[0], work.mass[1]
    n_touched, cycles = 0, 0.0
    n_now = 1
    now[0], mass[j] = j, 1.0
    for length in range(1, max_path + 1):
        n_later = 0
        for a in range(n_now):
            v = now[a]
            m = mass[v]
            mass[v] = 0.0
            if m <= cutoff:
                continue
            for k in range(columns.n_child[v]):
                c = columns.child[v, k]
                if mass_later[c] == 0.0:
                    later[n_later] = c
                    n_later += 1
                mass_later[c] += m * columns.strength[v, k]
        cycles += mass_later[j] / length
        for a in range(n_later):
            c = later[a]
            if not seen[c]:
                seen[c] = True
                touched[n_touched] = c
                n_touched += 1
            price[c] += mass_later[c] / s
        now, later = later, now
        mass, mass_later = mass_later, mass
        n_now = n_later
        if n_now == 0:
            break
    for a in range(n_now):
        mass[now[a]] = 0.0
    for a in range(n_touched):
        seen[touched[a]] = False
    return n_touched, cycles


@part
def mark_descendants(columns: Columns, work: Work, j: int) -> int:
    """Give the price 1 to j and its descendants, whatever the weights; how many they are."""
    price, touched = work.price, work.touched
    touched[0], price[j] = j, 1.0
    n = 1
    done = 0
    while done < n:
        v = touched[done]
        done += 1
        for k in range(columns.n_child[v]):
            c = columns.child[v, k]
            if price[c] == 0.0:
                price[c] = 1.0
                touched[n] = c
                n += 1
    return n


@part
def best_weight(
    rho: float, curvature: float, extra: float, weight: float, lam: float, gamma: float
) -> float:
    """argmin_w ``½ curvature w² − rho w + extra |w| + weight · p(w)``, p the MCP.

    ``p(w) = lam |w| − w²/(2 gamma)`` up to ``|w| = gamma lam`` and constant beyond.
    """
    size = abs(rho) - extra
    if size <= 0.0:
        return 0.0
    knee = gamma * lam if lam > 0.0 else 0.0
    outer = size / curvature
    inner_curvature = curvature - weight / gamma
    if inner_curvature > 0.0:
        # Convex on both sides of the knee, with one slope at it: one minimum.
        inner = max((size - weight * lam) / inner_curvature, 0.0)
        best = inner if inner <= knee else outer
    else:
        # Concave up to the knee: zero or the minimum beyond it, whichever is lower.
        gain = 0.5 * curvature * outer * outer - 0.5 * weight * knee * lam
        best = outer if outer > knee and gain > 0.0 else 0.0
    return best if rho > 0.0 or best == 0.0 else -best  # no negative zeros


@part
def fit_column(columns: Columns, rule: Rule, work: Work, j: int, mu: float, tilt: Array) -> float:
    """Coordinate descent on column j at fixed prices; returns the largest change of a weight.

    Minimises ``½ RSS_j / v + Σ_i p(w_i) + μ C_ij m(w_i)``: v is 1, or with the profile loss the
    current RSS_j, because ``log x ≤ log v + x/v − 1``. An infinite μ forbids what has a price.
    ``tilt[i, j]`` adds a slope to each entry; it may be empty, and it is zero where w is.
    """
    S, w, r = columns.S, columns.weights[j], columns.residual[j]
    price, active, before = work.price, work.active, work.before
    locked = np.isinf(mu)
    kink = 0.0 if locked else mu * (1.0 - rule.alpha)
    quadratic = 0.0 if locked else 2.0 * mu * rule.alpha
    scale = columns.variance[j] if rule.profile else 1.0
    lam = column_lam(columns, rule, j)
    n_active = 0
    for i in columns.visit:
        if w[i] == 0.0 and (
            i == j
            or not columns.allowed[i, j]
            or (locked and price[i] > 0.0)
            or abs(r[i]) <= scale * (lam + kink * price[i])
        ):
            continue
        active[n_active], before[n_active] = i, w[i]
        n_active += 1
    for _ in range(rule.max_passes):
        scale = columns.variance[j] if rule.profile else 1.0
        lam = column_lam(columns, rule, j)
        step = 0.0
        for k in range(n_active):
            i = active[k]
            rho = r[i] + S[i, i] * w[i]
            if tilt.shape[0] > 0:
                rho -= scale * tilt[i, j]
            extra = scale * kink * price[i]
            curvature = S[i, i] + scale * quadratic * price[i]
            new = best_weight(rho, curvature, extra, scale, lam, rule.gamma)
            change = new - w[i]
            if change != 0.0:
                subtract(r, change, S[i])
                w[i] = new
                step = max(step, abs(change))
        rss = S[j, j]
        for k in range(n_active):
            i = active[k]
            rss -= w[i] * (S[i, j] + r[i])
        columns.variance[j] = max(rss, rule.floor * S[j, j])
        if step < rule.tolerance:
            break
    largest = 0.0
    for k in range(n_active):
        i = active[k]
        if w[i] != before[k]:
            largest = max(largest, abs(w[i] - before[k]))
            link(columns, rule, i, j, w[i])
    return largest


@kernel
def sweep(
    columns: Columns,
    rule: Rule,
    work: Work,
    mu: float,
    cutoff: float,
    first: int,
    last: int,
    C: Array,
    tilt: Array,
) -> float:
    """Fit columns once, each with the paths as they are then; returns the largest change.

    With an infinite μ every entry that would close a cycle is forbidden: a DAG stays a DAG. Else
    ``C[i, j]`` are the prices, and the paths are not looked at, unless that is `NOT_GIVEN`.
    """
    price, touched, d = work.price, work.touched, columns.S.shape[0]
    largest = 0.0
    for q in range(first, last):
        j = columns.visit[q]
        if np.isinf(mu):
            n = mark_descendants(columns, work, j)
        elif C.shape[0] > 0:
            n = d
            for i in range(d):
                price[i], touched[i] = C[i, j], i
        else:
            n, _ = price_paths(columns, work, j, rule.s, rule.max_path, cutoff)
        change = fit_column(columns, rule, work, j, mu, tilt)
        if change > largest:
            largest = change
        for a in range(n):
            price[touched[a]] = 0.0
    return largest


@kernel
def series_value(columns: Columns, rule: Rule, work: Work) -> float:
    """``Σ_{k ≤ max_path + 1} tr((M/s)^k) / k``: the log-determinant as far as it is looked at."""
    total = 0.0
    for j in range(columns.S.shape[0]):
        n, cycles = price_paths(columns, work, j, rule.s, rule.max_path + 1, 0.0)
        total += cycles
        for a in range(n):
            work.price[work.touched[a]] = 0.0
    return total
