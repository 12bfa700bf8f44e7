"""Plausible graphs: drawn by what is believed of each pair, always acyclic, knowledge obeyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from daglock.effects.adjustment import Steps, reach, turned_round
from daglock.typing import IntArray

if TYPE_CHECKING:
    from daglock.confidence import Confidence
    from daglock.knowledge import Masks


class DrawnGraph(NamedTuple):
    """A graph: the parents of each node, and the place of each in a topological order."""

    parents: Steps
    place: list[int]


class PlausibleGraphs:
    """Graphs that are drawn as `Confidence` has it.

    Each pair is linked with the probability of its link, and points with that of its direction.
    Pairs are entered from the surest direction to the least sure one: one that would close a cycle
    is turned round, or left out where knowledge rules that out.

    Parameters
    ----------
    confidence : what is believed of each pair.
    knowledge : what is known, always obeyed.
    order : a topological order of the graph that was found.
    """

    def __init__(self, confidence: Confidence, knowledge: Masks, order: IntArray) -> None:
        surest = np.lexsort((-confidence.link, -np.abs(confidence.direction - 0.5)))
        self.source, self.target = confidence.source[surest], confidence.target[surest]
        self.link, self.direction = confidence.link[surest], confidence.direction[surest]
        pairs = (self.source, self.target)
        self.can_turn = np.ones(len(surest), dtype=np.bool_)
        if knowledge.allowed is not None:
            ahead, back = knowledge.allowed[pairs], knowledge.allowed.T[pairs]
            self.can_turn = ahead & back
            self.direction = np.where(self.can_turn, self.direction, ahead)
            self.link = np.where(ahead | back, self.link, 0.0)
        self.required: list[tuple[int, int]] = []
        if knowledge.required is not None:
            self.required = [(int(i), int(j)) for i, j in np.argwhere(knowledge.required)]
            told = (knowledge.required | knowledge.required.T)[pairs]
            self.link = np.where(told, 0.0, self.link)  # entered once, before all others
        self.knowledge = knowledge
        self.place = np.argsort(order).tolist()
        self.after: Steps = [[] for _ in order]
        if knowledge.before is not None:
            self.after = [np.flatnonzero(row).tolist() for row in knowledge.before]

    def may_act(self, cause: int, effect: int) -> bool:
        """Whether knowledge leaves a path from the cause to the effect, drawn or not."""
        before, allowed = self.knowledge.before, self.knowledge.allowed
        if before is not None and before[effect, cause]:
            return False
        if allowed is None:
            return True
        return effect in reach([cause], [np.flatnonzero(row).tolist() for row in allowed])

    def draw(self, rng: np.random.Generator) -> DrawnGraph:
        """Draw a graph."""
        linked = rng.random(len(self.link)) < self.link
        ahead = (rng.random(len(self.link)) < self.direction)[linked]
        source, target = self.source[linked], self.target[linked]
        graph = _Growing(self.place, self.after)
        for i, j in self.required:
            graph.add(i, j)
        for i, j, can_turn in zip(
            np.where(ahead, source, target).tolist(),
            np.where(ahead, target, source).tolist(),
            self.can_turn[linked].tolist(),
            strict=True,
        ):
            if not graph.add(i, j) and can_turn:
                graph.add(j, i)
        return DrawnGraph(graph.parents, graph.place)


class _Growing:
    """A graph that grows by edges and stays acyclic, with an order that follows it.

    Pearce and Kelly (2006), "A dynamic topological sort algorithm for directed acyclic graphs":
    only an edge that goes backward in the order costs a search, and that between its two ends.
    """

    def __init__(self, place: list[int], after: Steps) -> None:
        self.place = list(place)
        self.parents: Steps = [[] for _ in place]
        self.later = [list(nodes) for nodes in after]
        self.earlier = turned_round(after)

    def add(self, i: int, j: int) -> bool:
        """Add i -> j unless that closes a cycle; tell whether it was added."""
        place = self.place
        if place[j] < place[i]:
            behind = self._between(j, self.later, place[j], place[i])
            if i in behind:
                return False
            ahead = self._between(i, self.earlier, place[j], place[i])
            moved = [v for part in (ahead, behind) for v in sorted(part, key=place.__getitem__)]
            for v, free in zip(moved, sorted(place[v] for v in moved), strict=True):
                place[v] = free
        self.parents[j].append(i)
        self.later[i].append(j)
        self.earlier[j].append(i)
        return True

    def _between(self, start: int, steps: Steps, first: int, last: int) -> list[int]:
        """Return what steps lead to, without leaving a part of the order."""
        found, seen = [start], {start}
        for v in found:  # the list grows while it is read
            for u in steps[v]:
                if u not in seen and first <= self.place[u] <= last:
                    seen.add(u)
                    found.append(u)
        return found
