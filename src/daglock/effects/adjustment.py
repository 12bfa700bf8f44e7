"""What to adjust for, so that a regression shows a total effect."""

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


def minimal_adjustment(
    parents: Sequence[Collection[int]], cause: int, effect: int
) -> tuple[int, ...] | None:
    """Return columns, none of which can be spared, that make a regression show the total effect.

    The coefficient of the cause, in a regression of the effect on the cause and these, is the
    total effect. They separate cause and effect in the graph without the first edges of the
    directed paths between the two, and nothing that follows from such a path is among them. Of
    several such sets it is one near the effect, which leaves the least noise.

    Parameters
    ----------
    parents : of each node of a DAG.
    cause, effect : nodes.

    Returns
    -------
    tuple of int, sorted, or None
        None where no directed path leads from the cause to the effect.

    References
    ----------
    Van der Zander, Liśkiewicz and Textor (2019), "Separators and adjustment sets in causal
    graphs: complete criteria and an algorithmic framework", theorem 4.6 (which sets are valid)
    and proposition 3.9 (a minimal one in two searches).

    Examples
    --------
    >>> minimal_adjustment([[], [0], [0, 1]], cause=1, effect=2)  # 0 -> 1 -> 2 <- 0
    (0,)
    """
    children = turned_round(parents)
    on_the_way = (reach([cause], children) & reach([effect], parents)) - {cause}
    if not on_the_way:
        return None
    # the graph whose paths between the two are all back doors
    parents = [
        [p for p in P if p != cause] if v in on_the_way else P for v, P in enumerate(parents)
    ]
    ancestors = reach([cause, effect], parents)
    usable = ancestors - reach(on_the_way, children) - {cause}
    near = _moral(parents, ancestors)
    closest = usable & reach([effect], near, barrier=usable)
    return tuple(sorted(closest & reach([cause], near, barrier=closest)))


def _moral(parents: Sequence[Collection[int]], nodes: set[int]) -> list[set[int]]:
    """Return who is adjacent to whom, parents of one child among them, in an ancestral set."""
    near: list[set[int]] = [set() for _ in parents]
    for v in nodes:
        family = {v, *parents[v]}
        for u in family:
            near[u] |= family
    return near
