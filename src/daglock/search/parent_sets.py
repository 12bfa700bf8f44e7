"""Every set of parents that some best graph can have: those that no subset of theirs beats.

A node j with the parents P costs f_j(P) = log RSS_j(P) + k·|P|. Where a subset of P costs no more,
P can be replaced by it in any DAG, so P is needed in none. What is left is little: some hundreds of
sets for a node out of the 2^29 that thirty variables have.

They are found by branch and bound. Of the variables some are in, some out, and the rest, C, are
open; a set T that is larger than the P that are in costs

    f_j(T) ≥ log RSS_j(P ∪ C) + k (|P| + 1),

and where that is no less than the least f_j among the sets on the way to P no such T is needed. The
variable that P ∪ C can spare least is decided first: out, it costs most; in, it explains most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel
from daglock._pace import Pace
from daglock.knowledge import Masks
from daglock.search.spec import COLLINEAR
from daglock.typing import Array, BoolArray, IntArray

# Sets are the bits of a whole number.
MOST_VARIABLES = 62
# More sets than a linear programme can take.
MOST_SETS = 200_000


class ParentSets(NamedTuple):
    """Sets of parents, of all nodes.

    Attributes
    ----------
    node : (N,) whose parents.
    members : (N,) which, as bits.
    cost : (N,) f_j(P).
    """

    node: IntArray
    members: NDArray[np.int64]
    cost: Array


class _Walk(NamedTuple):
    """Where branch and bound is: for each depth what is decided, and matrices that follow from it.

    Attributes
    ----------
    given : covariance given P, and ``inverse``: inverse covariance of P ∪ C and j, which is number
        0; each in the place that ``place`` has for it.
    step : 0 new, 1 with the variable in, 2 with it out, 3 done.
    variable, size, decided, members : what is decided at this depth, |P|, all decided, P.
    best : least cost of a set on the way.
    at : depth, and sets found.
    sets, costs : these.
    """

    given: Array
    inverse: Array
    place: IntArray
    step: IntArray
    variable: IntArray
    size: IntArray
    decided: NDArray[np.int64]
    members: NDArray[np.int64]
    best: Array
    at: IntArray
    sets: NDArray[np.int64]
    costs: Array


def parent_sets(
    R: Array, cost: float, most: int, masks: Masks, deadline: float = np.inf
) -> ParentSets | None:
    """Return all sets of at most so many parents that no subset beats; None if they are too many.

    Parameters
    ----------
    R : (d, d) correlation, not singular.
    cost : price k of an edge.
    most : parents of a node.
    masks : what is known; required parents are in every set.

    Raises
    ------
    OutOfTimeError

    Examples
    --------
    Two effects of one cause: none of them needs the other beside the cause.

    >>> R = np.array([[1.0, 0.6, 0.6], [0.6, 1.0, 0.36], [0.6, 0.36, 1.0]])
    >>> found = parent_sets(R, 0.01, 2, Masks())
    >>> [[f"{P:03b}" for P in np.sort(found.members[found.node == j])] for j in range(3)]
    [['000', '010', '100', '110'], ['000', '001', '100'], ['000', '001', '010']]
    """
    d = len(R)
    found: list[tuple[IntArray, NDArray[np.int64], Array]] = []
    total = 0
    for j in range(d):
        allowed = np.ones(d, dtype=np.bool_) if masks.allowed is None else masks.allowed[:, j]
        needed = np.zeros(d, dtype=np.bool_) if masks.required is None else masks.required[:, j]
        sets = _sets_of(R, j, allowed, needed, cost, most, deadline)
        if sets is None or (total := total + len(sets[0])) > MOST_SETS:
            return None
        found.append((np.full(len(sets[0]), j), *sets))
    return ParentSets(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _sets_of(
    R: Array,
    j: int,
    allowed: BoolArray,
    needed: BoolArray,
    cost: float,
    most: int,
    deadline: float,
) -> tuple[NDArray[np.int64], Array] | None:
    """Return the sets of one node, and what they cost."""
    must = np.flatnonzero(needed)
    may = np.flatnonzero(allowed & ~needed)
    nodes = np.append(j, may[may != j])
    S = R[np.ix_(nodes, nodes)]
    if len(must):
        S = S - R[np.ix_(nodes, must)] @ np.linalg.solve(
            R[np.ix_(must, must)], R[np.ix_(must, nodes)]
        )
    walk = _begin(S, cost * len(must))
    pace = Pace(deadline)
    while _go_on(walk, cost, most - len(must), pace.width):
        if walk.at[1] + len(nodes) > len(walk.sets):
            if len(walk.sets) > MOST_SETS:
                return None
            walk = walk._replace(
                sets=np.append(walk.sets, np.zeros_like(walk.sets)),
                costs=np.append(walk.costs, np.zeros_like(walk.costs)),
            )
        pace.step()
    sets, costs = walk.sets[: walk.at[1]], walk.costs[: walk.at[1]]
    order = np.argsort(costs, kind="stable")
    sets, costs = sets[order], costs[order]
    kept = np.zeros(len(sets), dtype=np.bool_)
    _keep(sets, np.empty_like(sets), kept)
    members = np.full(int(kept.sum()), (1 << must).sum(), dtype=np.int64)
    for local, i in enumerate(nodes.tolist()):
        members |= (sets[kept] >> local & 1) << i
    return members, costs[kept]


def _begin(S: Array, paid: float) -> _Walk:
    """Return a walk that has decided nothing; the empty set is found."""
    m, depth = len(S), len(S) + 1
    given, inverse = np.empty((2, depth, m, m))
    given[0], inverse[0] = S, np.linalg.inv(S)
    step, variable, size = np.zeros((3, depth), dtype=np.intp)
    decided, members = np.zeros((2, depth), dtype=np.int64)
    decided[0] = 1
    sets, costs = np.zeros(1024 + m, dtype=np.int64), np.zeros(1024 + m)
    costs[0] = np.log(S[0, 0]) + paid
    best, at = np.full(depth, costs[0]), np.array([0, 1], dtype=np.intp)
    place = np.zeros((2, depth), dtype=np.intp)
    return _Walk(
        given, inverse, place, step, variable, size, decided, members, best, at, sets, costs
    )


@kernel
def _go_on(walk: _Walk, cost: float, most: int, width: int) -> bool:
    """Take so many steps of branch and bound; return whether some are left."""
    m, paid = walk.given.shape[1], walk.costs[0] - np.log(walk.given[0, 0, 0])
    given, inverse, members, best = walk.given, walk.inverse, walk.members, walk.best
    t, n = walk.at
    for _ in range(width):
        if t < 0:
            break
        if n + m > len(walk.sets):
            break
        own, all_ = given[walk.place[0, t]], inverse[walk.place[1, t]]
        if walk.step[t] == 0:
            v, spared = -1, -1.0
            for i in range(1, m):
                if not walk.decided[t] >> i & 1 and all_[0, i] ** 2 / all_[i, i] > spared:
                    v, spared = i, all_[0, i] ** 2 / all_[i, i]
            lowest = paid + cost * walk.size[t] - np.log(all_[0, 0])
            if v < 0 or walk.size[t] >= most or lowest + cost >= best[t]:
                walk.step[t] = 3
            elif lowest + 2.0 * cost >= best[t]:  # with one more a set can pay, and with no more
                for i in range(1, m):
                    if not walk.decided[t] >> i & 1 and own[i, i] > COLLINEAR:
                        rss = max(own[0, 0] - own[0, i] ** 2 / own[i, i], COLLINEAR)
                        found = paid + cost * (walk.size[t] + 1) + np.log(rss)
                        if found < best[t]:
                            walk.sets[n], walk.costs[n] = members[t] | 1 << i, found
                            n += 1
                walk.step[t] = 3
            else:
                walk.variable[t] = v
                walk.step[t] = 1
            continue
        if walk.step[t] == 3:
            t -= 1
            continue
        v, inside = walk.variable[t], walk.step[t] == 1
        walk.step[t] += 1
        before = own if inside else all_
        if before[v, v] <= COLLINEAR:
            continue
        now = given[t + 1] if inside else inverse[t + 1]
        for r in range(m):
            share = before[r, v] / before[v, v]
            for q in range(m):
                now[r, q] = before[r, q] - share * before[v, q]
        walk.decided[t + 1] = walk.decided[t] | 1 << v
        walk.size[t + 1], members[t + 1], best[t + 1] = walk.size[t], members[t], best[t]
        walk.place[0, t + 1], walk.place[1, t + 1] = walk.place[0, t], walk.place[1, t]
        walk.place[0 if inside else 1, t + 1] = t + 1
        if inside:
            walk.size[t + 1] += 1
            members[t + 1] |= 1 << v
            found = paid + cost * walk.size[t + 1] + np.log(max(now[0, 0], COLLINEAR))
            if found < best[t]:
                walk.sets[n], walk.costs[n] = members[t + 1], found
                best[t + 1] = found
                n += 1
        t += 1
        walk.step[t] = 0
    walk.at[0], walk.at[1] = t, n
    return bool(t >= 0)


@kernel
def _keep(sets: NDArray[np.int64], kept: NDArray[np.int64], which: NDArray[np.bool_]) -> None:
    """Tell which sets, the cheapest first, have no subset before them."""
    m = 0
    for a in range(len(sets)):
        which[a] = True
        for b in range(m):
            if not kept[b] & ~sets[a]:
                which[a] = False
                break
        if which[a]:
            kept[m] = sets[a]
            m += 1
