"""The linear programme of a lower bound: sets of parents that are left, and what every DAG obeys.

`daglock.search.bound` says what the constraints are, and goes on where they do not suffice.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from daglock._compiling import kernel, part
from daglock.search.parent_sets import ParentSets
from daglock.typing import Array, BoolArray, IntArray

# Bounds that differ by less are the same.
CLOSED = 1e-7
# What a constraint is broken by at least, and how many are added at a time.
_BROKEN = 1e-6
_AT_A_TIME = 200
# Sets C that are gone through, all up to a size; larger ones are grown.
_MOST_LISTED = 200_000
# The linear programme has done what it can when so often in a row it gains less than this share.
_LITTLE, _OFTEN = 1e-3, 8
# Sets of each node that a linear programme begins with.
_AT_FIRST = 60

Cut = tuple[int, int]  # C as bits, and k
Progress = Callable[[float], None]


class Relaxed(NamedTuple):
    """What a linear programme came to: a bound, the last x if there was time, if it is a DAG."""

    lower: float
    x: Array | None
    is_graph: bool


class Programme:
    """Sets of parents that are left, and the constraints."""

    def __init__(
        self, sets: ParentSets, beyond: Array, before: BoolArray | None, cuts: list[Cut]
    ) -> None:
        self.d = int(sets.node.max()) + 1
        self.sets = sets
        self.cuts = dict.fromkeys(cuts)
        self.impossible = False  # no choice of sets obeys
        self.beyond = beyond  # how far each set is from the least of its node, as last known
        self.ahead = np.zeros(self.d, dtype=np.int64)  # what must come before each
        if before is not None:
            self.ahead = (1 << np.arange(self.d)) @ before

    @property
    def counted(self) -> NDArray[np.int64]:
        """What counts as parents."""
        return self.sets.members | self.ahead[self.sets.node]

    def rows(self) -> tuple[csr_array, Array]:
        """Return the constraints, A x ≥ k."""
        node, counted = self.sets.node, self.counted
        own = [
            np.flatnonzero((C >> node & 1 == 1) & (_sizes(counted & C) < k)) for C, k in self.cuts
        ]
        column = np.concatenate([*own, np.empty(0, dtype=np.intp)]).astype(np.intp)
        row = np.repeat(np.arange(len(own)), [len(some) for some in own])
        shape = len(own), len(node)
        A = csr_array((np.ones(len(column)), (row, column)), shape=shape)
        return A, np.array([k for _, k in self.cuts], dtype=np.float64)

    def one_each(self) -> csr_array:
        """Return the rows that add up to one: every node has one set."""
        node = self.sets.node
        each = np.arange(len(node))
        return csr_array((np.ones(len(node)), (node, each)), shape=(self.d, len(node)))

    def relax(self, deadline: float) -> tuple[float, Array, Array, Array] | None:
        """Return the bound of the linear programme, x, λ and how far each set is from its least.

        It is solved for some of the sets, and again with those that would lower it, until there
        are none: most are never needed.
        """
        A, k = self.rows()
        cost, node = self.sets.cost, self.sets.node
        one, columns = self.one_each(), A.tocsc()
        some = self.likely()
        while (left := deadline - perf_counter()) > 0.0:
            chosen = np.flatnonzero(some)
            solve: Any = linprog  # its types do not know of sparse rows
            found = solve(
                cost[chosen],
                A_ub=-columns[:, chosen] if len(k) else None,
                b_ub=-k if len(k) else None,
                A_eq=one[:, chosen],
                b_eq=np.ones(self.d),
                method="highs-ds",
                options={"time_limit": left},
            )
            if found.status == 2 and not some.all():  # perhaps the others can do it
                some[:] = True
                continue
            self.impossible = found.status == 2
            if found.status != 0:
                return None
            multiplier = np.maximum(-found.ineqlin.marginals, 0.0) if len(k) else np.empty(0)
            reduced = cost - multiplier @ A if len(k) else cost.copy()
            lacking = ~some & (reduced < found.eqlin.marginals[node] - _BROKEN / 1000)
            if lacking.any():
                some |= lacking
                continue
            least = np.full(self.d, np.inf)
            np.minimum.at(least, node, reduced)
            x = np.zeros(len(node))
            x[chosen] = found.x
            self.beyond = reduced - least[node]
            return float(k @ multiplier + least.sum()), x, multiplier, self.beyond
        return None

    def likely(self) -> BoolArray:
        """Tell which sets to begin with: the nearest to the least of each node, some of each."""
        order = np.lexsort((self.beyond, self.sets.node))
        first = np.searchsorted(self.sets.node[order], np.arange(self.d))
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order)) - first[self.sets.node[order]]
        return np.asarray((rank < _AT_FIRST) | (self.sets.members == 0))

    def broken(self, x: Array) -> dict[Cut, float]:
        """Return constraints that x breaks, and by how much, the worst first."""
        some = x > _BROKEN / 1000
        node, counted, share = self.sets.node[some], self.counted[some], x[some]
        found = _grown(self.d, node, counted, share) | self.circles(x)
        largest = max((s for s in range(2, 7) if comb(self.d, s) <= _MOST_LISTED), default=2)
        listed = np.zeros(_AT_A_TIME, dtype=np.int64), np.zeros(_AT_A_TIME, dtype=np.intp)
        by, chosen = np.zeros(_AT_A_TIME), np.zeros((2, largest + 1))
        n = _listed(self.d, node, counted, share, min(largest, self.d), *listed, by, chosen)
        for C, k, amount in zip(listed[0][:n], listed[1][:n], by[:n], strict=True):
            found[int(C), int(k)] = float(amount)
        return dict(sorted(found.items(), key=lambda cut: (-cut[1], cut[0]))[:_AT_A_TIME])

    def circles(self, x: Array) -> dict[Cut, float]:
        """Return the nodes that go round in circles where sets are chosen for more than half."""
        edges, chosen = np.zeros((self.d, self.d)), x > 0.5
        for j, P in zip(self.sets.node[chosen], self.counted[chosen], strict=True):
            edges[:, j] = P >> np.arange(self.d) & 1
        n, number = connected_components(csr_array(edges), directed=True, connection="strong")
        members = [np.flatnonzero(number == c) for c in range(n)]
        found = {}
        for C in (int((1 << nodes).sum()) for nodes in members if len(nodes) > 1):
            among = (C >> self.sets.node & 1 == 1) & (self.counted & C == 0)
            if (by := 1.0 - float(x[among].sum())) > _BROKEN:
                found[C, 1] = by
        return found

    def tighten(self, upper: float, deadline: float, progress: Progress | None) -> Relaxed:
        """Add constraints until none is broken that can be found, or little is gained by them."""
        lower, little, x, is_graph = -np.inf, 0, None, False
        while perf_counter() < deadline:
            solved = self.relax(deadline)
            if solved is None:
                return Relaxed(np.inf if self.impossible else lower, None, False)
            value, x, multiplier, beyond = solved
            little = little + 1 if value - lower < _LITTLE * (upper - value) else 0
            if value > lower:
                lower = value
                # what binds stays: the bound is the same without the rest
                self.cuts = dict.fromkeys(
                    cut for cut, by in zip(self.cuts, multiplier, strict=True) if by > 0.0
                )
            if progress is not None:
                progress(min(lower, upper))
            if upper - lower <= CLOSED:
                break
            new = [cut for cut in self.broken(x) if cut not in self.cuts]
            whole = bool((np.abs(x - x.round()) < _BROKEN).all())
            is_graph = whole and not new
            kept = beyond <= upper - value + CLOSED
            self.sets, x, self.beyond = self.some(kept), x[kept], beyond[kept]
            if not new or (little >= _OFTEN and not whole):
                break
            self.cuts |= dict.fromkeys(new)
        else:
            x = None
        return Relaxed(lower, x, is_graph)

    def some(self, which: BoolArray) -> ParentSets:
        """Return some of the sets."""
        node, members, cost = self.sets
        return ParentSets(node[which], members[which], cost[which])

    def branches(self, x: Array) -> list[BoolArray]:
        """Tell which sets go with the edge that is least decided, and which go without it."""
        node, members, _ = self.sets
        inside = members[:, None] >> np.arange(self.d) & 1
        edges = np.zeros((self.d, self.d))
        np.add.at(edges, node, x[:, None] * inside)  # [j, i] for i -> j
        j, i = divmod(int(np.argmin(np.abs(edges - 0.5))), self.d)
        has = members >> i & 1 == 1
        back = (node == i) & (members >> j & 1 == 1)  # the other way round
        both = (node != j) | has, (node != j) | ~has
        parts = both[0] & ~back, both[1]
        return [which for which in parts if len(np.unique(node[which])) == self.d]

    def parents(self, x: Array) -> list[IntArray]:
        """Return the parents that were chosen."""
        parents = [np.empty(0, dtype=np.intp)] * self.d
        for c in np.flatnonzero(x > 0.5).tolist():
            P = int(self.sets.members[c])
            parents[self.sets.node[c]] = np.flatnonzero(P >> np.arange(self.d) & 1)
        return parents


def _sizes(sets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many members sets have."""
    found = np.zeros_like(sets)
    while sets.any():
        found += sets != 0
        sets = sets & (sets - 1)
    return found


def _grown(d: int, node: IntArray, counted: NDArray[np.int64], share: Array) -> dict[Cut, float]:
    """Return sets C that break a constraint with k = 1, grown from a node and a parent of it."""
    inside = (counted[:, None] >> np.arange(d)) & 1 == 1
    own = np.zeros((len(node), d))
    own[np.arange(len(node)), node] = share
    found: dict[Cut, float] = {}
    for a, b in zip(*np.nonzero(inside.T @ (own > 0.0)), strict=True):
        C = np.zeros(d, dtype=np.bool_)
        C[[a, b]] = True
        while True:
            hit = inside[:, C].any(axis=1)
            among = C[node]
            now = float(share[among & ~hit].sum())
            if now < 1.0 - _BROKEN:
                found[int((1 << np.flatnonzero(C)).sum()), 1] = 1.0 - now
            with_one_more = (share * among) @ ~(hit[:, None] | inside) + ~hit @ own
            with_one_more[C] = np.inf
            v = int(np.argmin(with_one_more))
            if with_one_more[v] >= now - 1e-9:
                break
            C[v] = True
    return found


@part
def _n_members(U: int) -> int:
    """Return how many members a set has."""
    n = 0
    while U:
        U &= U - 1
        n += 1
    return n


@kernel
def _listed(
    d: int,
    node: IntArray,
    counted: NDArray[np.int64],
    share: Array,
    largest: int,
    sets: NDArray[np.int64],
    k_of: IntArray,
    by: Array,
    scratch: Array,
) -> int:
    """Fill in the worst constraints that are broken for C up to a size; return how many."""
    n = 0
    chosen, fewer = scratch
    for size in range(2, largest + 1):
        for q in range(size):
            chosen[q] = q
        more = True
        while more:
            C = 0
            for q in range(size):
                C |= 1 << int(chosen[q])
                fewer[q] = 0.0
            for s in range(len(share)):
                if C >> node[s] & 1:
                    fewer[_n_members(counted[s] & C)] += share[s]
            total = 0.0
            for k in range(1, size):
                total += fewer[k - 1]
                if k - total > _BROKEN:
                    place = n
                    if n == len(by):
                        place = int(np.argmin(by))
                    if n < len(by) or k - total > by[place]:
                        sets[place], k_of[place], by[place] = C, k, k - total
                        n = max(n, place + 1)
            q = size - 1
            while q >= 0 and chosen[q] == d - size + q:
                q -= 1
            more = q >= 0
            if more:
                chosen[q] += 1
                for after in range(q + 1, size):
                    chosen[after] = chosen[after - 1] + 1
    return n
