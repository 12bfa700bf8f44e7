"""Which edges of a DAG are oriented: by the equivalence class, and by what is known besides."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from daglock.graph import dag_to_cpdag
from daglock.typing import BoolArray, IntArray


def oriented_edges(
    source: IntArray, target: IntArray, d: int, known: BoolArray | None = None
) -> BoolArray:
    """Tell for each edge of a DAG whether every equivalent DAG that knowledge allows has it.

    Parameters
    ----------
    source, target : the edges i -> j of a DAG.
    d : number of nodes.
    known : for each edge, whether knowledge rules out its reverse.

    Returns
    -------
    array of bool, one for each edge

    References
    ----------
    Meek (1995), "Causal inference and causal explanation with background knowledge", rules R1 to
    R4: they are complete for known orientations of edges.

    Examples
    --------
    >>> source, target = np.array([0, 1]), np.array([1, 2])  # 0 -> 1 -> 2
    >>> oriented_edges(source, target, 3).tolist()
    [False, False]
    >>> oriented_edges(source, target, 3, np.array([True, False])).tolist()
    [True, True]
    """
    ones = np.ones(len(source), dtype=np.int8)
    cpdag = dag_to_cpdag(sparse.csr_array((ones, (source, target)), shape=(d, d)))
    marks = sparse.csr_array(cpdag)[source, target] if len(source) else np.empty(0)
    oriented = np.asarray(marks == 1)
    if known is None or not (known & ~oriented).any():
        return oriented
    return _close(source, target, d, oriented | known)


def _close(source: IntArray, target: IntArray, d: int, oriented: BoolArray) -> BoolArray:
    """Apply Meek's rules until nothing changes; every orientation is that of the DAG."""
    graph = _Partial(d)
    pairs = list(zip(source.tolist(), target.tolist(), strict=True))
    for (a, b), is_directed in zip(pairs, oriented.tolist(), strict=True):
        graph.add(a, b, is_directed)
    waiting = [pair for pair, done in zip(pairs, oriented.tolist(), strict=True) if not done]
    changed = True
    while changed:
        compelled = [pair for pair in waiting if graph.compels(*pair)]
        for a, b in compelled:
            graph.direct(a, b)
        waiting = [pair for pair in waiting if pair not in set(compelled)]
        changed = bool(compelled)
    left = set(waiting)
    return np.array([pair not in left for pair in pairs], dtype=np.bool_)


class _Partial:
    """A partially directed graph as sets of parents, children and undirected neighbours."""

    def __init__(self, d: int) -> None:
        self.parents: list[set[int]] = [set() for _ in range(d)]
        self.children: list[set[int]] = [set() for _ in range(d)]
        self.lines: list[set[int]] = [set() for _ in range(d)]
        self.adjacent: list[set[int]] = [set() for _ in range(d)]

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
