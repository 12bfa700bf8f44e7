"""Which edges of a DAG are oriented by its class and by knowledge, and one DAG for each class."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from scipy import sparse

from daglock.graph.cpdag import dag_to_cpdag
from daglock.typing import BoolArray, IntArray

# Nodes that may be placed in vain before the search for an order is given up: knowledge about
# variables that are not adjacent can make it go back and forth.
MAX_PLACED = 5000
# Up to this many variables it is worked out what such knowledge orients beyond Meek's rules; with
# more of them these edges are left open.
MAX_PATHS = 100


def oriented_edges(
    source: IntArray,
    target: IntArray,
    d: int,
    known: BoolArray | None = None,
    before: BoolArray | None = None,
) -> BoolArray:
    """Tell for each edge of a DAG whether every equivalent DAG that knowledge allows has it.

    Parameters
    ----------
    source, target : the edges i -> j of a DAG.
    d : number of nodes.
    known : for each edge, whether knowledge rules out its reverse.
    before : (d, d) bool, ``before[i, j]``: no directed path leads from j to i.

    Returns
    -------
    array of bool, one for each edge

    References
    ----------
    Meek (1995), "Causal inference and causal explanation with background knowledge", rules R1 to
    R4: they are complete for known orientations of edges. What is known of paths is not of that
    kind: there each edge that is left is turned, and an equivalent DAG looked for (up to 100
    nodes; with more of them such edges are left open).

    Examples
    --------
    >>> source, target = np.array([0, 1]), np.array([1, 2])  # 0 -> 1 -> 2
    >>> oriented_edges(source, target, 3).tolist()
    [False, False]
    >>> oriented_edges(source, target, 3, np.array([True, False])).tolist()
    [True, True]
    """
    return _oriented(_class_of(source, target, d, known, before), source, target)


def canonical_member(
    source: IntArray,
    target: IntArray,
    d: int,
    known: BoolArray | None = None,
    before: BoolArray | None = None,
) -> tuple[IntArray, IntArray, BoolArray]:
    """Return the DAG that stands for all that are equivalent and that knowledge allows.

    Nodes are placed one after the other, always the first by index that can be next: no edge into
    it comes from one that is not placed, nor must one that is not placed precede it. Its edges
    that are not oriented then point away from it, and Meek's rules say what follows.

    Parameters
    ----------
    source, target, d, known, before : see `oriented_edges`.

    Returns
    -------
    source, target : its edges, in the sequence in which they were given.
    oriented : whether all of these DAGs have the edge.

    Examples
    --------
    >>> canonical_member(np.array([2, 1]), np.array([1, 0]), 3)  # 2 -> 1 -> 0
    (array([1, 0]), array([2, 1]), array([False, False]))
    """
    graph = _class_of(source, target, d, known, before)
    placed = _extend(graph, before)
    if placed is not None:
        position = np.empty(d, dtype=np.intp)
        position[placed] = np.arange(d)
        turned = position[source] > position[target]
        source, target = np.where(turned, target, source), np.where(turned, source, target)
    return source, target, _oriented(graph, source, target)


class _Partial:
    """A partially directed graph as sets of parents, children and undirected neighbours."""

    def __init__(self, d: int) -> None:
        self.parents: list[set[int]] = [set() for _ in range(d)]
        self.children: list[set[int]] = [set() for _ in range(d)]
        self.lines: list[set[int]] = [set() for _ in range(d)]
        self.adjacent: list[set[int]] = [set() for _ in range(d)]

    def copy(self) -> _Partial:
        """Return a graph of its own; who is adjacent to whom never changes."""
        other = _Partial(0)
        other.parents, other.children, other.lines = (
            [set(nodes) for nodes in sets] for sets in (self.parents, self.children, self.lines)
        )
        other.adjacent = self.adjacent
        return other

    def add(self, a: int, b: int, is_directed: bool) -> None:
        """Add a -> b or a - b."""
        self.adjacent[a].add(b)
        self.adjacent[b].add(a)
        if is_directed:
            self.parents[b].add(a)
            self.children[a].add(b)
        else:
            self.lines[a].add(b)
            self.lines[b].add(a)

    def direct(self, a: int, b: int) -> None:
        """Turn a - b into a -> b."""
        self.lines[a].discard(b)
        self.lines[b].discard(a)
        self.parents[b].add(a)
        self.children[a].add(b)

    def close(self, directed: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Apply Meek's rules to what follows from new directed edges; return those and the rest."""
        done, waiting = list(directed), list(directed)
        while waiting:
            a, b = waiting.pop()
            # a rule has its new edge at an end of the line, or (R4) one step before it
            for v in {a, b} | self.children[b]:
                for u in sorted(self.lines[v]):
                    pair = (u, v) if self.compels(u, v) else (v, u)
                    if pair[0] == u or self.compels(v, u):
                        self.direct(*pair)
                        done.append(pair)
                        waiting.append(pair)
        return done

    def compels(self, a: int, b: int) -> bool:
        """Whether one of the rules turns a - b into a -> b."""
        if self.parents[a] - self.adjacent[b]:  # R1: b <- a would make c -> a <- b a collider
            return True
        if self.children[a] & self.parents[b]:  # R2: b -> a would close a -> c -> b
            return True
        between = self.lines[a] & self.parents[b]
        if any(between - self.adjacent[c] - {c} for c in between):  # R3: two such, not adjacent
            return True
        return any(  # R4: a - e -> c -> b, with c adjacent to a and e not adjacent to b
            (self.parents[c] & self.lines[a]) - self.adjacent[b]
            for c in self.parents[b] & self.adjacent[a]
        )


def _oriented(graph: _Partial, source: IntArray, target: IntArray) -> BoolArray:
    """Tell which edges are no lines."""
    pairs = zip(source.tolist(), target.tolist(), strict=True)
    return np.array([b not in graph.lines[a] for a, b in pairs], dtype=np.bool_)


def _class_of(
    source: IntArray,
    target: IntArray,
    d: int,
    known: BoolArray | None,
    before: BoolArray | None,
) -> _Partial:
    """Return what all equivalent DAGs that knowledge allows agree on, the rest as lines."""
    ones = np.ones(len(source), dtype=np.int8)
    cpdag = dag_to_cpdag(sparse.csr_array((ones, (source, target)), shape=(d, d)))
    oriented = np.asarray(sparse.csr_array(cpdag)[source, target] == 1) if len(source) else ones
    graph = _Partial(d)
    pairs = list(zip(source.tolist(), target.tolist(), strict=True))
    for (a, b), is_directed in zip(pairs, oriented.tolist(), strict=True):
        graph.add(a, b, bool(is_directed))
    if known is not None:
        new = [pairs[e] for e in np.flatnonzero(known & ~oriented)]
        for a, b in new:
            graph.direct(a, b)
        graph.close(new)
    if before is not None and d <= MAX_PATHS and _about_paths(graph, before):
        for a, b in pairs:
            if b in graph.lines[a] and not _can_turn(graph, a, b, before):
                graph.direct(a, b)
                graph.close([(a, b)])
    return graph


def _about_paths(graph: _Partial, before: BoolArray) -> bool:
    """Whether knowledge is about variables that are not adjacent, and lines are left to it."""
    if not any(graph.lines):
        return False
    return any(int(j) not in graph.adjacent[i] for i, j in np.argwhere(before))


def _can_turn(graph: _Partial, a: int, b: int, before: BoolArray) -> bool:
    """Whether there is an equivalent DAG with b -> a instead of a - b."""
    turned = graph.copy()
    turned.direct(b, a)
    turned.close([(b, a)])
    return _extend(turned, before) is not None


def _extend(graph: _Partial, before: BoolArray | None) -> list[int] | None:
    """Return an order that gives every line a direction, in the way of `canonical_member`.

    None where no such order is found. Without knowledge about paths no choice is regretted: in a
    graph that is closed under Meek's rules all lines of a node can point away from it where no
    other edge into it is left. Else the choices are gone through.
    """
    d = len(graph.lines)
    after: list[list[int]] = [[] for _ in range(d)]
    if before is not None:
        after = [np.flatnonzero(row).tolist() for row in before]
    order = _Placing(graph.copy(), after).run()
    if len(order) == d:
        return order
    return _go_through(_Placing(graph.copy(), after), [MAX_PLACED // d])


class _Placing:
    """Nodes that are put in an order, one after the other, in a graph of their own."""

    def __init__(self, graph: _Partial, after: list[list[int]]) -> None:
        self.graph, self.after = graph, after
        self.order: list[int] = []
        self.is_placed = [False] * len(after)
        self.missing = [len(parents) for parents in graph.parents]  # who must be placed before
        for successors in after:
            for v in successors:
                self.missing[v] += 1

    def copy(self) -> _Placing:
        """Return the same state, to go on from it in another way."""
        other = _Placing(self.graph.copy(), self.after)
        other.order, other.is_placed = list(self.order), list(self.is_placed)
        other.missing = list(self.missing)
        return other

    def free(self) -> list[int]:
        """Return the nodes that can be next, by index."""
        return [v for v, n in enumerate(self.missing) if n == 0 and not self.is_placed[v]]

    def place(self, v: int) -> list[int]:
        """Put v next, its lines point away from it; return who has nobody left to wait for."""
        lines = [(v, u) for u in sorted(self.graph.lines[v])]
        for pair in lines:
            self.graph.direct(*pair)
        for a, b in self.graph.close(lines):
            self.missing[b] += not self.is_placed[a]
        self.order.append(v)
        self.is_placed[v] = True
        ready = []
        for u in [*self.graph.children[v], *self.after[v]]:
            self.missing[u] -= 1
            if self.missing[u] == 0:
                ready.append(u)
        return ready

    def run(self) -> list[int]:
        """Place the first that is free, again and again; return the order, as far as it goes."""
        waiting = self.free()
        heapify(waiting)
        while waiting:
            v = heappop(waiting)
            if self.missing[v] == 0 and not self.is_placed[v]:
                for u in self.place(v):
                    heappush(waiting, u)
        return self.order


def _go_through(state: _Placing, left: list[int]) -> list[int] | None:
    """Try one choice after the other; ``left[0]`` nodes may still be placed."""
    while True:
        free = state.free()
        harmless = [v for v in free if not state.graph.lines[v]]
        if not harmless:
            break
        for v in harmless:
            state.place(v)
    if len(state.order) == len(state.missing):
        return state.order
    for v in free:
        if left[0] <= 0:
            return None
        left[0] -= 1
        attempt = state.copy()
        attempt.place(v)
        found = _go_through(attempt, left)
        if found is not None:
            return found
    return None
