"""What would settle it: the columns whose place, once known, gives most directions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from daglock.graph import WeightedDAG

Link = tuple[int, int]


@dataclass(frozen=True)
class Settling:
    """A column to set by experiment, or to place in time, and the directions that this gives.

    Attributes
    ----------
    column : index.
    settles : edges of the graph, by index: those at the column, and those that follow from them.
    """

    column: int
    settles: tuple[int, ...]


def what_settles(
    dag: WeightedDAG, claims: Sequence[str], targets: Collection[int] = ()
) -> list[Settling]:
    """Rank the columns by how many open or leaning links one would learn the direction of.

    Setting a column by experiment shows which of its neighbours change with it and which do not;
    so does knowing which of them come before it in time. What follows for other links is counted
    as it does if the answers are those of the graph: by Meek's rules, from the links, from the
    directions that are claimed, and from the pairs of causes that the graph does not have meet in
    an effect. Two that it does have meet may be wrong as long as they are not claimed, and nothing
    is concluded from them.

    Parameters
    ----------
    dag : WeightedDAG
    claims : for each edge "directed", "leaning" or "open".
    targets : columns that were set by experiments already.

    Returns
    -------
    list of Settling
        The most first; among equals the column that comes first. Columns that were set already
        come last, those that settle nothing are not in it.

    Examples
    --------
    >>> import numpy as np
    >>> ends = np.array([0, 1, 2]), np.array([1, 2, 3])
    >>> chain = WeightedDAG(np.arange(4), *ends, np.ones(3), np.zeros(3, dtype=bool))
    >>> [(s.column, len(s.settles)) for s in what_settles(chain, ["open"] * 3)]
    [(0, 3), (1, 3), (2, 2), (3, 1)]
    """
    edges = list(zip(dag.source.tolist(), dag.target.tolist(), strict=True))
    number = {edge: e for e, edge in enumerate(edges)}
    claimed = _Claimed(dag.d, edges)
    claimed.conclude(edge for edge, claim in zip(edges, claims, strict=True) if claim == "directed")
    unclaimed = {e for e, claim in enumerate(claims) if claim != "directed"}
    incident: list[list[int]] = [[] for _ in range(dag.d)]
    for e in sorted(unclaimed):
        for v in edges[e]:
            incident[v].append(e)
    found = []
    for v, own in enumerate(incident):
        if own:
            new = claimed.conclude(edges[e] for e in own)
            claimed.forget(new)
            settled = (set(own) | {number[edge] for edge in new}) & unclaimed
            found.append(Settling(v, tuple(sorted(settled))))
    return sorted(found, key=lambda one: (one.column in targets, -len(one.settles)))


class _Claimed:
    """Links of which some have a direction, always that of the graph."""

    def __init__(self, d: int, edges: Sequence[Link]) -> None:
        self.causes, self.parents, self.lines, self.adjacent = (
            [set[int]() for _ in range(d)] for _ in range(4)
        )
        for a, b in edges:
            self.causes[b].add(a)  # in the graph, whether or not it is claimed
            for v, u in ((a, b), (b, a)):
                self.lines[v].add(u)
                self.adjacent[v].add(u)

    def conclude(self, edges: Iterable[Link]) -> list[Link]:
        """Give links their direction, and those that follow; return all that are new."""
        new: list[Link] = []
        self._direct(edges, new)
        for a, b in new:  # the list grows while it is read
            # a rule has its new edge at an end of the line, or one step before it
            near = {a, b} | {c for c in self.adjacent[b] if b in self.parents[c]}
            lines = {pair for v in near for u in self.lines[v] for pair in ((u, v), (v, u))}
            self._direct((line for line in sorted(lines) if self._follows(*line)), new)
        return new

    def forget(self, edges: Iterable[Link]) -> None:
        """Take directions back."""
        for a, b in edges:
            self.parents[b].discard(a)
            self.lines[a].add(b)
            self.lines[b].add(a)

    def _direct(self, edges: Iterable[Link], new: list[Link]) -> None:
        """Turn lines into arrows; those that are arrows already are passed over."""
        for a, b in edges:
            if b in self.lines[a]:
                self.lines[a].discard(b)
                self.lines[b].discard(a)
                self.parents[b].add(a)
                new.append((a, b))

    def _apart(self, a: int, v: int, b: int) -> bool:
        """Whether a and b, not linked themselves, are known not to be both causes of v."""
        meet = a in self.causes[v] and b in self.causes[v]
        return b not in self.adjacent[a] and a != b and not meet

    def _follows(self, a: int, b: int) -> bool:
        """Whether one of Meek's rules turns a - b into a -> b."""
        if any(self._apart(c, a, b) for c in self.parents[a]):  # c -> a - b
            return True
        if any(a in self.parents[c] for c in self.parents[b]):  # a -> c -> b
            return True
        between = sorted(self.lines[a] & self.parents[b])  # a - c -> b and a - e -> b
        if any(self._apart(c, a, e) for c in between for e in between):
            return True
        return any(  # a - e -> c -> b, with c adjacent to a
            self._apart(e, a, b)
            for c in self.parents[b] & self.adjacent[a]
            for e in self.parents[c] & self.lines[a]
        )
