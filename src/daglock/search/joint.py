"""Parents of one node where a score comes from what sets of variables cost together.

A set ``U`` of variables costs ``c(U)``, and node ``u`` with the parents ``P``

    f_u(P) = c(P ∪ u) − c(P) + l·(q_u(P) − |P|) + k·|P|,

with q_u(P) degrees of freedom: one for each parent is paid for by the price k of its edge, the
others at the price l of the BIC. Two such costs:

- blocks: a variable is a block of columns, c(U) = log|S_UU|, q_u(P) = p_u Σ_{i ∈ P} p_i for
  blocks of p_i columns;
- counts: a variable has r_i levels, c(U) = 2 H(U), twice the entropy of the table of its counts.
  The price of parents is here not that of the BIC but the quotient of normalised maximum
  likelihoods, (2/n) [R(r_u r_P) − R(r_P) − R(r_u)] − l·|P| in the place of l·(q_u(P) − |P|), with
  r_P = Π_{i ∈ P} r_i and R(m) the logarithm of what the likelihoods of all tables of n rows and m
  cells sum up to (`regret`), a straight line where cells are many (`price_of_cells`). For many
  rows the two agree; where cells are more than rows can fill, the BIC asks more for them than they
  can ever explain.

Equivalent graphs have one score, because sums over a graph of c(P ∪ u) − c(P), of q and of
R(r_u r_P) − R(r_P) do not depend on directions that the class leaves open.
`daglock.search.set_costs` works out c, each set once: f_u(P) asks for the same sets as f_v does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel, part
from daglock.regret import price_of_cells
from daglock.search.memo import IMPROVES, NOTHING, PARENT, worth
from daglock.search.parents import OUT, START
from daglock.search.set_costs import (
    JointSpec,
    JointWork,
    known_cost,
    known_cost_with,
    make_joint_work,
    set_cost,
)
from daglock.search.spec import ALLOWED, REQUIRED
from daglock.typing import Array, BoolArray, IntArray


@part
def extra_price(spec: JointSpec, u: int, size: float, m: int) -> float:
    """Return what m parents of u with so many columns, or cells, cost beyond their edges' price."""
    if spec.counted:
        r, n = spec.size[u], spec.n
        if m == 0:
            return 0.0
        cost = price_of_cells(n, r * size) - price_of_cells(n, size) - price_of_cells(n, r)
        return float(2.0 * cost / n - spec.extra * m)
    return float(spec.extra * (spec.size[u] * size - m))


@part
def size_with(spec: JointSpec, size: float, i: int) -> float:
    """Return the columns, or cells, of parents of this size and one more."""
    return float(size * spec.size[i] if spec.counted else size + spec.size[i])


@part
def price(spec: JointSpec, u: int, size: float, m: int) -> float:
    """Return what m parents of u, with so many columns or cells in all, cost beside their fit."""
    return float(extra_price(spec, u, size, m) + spec.cost * m)


@part
def fit_of(spec: JointSpec, work: JointWork, u: int, key: int) -> float:
    """Return c(P ∪ u) − c(P) for the P inside, whose words make the key."""
    without = known_cost(spec, work, 0, key)
    work.inside[u] = True
    cost = known_cost(spec, work, 1, key ^ spec.word[u])
    work.inside[u] = False
    return float(cost - without)


@part
def fit_with(spec: JointSpec, work: JointWork, u: int, key: int, i: int) -> float:
    """Return c(P ∪ i ∪ u) − c(P ∪ i) for the P inside, whose words make the key."""
    without = known_cost_with(spec, work, 0, key, i)
    work.inside[u] = True
    cost = known_cost_with(spec, work, 1, key ^ spec.word[u], i)
    work.inside[u] = False
    return float(cost - without)


@part
def settle_joint(spec: JointSpec, work: JointWork, u: int, out: NDArray[np.uint8]) -> float:
    """Grow and shrink over the candidates that ``work.role`` names, from those that it starts with.

    Returns f_u; ``out`` gets what every variable is to u. A candidate is passed over where its
    price alone is more than it can gain, because no fit is below ``spec.floor``.
    """
    role, inside, known = work.role, work.inside, spec.knowledge
    d = role.shape[0]
    m, key, size = 0, 0, 1.0 if spec.counted else 0.0
    for i in range(d):
        inside[i] = False
    for step in range(2):  # the required, then the start
        for i in range(d):
            if i == u or inside[i]:
                continue
            required = known[i, u] & REQUIRED != 0
            if (step == 0 and required) or (
                step == 1 and role[i] == START and m < spec.max_parents
            ):
                inside[i] = True
                m, key, size = m + 1, key ^ spec.word[i], size_with(spec, size, i)
    best = fit_of(spec, work, u, key) + price(spec, u, size, m)
    while True:
        found, least = -1, best - IMPROVES
        if m < spec.max_parents:
            for i in range(d):
                if role[i] == OUT or inside[i] or i == u:
                    continue
                own = price(spec, u, size_with(spec, size, i), m + 1)
                if spec.floor[u] + own < least:
                    score = fit_with(spec, work, u, key, i) + own
                    if score < least:
                        found, least = i, score - IMPROVES
        if found < 0:  # shrink
            for i in range(d):
                if not inside[i] or known[i, u] & REQUIRED != 0:
                    continue
                less = size / spec.size[i] if spec.counted else size - spec.size[i]
                inside[i] = False
                score = fit_of(spec, work, u, key ^ spec.word[i]) + price(spec, u, less, m - 1)
                inside[i] = True
                if score < least:
                    found, least = i, score - IMPROVES
        if found < 0:
            break
        if inside[found]:
            m, size = m - 1, size / spec.size[found] if spec.counted else size - spec.size[found]
        else:
            m, size = m + 1, size_with(spec, size, found)
        inside[found] = not inside[found]
        key ^= spec.word[found]
        best = least + IMPROVES
    for i in range(d):
        out[i] = NOTHING
        if inside[i]:
            out[i] = PARENT
        elif i != u and known[i, u] & ALLOWED != 0:
            own = price(spec, u, size_with(spec, size, i), m + 1)
            if spec.floor[u] + own < best - IMPROVES:
                score = fit_with(spec, work, u, key, i) + own
                if score < best - IMPROVES:
                    out[i] = worth(best - score, spec.cost)
    return float(best)


def joint_fits(spec: JointSpec, parents: list[IntArray]) -> Array:
    """Return ``c(P ∪ u) − c(P)`` of every node."""
    work = make_joint_work(spec)
    return np.array(
        [
            set_cost(spec, work, np.append(P, u)) - set_cost(spec, work, P)
            for u, P in enumerate(parents)
        ]
    )


def joint_extras(spec: JointSpec, parents: list[IntArray]) -> Array:
    """Return what the parents of every node cost beyond the price of their edges."""
    return np.array([joint_extra(spec, u, P) for u, P in enumerate(parents)])


def joint_extra(spec: JointSpec, u: int, P: IntArray) -> float:
    """Return what parents cost beyond the price of their edges."""
    size = spec.size[P].prod() if spec.counted else spec.size[P].sum()
    return _extra_price(spec, u, float(size), len(P))


@kernel
def _extra_price(spec: JointSpec, u: int, size: float, m: int) -> float:
    """Return what parents cost beyond their edges' price."""
    return extra_price(spec, u, size, m)


@kernel
def _largest_gains(
    spec: JointSpec, work: JointWork, position: IntArray, incoming: BoolArray, gains: Array
) -> None:
    """Fill in `joint_gains`; ``incoming[u, i]``: i is a parent of u."""
    d = gains.shape[0]
    for u in range(d):
        key, size, m = 0, 1.0 if spec.counted else 0.0, 0
        for i in range(d):
            work.inside[i] = incoming[u, i]
            if incoming[u, i]:
                m, key, size = m + 1, key ^ spec.word[i], size_with(spec, size, i)
        now = fit_of(spec, work, u, key) + extra_price(spec, u, size, m)
        gains[u] = 0.0
        for i in range(d):
            before = position[i] < position[u] and spec.knowledge[i, u] & ALLOWED != 0
            if m < spec.max_parents and before and not work.inside[i]:
                extra = extra_price(spec, u, size_with(spec, size, i), m + 1)
                if now - spec.floor[u] - extra > gains[u]:
                    gain = now - fit_with(spec, work, u, key, i) - extra
                    gains[u] = max(gains[u], gain)


def joint_gains(spec: JointSpec, order: IntArray, parents: list[IntArray]) -> Array:
    """Return what one more predecessor would lower each node's score by, without its price k."""
    d = len(order)
    incoming, gains = np.zeros((d, d), dtype=np.bool_), np.empty(d)
    for u, P in enumerate(parents):
        incoming[u, P] = True
    _largest_gains(spec, make_joint_work(spec), np.argsort(order), incoming, gains)
    return gains


def joint_gains_of_edges(
    spec: JointSpec, parents: list[IntArray], source: IntArray, target: IntArray
) -> Array:
    """Return for edges i -> j what i gains the fit of j beside its other parents."""
    work = make_joint_work(spec)
    fits, gains = joint_fits(spec, parents), np.empty(len(source))
    for e, (i, j) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        P = parents[j][parents[j] != i]
        gains[e] = set_cost(spec, work, np.append(P, j)) - set_cost(spec, work, P) - fits[j]
    return np.maximum(gains, 0.0)


@kernel
def _all_extras(spec: JointSpec, u: int, size: Array, members: Array, found: Array) -> None:
    """Fill in what parents of these sizes cost u."""
    for k in range(len(found)):
        found[k] = extra_price(spec, u, size[k], members[k])


def all_extras(spec: JointSpec) -> Array:
    """Return what every set of variables costs as parents of j beyond the edges, (2^d, d)."""
    d = len(spec.size)
    size, members = np.empty(1 << d), np.zeros(1 << d)
    size[0] = 1.0 if spec.counted else 0.0
    for i in range(d):
        own, before, now = spec.size[i], slice(0, 1 << i), slice(1 << i, 2 << i)
        size[now] = size[before] * own if spec.counted else size[before] + own
        members[now] = members[before] + 1.0
    # few differ: it takes logarithms
    kinds, which = np.unique(size + 1j * members, return_inverse=True)
    found, own = np.empty((1 << d, d)), np.empty(len(kinds))
    for j in range(d):
        _all_extras(spec, j, kinds.real.copy(), kinds.imag.copy(), own)
        found[:, j] = own[which]
    return found
