"""A walk through a class: equivalent graphs, from one to the next by turning a covered edge.

Turning a covered edge, whose ends have the same other parents, leads from any graph of a class to
any other (Chickering 1995), and changes the parents of two nodes only. Where something beyond the
Gaussian likelihood of all rows tells equivalent graphs apart node by node, the walk goes to where
that is largest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np
from scipy.sparse import csr_array

from daglock.graph import (
    WeightedDAG,
    canonical_member,
    edges_into,
    is_dag,
    members_turned,
    topological_order,
)
from daglock.knowledge import Masks
from daglock.typing import BoolArray, IntArray

# Gains that differ by less than this, in nats, are equal up to rounding.
TIED = 1e-7


class Walk(ABC):
    """A graph on its way through its class.

    Attributes
    ----------
    parents : of each node.
    gains : for each covered edge that may be turned what that gains, in nats.
    """

    def __init__(self, dag: WeightedDAG, masks: Masks, canonical: IntArray | None = None) -> None:
        self.masks, self.held = masks, (-1, -1)
        # of equals the first by these numbers is taken, which do not depend on the columns' order
        self.canonical = np.arange(dag.d) if canonical is None else canonical
        self.rank = np.argsort(self.canonical)
        self.memo: dict[tuple[int, frozenset[int]], float] = {}
        self.go_to(dag.source, dag.target, dag.d)

    def go_to(self, source: IntArray, target: IntArray, d: int) -> None:
        """Begin at a graph with these edges."""
        parents: list[set[int]] = [set() for _ in range(d)]
        self.children: list[set[int]] = [set() for _ in range(d)]
        for i, j in zip(source.tolist(), target.tolist(), strict=True):
            parents[j].add(i)
            self.children[i].add(j)
        self.parents = [frozenset(P) for P in parents]
        self.gains: dict[tuple[int, int], float] = {}
        self._look(range(d))

    def total(self) -> float:
        """Return the log-likelihood of the graph."""
        return sum(self._known(j, P) for j, P in enumerate(self.parents))

    def losses(self) -> dict[tuple[int, int], float]:
        """Return for each edge that can be turned what the best graph loses that has it turned.

        The walk starts at an equivalent graph with the edge turned, and goes on with it held.
        """
        sets, here = self.sets(), self.total()
        d = len(sets)
        source, target = edges_into(sets)
        masks, found = self.masks, {}
        known = None if masks.allowed is None else ~masks.allowed[target, source]
        rank, before = self.rank, masks.before
        if before is not None:
            before = before[np.ix_(self.canonical, self.canonical)]
        for e, order in members_turned(rank[source], rank[target], d, known, before):
            if order is None:
                continue
            place = np.argsort(self.canonical[order])
            back = place[source] > place[target]
            i, j = int(source[e]), int(target[e])
            self.held = (j, i)
            self.go_to(np.where(back, target, source), np.where(back, source, target), d)
            self.climb(0.0)
            found[i, j] = here - self.total()
        self.held = (-1, -1)
        self.go_to(source, target, d)
        return found

    @abstractmethod
    def fit(self, j: int, P: frozenset[int]) -> float:
        """Return the log-likelihood of node j with parents P, up to a constant."""

    def is_told(self, i: int, j: int, rest: frozenset[int]) -> bool:
        """Whether there is something to compare for the edge i -> j."""
        return True

    def climb(self, least: float) -> None:
        """Turn edges, the best first, while that gains more than the least."""
        while self.gains:
            most = max(self.gains.values())
            if most <= least + TIED:
                return
            self.turn(*next(edge for edge, gain in self.gains.items() if gain > most - TIED))

    def turn(self, i: int, j: int) -> None:
        """Turn the covered edge i -> j."""
        rest = self.parents[i]
        self.parents[j], self.parents[i] = rest, rest | {j}
        self.children[i].remove(j)
        self.children[j].add(i)
        self.gains = {edge: gain for edge, gain in self.gains.items() if not {i, j} & {*edge}}
        self._look((i, j))

    def sets(self) -> list[IntArray]:
        """Return the parents of each node as arrays."""
        return [np.array(sorted(P), dtype=np.intp) for P in self.parents]

    def _look(self, nodes: Iterable[int]) -> None:
        """Find the covered edges at some nodes."""
        edges = {(i, j) for j in nodes for i in self.parents[j]}
        edges |= {(i, j) for i in nodes for j in self.children[i]}
        for i, j in sorted(edges, key=lambda edge: (self.rank[edge[0]], self.rank[edge[1]])):
            rest = self.parents[j] - {i}
            if (i, j) == self.held:
                continue
            if self.parents[i] == rest and self._may(j, i) and self.is_told(i, j, rest):
                now = self._known(i, rest) + self._known(j, self.parents[j])
                then = self._known(j, rest) + self._known(i, rest | {j})
                self.gains[i, j] = then - now

    def _known(self, j: int, P: frozenset[int]) -> float:
        """Return the fit, worked out once."""
        found = self.memo.get((j, P))
        if found is None:
            found = self.memo[j, P] = self.fit(j, P)
        return found

    def _may(self, i: int, j: int) -> bool:
        """Whether knowledge leaves i -> j instead of j -> i free."""
        masks = self.masks
        if masks.allowed is not None and not masks.allowed[i, j]:
            return False
        if masks.required is not None and masks.required[j, i]:
            return False
        if masks.before is None:
            return True
        edges = masks.before.copy()
        for k, P in enumerate(self.parents):
            edges[list(P), k] = True
        edges[j, i], edges[i, j] = masks.before[j, i], True
        return is_dag(edges)


def oriented_by(
    dag: WeightedDAG, sets: list[IntArray], sure: set[tuple[int, int]], masks: Masks
) -> tuple[BoolArray, BoolArray, IntArray]:
    """Return which edges of a graph of the class are oriented, which by the sure ones, an order.

    Parameters
    ----------
    dag : the graph that the walk began at; what it says to be oriented stays so.
    sets : parents of each node at its end.
    sure : edges that the walk is sure of; what follows from them, and not from class and knowledge
        alone, is oriented too.
    masks : knowledge.
    """
    d = dag.d
    source, target = edges_into(sets)
    edges = list(zip(source.tolist(), target.tolist(), strict=True))
    told = np.zeros(len(edges), dtype=np.bool_)
    if masks.allowed is not None:
        told = ~masks.allowed[target, source]
    is_sure = np.array([edge in sure for edge in edges], dtype=np.bool_)
    begun = dag.oriented
    by_class = set(zip(dag.source[begun].tolist(), dag.target[begun].tolist(), strict=True))
    stays = np.array([edge in by_class for edge in edges], dtype=np.bool_)
    with_walk, without = (
        canonical_member(source, target, d, known, masks.before)[2]
        for known in (told | is_sure, told)
    )
    by_walk = (with_walk & ~without) | (is_sure & ~stays)
    place = dag.position
    links = csr_array((np.ones(len(source)), (place[source], place[target])), shape=(d, d))
    if masks.before is not None:
        links = links + csr_array(masks.before[np.ix_(dag.order, dag.order)].astype(np.float64))
    order = dag.order[topological_order(links)]
    return stays | by_walk, by_walk, order
