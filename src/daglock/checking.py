"""The arithmetic of `Certificate.verify`: slow, plain, and none of it shared with the search.

The search goes through growing Cholesky factors and sweeps, and finds its optimum along a convex
hull. Here a regression is Gaussian elimination in extended precision; all sets of parents are
regressed by elimination of one variable after another; and a score is shown to be the least by
bounding all others from below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from daglock.knowledge import Masks
from daglock.regret import FILLED
from daglock.typing import Array, BoolArray, IntArray

# A variance below this share of what it was is rounding, and is taken to be this share.
SMALLEST = 1e-13
# Up to this many variables all graphs can be compared once more.
MAX_COMPARED = 20
# The same where effects are curves, each of several columns.
MAX_COMPARED_CURVES = 16
# Sets whose eigenvalues are computed at once: a few hundred megabytes.
AT_A_TIME = 1 << 14


def residual_variance(S: Array, P: IntArray, j: int) -> float:
    """Variance of j given P, by elimination on the correlations with the largest pivot first."""
    nodes = np.append(P, j)
    deviation = _deviations(S)[nodes]
    A = (S[np.ix_(nodes, nodes)] / np.outer(deviation, deviation)).astype(np.longdouble)
    left = list(range(len(P)))
    while left:
        p = max(left, key=lambda a: A[a, a])
        if A[p, p] <= SMALLEST:  # those before determine all that are left
            break
        A -= np.outer(A[:, p], A[p] / A[p, p])
        left.remove(p)
    return float(max(A[-1, -1], SMALLEST) * deviation[-1] ** 2)


def _deviations(S: Array) -> Array:
    """Return standard deviations; 1 for a column that does not vary, as in some regimes."""
    variance = np.diag(S)
    return np.sqrt(np.where(variance > 0.0, variance, 1.0))


def deviation_terms(S: Array, P: IntArray, j: int) -> float:
    """Sum of the deviations of j and of each parent times its weight: what cancels in a residual.

    The weights are those of least norm, on correlations, so that collinear parents do no harm.
    """
    deviation = _deviations(S)
    R = S[np.ix_(P, P)] / np.outer(deviation[P], deviation[P])
    b = np.linalg.lstsq(R, S[P, j] / (deviation[P] * deviation[j]), rcond=SMALLEST)[0]
    return float(deviation[j] * (1.0 + np.abs(b).sum()))


def residual_variances_given_all(S: Array, j: int) -> Array:
    """Variance of j given each set of the others, in the order of `bits` without j.

    By elimination of one variable after another: each set either has it or leaves it out.
    """
    deviation = _deviations(S)
    others = np.delete(np.arange(len(S)), j)[::-1]
    nodes = np.append(others, j)
    left = (S[np.ix_(nodes, nodes)] / np.outer(deviation[nodes], deviation[nodes]))[None]
    for _ in others:
        pivot, row, rest = left[:, 0, 0], left[:, 0, 1:], left[:, 1:, 1:]
        known = pivot > SMALLEST  # else those before determine it
        share = np.where(known, 1.0 / np.where(known, pivot, 1.0), 0.0)
        row = row * np.sqrt(share)[:, None]
        left = np.stack([rest, rest - row[:, :, None] * row[:, None, :]], axis=1)
        left = left.reshape(-1, *rest.shape[1:])
    return np.asarray(np.maximum(left[:, 0, 0], SMALLEST) * S[j, j])


def all_residual_variances(S: Array) -> Array:
    """Variance of j given U in cell (U, j), U read as bits; not a number where j is in U."""
    d = len(S)
    found, inside = np.full((1 << d, d), np.nan), bits(d)
    for j in range(d):
        found[~inside[:, j], j] = residual_variances_given_all(S, j)
    return found


def _by_size(inside: BoolArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield rows with the same number of trues, and where these are, as many as fit in memory."""
    size = inside.sum(axis=1)
    for m in range(1, int(size.max()) + 1):
        rows = np.flatnonzero(size == m)
        for begin in range(0, len(rows), AT_A_TIME):
            some = rows[begin : begin + AT_A_TIME]
            yield some, np.nonzero(inside[some])[1].reshape(-1, m)


def bits(d: int) -> BoolArray:
    """Which of d variables are in each set, (2^d, d)."""
    inside = np.zeros((1 << d, d), dtype=np.bool_)
    for i in range(d):
        inside.reshape(-1, 2, 1 << i, d)[:, 1, :, i] = True
    return inside


def least_total(cost: Array, before: BoolArray | None) -> float:
    """Least Σ_j cost[P_j, j] over all DAGs in which j comes after all i with ``before[i, j]``.

    ``cost`` is infinite for sets that may not be parents; it is used up. Over sets by size: the
    last of a set takes the best parents out of the others.
    """
    n_sets, d = cost.shape
    for i in range(d):
        halves = cost.reshape(-1, 2, 1 << i, d)
        np.minimum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    total = np.full(n_sets, np.inf)
    total[0] = 0.0
    size = bits(d).sum(axis=1)
    for m in range(1, d + 1):
        sets = np.flatnonzero(size == m)
        for j in range(d):
            last = sets[sets >> j & 1 == 1]
            if before is not None:
                later = int((1 << np.flatnonzero(before[j])).sum())
                last = last[last & later == 0]
            rest = last ^ (1 << j)
            total[last] = np.minimum(total[last], total[rest] + cost[rest, j])
    return float(total[-1])


@dataclass(frozen=True, eq=False)
class Candidates:
    """All DAGs on a few variables, by the parents that each of the m with edges may have."""

    rss: Array  # (2^m, m) variance of j given U, over `scale`
    fits: BoolArray  # (2^m, m) whether U may be the parents of j
    size: IntArray  # (2^m, 1) members of U
    before: BoolArray | None  # (m, m) what must come before what, if anything
    alone: Array  # variances of the variables that may have no edges
    scale: float  # geometric mean of all variances

    def least(self, fit: Array, price: float) -> float:
        """Least Σ_j fit[P_j, j] + price·|E|."""
        cost = fit + price * self.size
        cost[~self.fits] = np.inf
        return least_total(cost, self.before)


def candidates(S: Array, most: int, knowledge: Masks) -> Candidates | None:
    """Return all DAGs with at most so many parents, and as known; None where they are too many."""
    d = len(S)
    allowed = ~np.eye(d, dtype=np.bool_)
    if knowledge.allowed is not None:
        allowed &= knowledge.allowed
    free = np.flatnonzero(allowed.any(axis=0) | allowed.any(axis=1))  # the rest are alone
    if len(free) > MAX_COMPARED:
        return None
    scale = float(np.exp(np.mean(np.log(np.diag(S)))))
    block = np.ix_(free, free)
    rss = all_residual_variances(S[block])
    rss /= scale
    return Candidates(
        rss=rss,
        fits=_which_fit(most, allowed[block], knowledge.required, free),
        size=bits(len(free)).sum(axis=1)[:, None],
        before=None if knowledge.before is None else knowledge.before[block],
        alone=np.delete(np.diag(S), free),
        scale=scale,
    )


def _which_fit(
    most: int, allowed: BoolArray, required: BoolArray | None, columns: IntArray
) -> BoolArray:
    """Tell which sets may be the parents of which of the columns, (2^m, m)."""
    d = len(columns)
    inside, every = bits(d), np.arange(1 << d)
    power = 1 << np.arange(d)
    fits = ~inside & (inside.sum(axis=1) <= most)[:, None]
    for j in range(d):
        fits[:, j] &= every & (power[~allowed[:, j]]).sum() == 0
        if required is not None:
            needed = power[required[columns, columns[j]]].sum()
            fits[:, j] &= every & needed == needed
    return np.asarray(fits)


def joint_costs_of_blocks(R: Array, sets: list[IntArray]) -> Array:
    """Return log|R_UU| of sets of columns, by eigenvalues."""
    return np.array(
        [np.log(np.maximum(np.linalg.eigvalsh(R[np.ix_(U, U)]), SMALLEST)).sum() for U in sets]
    )


def joint_costs_of_counts(codes: NDArray[np.int16], weight: Array, sets: list[IntArray]) -> Array:
    """Return 2 H(U) of sets of variables, from a dictionary of the rows that occur."""
    n, found = float(weight.sum()), np.zeros(len(sets))
    for k, U in enumerate(sets):
        there: dict[bytes, float] = {}
        rows = np.ascontiguousarray(codes[U].T)
        for row, times in zip(rows, weight.tolist(), strict=True):
            key = row.tobytes()
            there[key] = there.get(key, 0.0) + times
        share = np.array(list(there.values())) / n
        found[k] = -2.0 * (share * np.log(share)).sum()
    return found


def extra_of_blocks(n: int, own: int, parents: IntArray) -> float:
    """Return ``l·(q − |P|)``, l = log(n)/n, of a block of ``own`` columns with such parents."""
    return float(np.log(n) / n * (own * parents.sum() - len(parents)))


def extra_of_counts(n: int, own: int, parents: IntArray) -> float:
    """Return what the levels of parents cost a variable of ``own`` levels, beyond their edges."""
    if not len(parents):
        return 0.0
    cells = float(np.prod(parents, dtype=np.float64))
    cost = _of_cells(n, own * cells) - _of_cells(n, cells) - _of_cells(n, own)
    return float((2.0 * cost - len(parents) * np.log(n)) / n)


def _of_cells(n: int, cells: float) -> float:
    """Return what a table costs: its regret, with the slope kept from a cell for ten rows on."""
    beyond = max(cells - n * FILLED, 0.0)
    slope = np.log((1 + np.sqrt(1 + 4 / np.longdouble(FILLED))) / 2)
    return float(_regret(n, cells - beyond) + beyond * slope)


def _regret(n: int, cells: float) -> float:
    """Return the logarithm of the normaliser of n rows in so many cells; see `daglock.regret`."""
    per_row = np.longdouble(cells) / n
    C = (1 + np.sqrt(1 + 4 / per_row)) / 2
    main = np.log(per_row) + (per_row + 2) * np.log(C) - 1 / C
    return float(n * main - np.log(C + 2 / per_row) / 2)


def all_costs_of_blocks(R: Array, first: IntArray) -> Array:
    """Return log|R_UU| of every set of blocks, by eigenvalues."""
    inside = np.repeat(bits(len(first) - 1), np.diff(first), axis=1)
    found = np.zeros(len(inside))
    for sets, U in _by_size(inside):
        values = np.linalg.eigvalsh(R[U[:, :, None], U[:, None, :]])
        found[sets] = np.log(np.maximum(values, SMALLEST)).sum(axis=1)
    return found


def all_costs_of_counts(codes: NDArray[np.int16], weight: Array) -> Array:
    """Return 2 H(U) of every set of variables: cells are split by one variable after the other."""
    d, n = len(codes), float(weight.sum())
    levels = codes.max(axis=1).astype(np.int64) + 1
    found = np.zeros(1 << d)

    def split(U: int, cell: IntArray, begin: int) -> None:
        for i in range(begin, d):
            finer = cell * levels[i] + codes[i]
            times = np.bincount(finer, weight)
            there = times > 0.0
            share = times[there] / n
            found[U | 1 << i] = -2.0 * (share @ np.log(share))
            if i + 1 < d:
                split(U | 1 << i, (np.cumsum(there) - 1)[finer], i + 1)

    split(0, np.zeros(len(weight), dtype=np.intp), 0)
    return found


def joint_candidates(
    costs: Array,
    extra: Callable[[int, IntArray], float],
    extents: IntArray,
    most: int,
    knowledge: Masks,
) -> Candidates:
    """Return all DAGs with at most so many parents, where sets have costs.

    Parameters
    ----------
    costs : of every set, (2^d,).
    extra : what parents cost a variable beyond their edges.
    extents : columns or levels of each variable, all that `extra` depends on.
    most : parents of a node.
    knowledge : what is known.
    """
    d = len(extents)
    every, alike = np.arange(1 << d), np.zeros(1 << d, dtype=np.intp)
    kinds, kind, times = np.unique(extents, return_inverse=True, return_counts=True)
    place = np.append(1, np.cumprod(times + 1))  # how many of each kind a set has, as one number
    for i in range(d):
        alike[1 << i : 2 << i] = alike[: 1 << i] + place[kind[i]]
    _, one, which = np.unique(alike, return_index=True, return_inverse=True)
    examples = [np.flatnonzero(U >> np.arange(d) & 1) for U in one.tolist()]
    fit = np.empty((1 << d, d))
    for k in range(len(kinds)):
        nodes = np.flatnonzero(kind == k)
        beyond = np.array([extra(int(nodes[0]), P) for P in examples])[which]
        for j in nodes.tolist():
            fit[:, j] = costs[every | 1 << j] - costs + beyond
    return _by_fit(fit, most, knowledge)


def context_candidates(
    contexts: list[list[tuple[Array, float]]], further: float, most: int, knowledge: Masks
) -> Candidates | None:
    """Return all DAGs with at most so many parents, where nodes have contexts; None if too many.

    Parameters
    ----------
    contexts : for each node, covariance and weight of each of its contexts.
    further : price of a coefficient in a further context.
    most : parents of a node.
    knowledge : what is known.
    """
    d = len(contexts)
    if d > MAX_COMPARED:
        return None
    size = bits(d).sum(axis=1)
    fit = np.outer(size, [further * (len(own) - 1) for own in contexts])
    for j, own in enumerate(contexts):
        without = np.flatnonzero(~bits(d)[:, j])
        for S, weight in own:
            fit[without, j] += weight * np.log(residual_variances_given_all(S, j))
    return _by_fit(fit, most, knowledge)


def curve_cost(A: Array, K: int, n: int, bend: float, P: IntArray, j: int) -> tuple[float, float]:
    """Return RSS of j with curves of P and what these cost, see `daglock.search.curves`."""
    if not len(P):
        return 1.0, 0.0
    rss, cost = _curve_costs(A, K, n, bend, P[None])
    return float(rss[0, j]), float(cost[0])


def _curve_costs(A: Array, K: int, n: int, bend: float, P: IntArray) -> tuple[Array, Array]:
    """Return RSS of every node with curves of P, row by row, and what they cost."""
    U = (P[:, :, None] * K + np.arange(K)).reshape(len(P), -1)
    columns = np.arange(0, len(A), K)
    block, with_all = A[U[:, :, None], U[:, None, :]], A[U[:, :, None], columns]
    rss = 1.0 - (with_all * np.linalg.solve(block, with_all)).sum(axis=1)
    R = A[columns[P][:, :, None], columns[P][:, None, :]]
    log = np.linalg.slogdet(block)[1] - np.linalg.slogdet(R)[1] + bend * P.shape[1]
    return np.maximum(rss, SMALLEST), np.asarray(log / n)


def curve_candidates(
    A: Array, K: int, n: int, bend: float, most: int, knowledge: Masks
) -> Candidates | None:
    """Return all DAGs with at most so many parents, where effects are curves; None if too many."""
    d = len(A) // K
    if d > MAX_COMPARED_CURVES:
        return None
    inside, fit = bits(d), np.zeros((1 << d, d))
    for sets, P in _by_size(inside):
        if P.shape[1] <= min(most, d - 1):
            for begin in range(0, len(sets), AT_A_TIME // K**2):
                some = slice(begin, begin + AT_A_TIME // K**2)
                rss, cost = _curve_costs(A, K, n, bend, P[some])
                fit[sets[some]] = np.log(rss) + cost[:, None]
    return _by_fit(fit, most, knowledge)


def surface_cost(cost: Array, P: IntArray, j: int) -> float:
    """Return what j costs with the parents P, from what all sets do, see `daglock.surfaces`."""
    d = cost.shape[1]
    inside = np.isin(np.arange(d), P)
    return float(cost[(bits(d) == inside).all(axis=1), j][0])


def surface_candidates(cost: Array, most: int, knowledge: Masks) -> Candidates:
    """Return all DAGs with at most so many parents, where it is known what all sets cost."""
    return _by_fit(cost.copy(), most, knowledge)


def _by_fit(fit: Array, most: int, knowledge: Masks) -> Candidates:
    """Return all DAGs on variables whose fit with every set of parents is known, (2^d, d)."""
    d = fit.shape[1]
    allowed = ~np.eye(d, dtype=np.bool_)
    if knowledge.allowed is not None:
        allowed &= knowledge.allowed
    np.minimum(fit, 600.0, out=fit)
    return Candidates(
        rss=np.exp(fit, out=fit),
        fits=_which_fit(most, allowed, knowledge.required, np.arange(d)),
        size=bits(d).sum(axis=1)[:, None],
        before=knowledge.before,
        alone=np.empty(0),
        scale=1.0,
    )
