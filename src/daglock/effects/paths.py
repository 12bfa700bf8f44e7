"""Where steps from node to node lead."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

Steps: TypeAlias = list[list[int]]


def turned_round(steps: Sequence[Iterable[int]]) -> Steps:
    """Return the same steps backward: children from parents, parents from children.

    Examples
    --------
    >>> turned_round([[1, 2], [2], []])
    [[], [0], [0, 1]]
    """
    back: Steps = [[] for _ in steps]
    for v, nodes in enumerate(steps):
        for u in nodes:
            back[u].append(v)
    return back


def reach(
    start: Iterable[int], steps: Sequence[Iterable[int]], barrier: Collection[int] = ()
) -> set[int]:
    """Return the nodes that steps lead to, the start among them; none is taken from a barrier.

    Examples
    --------
    >>> reach([0], [[1], [2], []]), reach([0], [[1], [2], []], barrier={1})
    ({0, 1, 2}, {0, 1})
    """
    found = set(start)
    waiting = list(found)
    for v in waiting:  # the list grows while it is read
        new = set(steps[v]) - found if v not in barrier else set()
        found |= new
        waiting.extend(new)
    return found
