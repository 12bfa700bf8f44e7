"""What would settle it: the columns whose place, once known, gives most directions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from daglock.graph import WeightedDAG
from daglock.typing import BoolArray

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
    dag: WeightedDAG, settled: Sequence[bool] | BoolArray, targets: Collection[int] = ()
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
    settled : for each edge whether its direction is claimed.
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
    >>> [(s.column, len(s.settles)) for s in what_settles(chain, [False] * 3)]
    [(0, 3), (1, 3), (2, 2), (3, 1)]
    """
    edges = list(zip(dag.source.tolist(), dag.target.tolist(), strict=True))
    number = {edge: e for e, edge in enumerate(edges)}
    claimed = _Claimed(dag.d, edges)
    claimed.conclude(edge for edge, known in zip(edges, settled, strict=True) if known)
    unclaimed = {e for e, known in enumerate(settled) if not known}
    incident: list[list[int]] = [[] for _ in range(dag.d)]
    for e in sorted(unclaimed):
        for v in edges[e]:
            incident[v].append(e)
    found = []
    for v, own in enumerate(incident):
        if own:
            new = claimed.conclude(edges[e] for e in own)
            claimed.forget(new)
            gained = (set(own) | {number[edge] for edge in new}) & unclaimed
            found.append(Settling(v, tuple(sorted(gained))))
    return sorted(found, key=lambda one: (one.column in targets, -len(one.settles)))


class _Claimed:
    """Links of which some have a direction, always that of the graph; sets are bits of numbers."""

    def __init__(self, d: int, edges: Sequence[Link]) -> None:
        self.causes, self.parents, self.children, self.lines, self.adjacent = (
            [0] * d for _ in range(5)
        )
        for a, b in edges:
            self.causes[b] |= 1 << a  # in the graph, whether or not it is claimed
            for v, u in ((a, b), (b, a)):
                self.lines[v] |= 1 << u
                self.adjacent[v] |= 1 << u

    def conclude(self, edges: Iterable[Link]) -> list[Link]:
        """Give links their direction, and those that follow; return all that are new."""
        new: list[Link] = []
        self._direct(edges, new)
        for a, b in new:  # the list grows while it is read
            # the lines that a rule can turn by this arrow: at its head, and from its tail, or from
            # a neighbour of that, to where its head leads
            lines = {pair for v in _members(self.lines[b]) for pair in ((b, v), (v, b))}
            for v in (a, *_members(self.lines[a])):
                lines.update((v, u) for u in _members(self.lines[v] & self.children[b]))
            self._direct((line for line in sorted(lines) if self._follows(*line)), new)
        return new

    def forget(self, edges: Iterable[Link]) -> None:
        """Take directions back."""
        for a, b in edges:
            self.parents[b] &= ~(1 << a)
            self.children[a] &= ~(1 << b)
            self.lines[a] |= 1 << b
            self.lines[b] |= 1 << a

    def _direct(self, edges: Iterable[Link], new: list[Link]) -> None:
        """Turn lines into arrows; those that are arrows already are passed over."""
        for a, b in edges:
            if self.lines[a] >> b & 1:
                self.lines[a] &= ~(1 << b)
                self.lines[b] &= ~(1 << a)
                self.parents[b] |= 1 << a
                self.children[a] |= 1 << b
                new.append((a, b))

    def _apart(self, v: int, b: int) -> int:
        """Return those that are not linked to b and known not to meet it in v."""
        meet = self.causes[v] if self.causes[v] >> b & 1 else 0
        return ~(self.adjacent[b] | 1 << b | meet)

    def _follows(self, a: int, b: int) -> bool:
        """Whether one of Meek's rules turns a - b into a -> b."""
        apart = self._apart(a, b)
        if self.parents[a] & apart:  # c -> a - b
            return True
        if self.children[a] & self.parents[b]:  # a -> c -> b
            return True
        between = self.lines[a] & self.parents[b]  # a - c -> b and a - e -> b
        if any(between & self._apart(a, c) for c in _members(between)):
            return True
        loose = self.lines[a] & apart  # a - e -> c -> b, with c adjacent to a
        return bool(loose) and any(
            self.parents[c] & loose for c in _members(self.parents[b] & self.adjacent[a])
        )


def _members(bits: int) -> Iterator[int]:
    """Go through the members of a set."""
    while bits:
        least = bits & -bits
        yield least.bit_length() - 1
        bits ^= least
