"""Equivalence classes of DAGs: what a class and knowledge orient, and one DAG for each class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from daglock.graph.directed import Graph, Sparse, as_csr, edge_list, topological_order
from daglock.typing import BoolArray, IntArray

Marks: TypeAlias = "sparse.csr_array[np.int8, tuple[int, int]]"
# Nodes that may be placed in vain before the search for an order is given up: knowledge about
# variables that are not adjacent can make it go back and forth.
MAX_PLACED = 5000
# Up to this many variables it is worked out what such knowledge orients beyond Meek's rules; with
# more of them these edges are left open.
MAX_PATHS = 100


@overload
def dag_to_cpdag(W: NDArray[Any]) -> NDArray[np.int8]: ...
@overload
def dag_to_cpdag(W: Sparse) -> Marks: ...
def dag_to_cpdag(W: Graph) -> NDArray[np.int8] | Marks:
    """Return the completed partially directed graph of a DAG's Markov equivalence class.

    An edge is directed when all DAGs with the same skeleton and v-structures agree on it. Nodes
    are labelled in topological order. Let x be the last parent of y: the edges into y keep the
    labels of the edges into x, and the others are undirected, if
    ``compelled(x) ⊆ pa(y)`` and ``pa(y) ∖ {x} ⊆ pa(x)``; otherwise all edges into y are directed.
    A graph with a cycle raises NotADAGError.

    Returns
    -------
    (d, d) int8, sparse when ``W`` is: 0 no edge, 1 directed i -> j, 2 undirected (in both cells).

    References
    ----------
    Chickering (1995), "A transformational characterization of equivalent Bayesian network
    structures", procedure Label-Edges, of which this is the form for one node at a time.

    Examples
    --------
    >>> dag_to_cpdag(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]]))
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]], dtype=int8)
    >>> dag_to_cpdag(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    array([[0, 2, 0],
           [2, 0, 2],
           [0, 2, 0]], dtype=int8)
    """
    csr = as_csr(W)
    sources, targets, _ = edge_list(csr)
    cpdag = marked(sources, targets, _compelled(sources, targets, csr.shape[0]), csr.shape[0])
    return cpdag if sparse.issparse(W) else cpdag.toarray()


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
    source, target : the edges i -> j of a DAG on d nodes.
    known : for each edge, whether knowledge rules out its reverse.
    before : (d, d) bool, ``before[i, j]``: no directed path leads from j to i.

    Returns
    -------
    source, target, oriented : its edges, in the sequence in which they were given, and whether
        all of these DAGs have them.

    References
    ----------
    Meek (1995), "Causal inference and causal explanation with background knowledge", rules R1 to
    R4: they are complete for known orientations of edges. What is known of paths is not of that
    kind: there each edge that is left is turned, and an equivalent DAG looked for (up to 100
    nodes; with more of them such edges are left open).

    Examples
    --------
    >>> chain = np.array([2, 1]), np.array([1, 0])  # 2 -> 1 -> 0
    >>> canonical_member(*chain, 3)
    (array([1, 0]), array([2, 1]), array([False, False]))
    >>> canonical_member(*chain, 3, known=np.array([True, False]))
    (array([2, 1]), array([1, 0]), array([ True,  True]))
    """
    graph = _class_of(source, target, d, known, before)
    placed = _extend(graph, before)
    if placed is not None:
        position = np.argsort(placed)
        turned = position[source] > position[target]
        source, target = np.where(turned, target, source), np.where(turned, source, target)
    pairs = zip(source.tolist(), target.tolist(), strict=True)
    oriented = np.array([b not in graph.lines[a] for a, b in pairs], dtype=np.bool_)
    return source, target, oriented


def members_turned(
    source: IntArray,
    target: IntArray,
    d: int,
    known: BoolArray | None = None,
    before: BoolArray | None = None,
) -> Iterator[tuple[int, IntArray | None]]:
    """Yield the number of each edge of a DAG, and an order of an equivalent one that has it turned.

    None where there is no such DAG: all of the class have the edge, or knowledge rules it out.

    Examples
    --------
    >>> chain = np.array([0, 1]), np.array([1, 2])  # 0 -> 1 -> 2
    >>> {e: order.tolist() for e, order in members_turned(*chain, 3)}
    {0: [1, 0, 2], 1: [2, 1, 0]}
    """
    graph = _class_of(source, target, d, known, before)
    for e, (a, b) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        order = None
        if b in graph.lines[a]:
            turned = graph.copy()
            turned.orient([(b, a)])
            order = _extend(turned, before)
        yield e, None if order is None else np.array(order, dtype=np.intp)


def marked(source: IntArray, target: IntArray, directed: BoolArray, d: int) -> Marks:
    """Return a partially directed graph, sparse: 1 directed i -> j, 2 undirected (both cells)."""
    free = ~directed
    rows = np.concatenate([source, target[free]])
    columns = np.concatenate([target, source[free]])
    marks = np.concatenate([np.where(free, 2, 1), np.full(int(free.sum()), 2)])
    return sparse.csr_array((marks.astype(np.int8), (rows, columns)), shape=(d, d))


def _compelled(source: IntArray, target: IntArray, d: int) -> BoolArray:
    """Tell which edges of a DAG all DAGs of its class have."""
    order = topological_order(sparse.csr_array((np.ones(len(source)), (source, target)), (d, d)))
    rank = np.argsort(order).tolist()
    parents: list[set[int]] = [set() for _ in range(d)]
    compelled: list[set[int]] = [set() for _ in range(d)]
    edges = list(zip(source.tolist(), target.tolist(), strict=True))
    for x, y in edges:
        parents[y].add(x)
    for y in order.tolist():
        if parents[y]:
            x = max(parents[y], key=rank.__getitem__)
            inherits = compelled[x] <= parents[y] and parents[y] - {x} <= parents[x]
            compelled[y] = compelled[x] if inherits else parents[y]
    return np.array([x in compelled[y] for x, y in edges], dtype=np.bool_)


@dataclass
class _Partial:
    """A partially directed graph: for each node who is adjacent, and how."""

    parents: list[set[int]]
    children: list[set[int]]
    lines: list[set[int]]
    adjacent: list[set[int]]

    def copy(self) -> _Partial:
        """Return a graph of its own; who is adjacent to whom never changes."""
        parents, children, lines = (
            [set(nodes) for nodes in sets] for sets in (self.parents, self.children, self.lines)
        )
        return _Partial(parents, children, lines, self.adjacent)

    def direct(self, a: int, b: int) -> None:
        """Turn a - b into a -> b."""
        self.lines[a].discard(b)
        self.lines[b].discard(a)
        self.parents[b].add(a)
        self.children[a].add(b)

    def orient(self, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Give lines a direction, and all that follow by Meek's rules; return both."""
        for a, b in lines:
            self.direct(a, b)
        done = list(lines)
        for a, b in done:  # the list grows while it is read
            # a rule has its new edge at an end of the line, or (R4) one step before it
            for v in {a, b} | self.children[b]:
                for u in sorted(self.lines[v]):
                    pair = (u, v) if self.compels(u, v) else (v, u)
                    if pair[0] == u or self.compels(v, u):
                        self.direct(*pair)
                        done.append(pair)
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


def _class_of(
    source: IntArray,
    target: IntArray,
    d: int,
    known: BoolArray | None,
    before: BoolArray | None,
) -> _Partial:
    """Return what all equivalent DAGs that knowledge allows agree on, the rest as lines."""
    parents, children, lines, adjacent = ([set[int]() for _ in range(d)] for _ in range(4))
    graph = _Partial(parents, children, lines, adjacent)
    oriented = _compelled(source, target, d)
    pairs = list(zip(source.tolist(), target.tolist(), strict=True))
    for (a, b), is_directed in zip(pairs, oriented.tolist(), strict=True):
        for v, u in ((a, b), (b, a)):
            adjacent[v].add(u)
            lines[v].add(u)
        if is_directed:
            graph.direct(a, b)
    if known is not None:
        graph.orient([pairs[e] for e in np.flatnonzero(known & ~oriented)])
    if before is not None and d <= MAX_PATHS and _about_paths(graph, before):
        for a, b in pairs:
            if b in graph.lines[a] and not _can_turn(graph, a, b, before):
                graph.orient([(a, b)])
    return graph


def _about_paths(graph: _Partial, before: BoolArray) -> bool:
    """Whether knowledge is about variables that are not adjacent, and lines are left to it."""
    pairs = np.argwhere(before).tolist() if any(graph.lines) else []
    return any(j not in graph.adjacent[i] for i, j in pairs)


def _can_turn(graph: _Partial, a: int, b: int, before: BoolArray) -> bool:
    """Whether there is an equivalent DAG with b -> a instead of a - b."""
    turned = graph.copy()
    turned.orient([(b, a)])
    return _extend(turned, before) is not None


def _extend(graph: _Partial, before: BoolArray | None) -> list[int] | None:
    """Return an order that gives every line a direction, in the way of `canonical_member`.

    None where no such order is found. Without knowledge about paths no choice is regretted: in a
    graph that is closed under Meek's rules all lines of a node can point away from it where no
    other edge into it is left. Else the choices are gone through.
    """
    d = len(graph.lines)
    after: list[list[int]] = [[] for _ in range(d)]
    missing = [len(parents) for parents in graph.parents]
    if before is not None:
        after = [np.flatnonzero(row).tolist() for row in before]
        missing = (before.sum(axis=0) + missing).tolist()
    begin = _Placing(graph, after, [], missing)
    order = begin.copy().run()
    return order if len(order) == d else _go_through(begin.copy(), [MAX_PLACED // d])


@dataclass
class _Placing:
    """Nodes that are put in an order, one after the other, in a graph of their own.

    ``missing`` counts for each node who must be placed before it; −1 when it is placed itself.
    """

    graph: _Partial
    after: list[list[int]]
    order: list[int]
    missing: list[int]

    def copy(self) -> _Placing:
        """Return the same state, to go on from it in another way."""
        return _Placing(self.graph.copy(), self.after, list(self.order), list(self.missing))

    def free(self) -> list[int]:
        """Return the nodes that can be next, by index."""
        return [v for v, n in enumerate(self.missing) if n == 0]

    def place(self, v: int) -> list[int]:
        """Put v next, its lines point away from it; return who has nobody left to wait for."""
        for a, b in self.graph.orient([(v, u) for u in sorted(self.graph.lines[v])]):
            self.missing[b] += self.missing[a] >= 0
        self.order.append(v)
        self.missing[v] = -1
        ready = []
        for u in [*self.graph.children[v], *self.after[v]]:
            self.missing[u] -= 1
            if self.missing[u] == 0:
                ready.append(u)
        return ready

    def run(self) -> list[int]:
        """Place the first that is free, again and again; return the order, as far as it goes."""
        waiting = self.free()  # sorted, and so a heap
        while waiting:
            v = heappop(waiting)
            if self.missing[v] == 0:
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
