"""Leeway: the effects that directions allow which nobody claims."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations

from daglock.effects.adjustment import Steps, reach
from daglock.effects.linear import slope
from daglock.graph import WeightedDAG
from daglock.typing import Array, BoolArray

# With so many neighbours whose direction is open there are 4096 sets of parents to go through.
MOST_OPEN = 12


def open_neighbours(dag: WeightedDAG, claimed: BoolArray, node: int) -> list[int]:
    """Return who is linked to a node in a direction that is not claimed."""
    free = ~claimed
    before, after = (free & (end == node) for end in (dag.target, dag.source))
    return sorted([*dag.source[before].tolist(), *dag.target[after].tolist()])


def over_open_directions(
    dag: WeightedDAG, claimed: BoolArray, cov: Array, cause: int, effect: int, value: float
) -> tuple[float, float] | None:
    """Return the least and the largest total effect that open directions allow.

    The links are those of the graph, and so are the directions that are claimed. Each set of the
    cause's open neighbours may be its parents, the others its children, unless that closes a cycle
    of claimed directions or makes a collider at the cause that the graph does not have. The total
    effect is then the coefficient of the cause beside its parents, and 0 where the effect is one of
    them. When exactly the directions that the equivalence class leaves open are not claimed, this
    is the range over the class.

    Parameters
    ----------
    dag : the graph that was found.
    claimed : whether the direction of each of its edges is claimed.
    cov : (d, d) of the columns.
    cause, effect : columns.
    value : the total effect in the graph that was found.

    Returns
    -------
    (low, high), or None where more than 12 neighbours are open.

    References
    ----------
    Maathuis, Kalisch and Bühlmann (2009), "Estimating high-dimensional intervention effects from
    observational data", algorithm 3; with directions that are known beyond the class, Fang and He
    (2020), "IDA with background knowledge", theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> chain = WeightedDAG.from_matrix(np.array([[0, 1.0], [0, 0]]))
    >>> cov = np.array([[1.0, 1.0], [1.0, 2.0]])
    >>> over_open_directions(chain, np.array([False]), cov, cause=0, effect=1, value=1.0)
    (0.0, 1.0)
    """
    sets = possible_parents(dag, claimed, cause)
    if sets is None:
        return None
    found = set(dag.parents[cause].tolist())
    values = [value]
    for parents in sets:
        if parents == found:
            continue
        values.append(0.0 if effect in parents else slope(cov, cause, effect, sorted(parents)))
    return min(values), max(values)


def possible_parents(dag: WeightedDAG, claimed: BoolArray, node: int) -> Iterator[set[int]] | None:
    """Return the sets of parents that open directions allow a node; None where they are many."""
    lines = open_neighbours(dag, claimed, node)
    return None if len(lines) > MOST_OPEN else _possible_parents(dag, claimed, node, lines)


def _possible_parents(
    dag: WeightedDAG, claimed: BoolArray, node: int, lines: Collection[int]
) -> Iterator[set[int]]:
    """Yield the sets of parents that a node can have."""
    steps, near = _claimed_steps(dag, claimed), _adjacent(dag)
    told = set(dag.source[claimed & (dag.target == node)].tolist())
    follow = {v: reach([v], steps) for v in {*lines, *steps[node]}}
    found = set(dag.parents[node].tolist())
    for size in range(len(lines) + 1):
        for chosen in combinations(lines, size):
            parents = told.union(chosen)
            children = {*lines, *steps[node]}.difference(chosen)
            is_new = any(
                b not in near[a] and not {a, b} <= found for a, b in combinations(parents, 2)
            )
            if not is_new and all(follow[v].isdisjoint(parents) for v in children):
                yield parents


def _claimed_steps(dag: WeightedDAG, claimed: BoolArray) -> Steps:
    """Return for each node those that a claimed direction leads to."""
    steps: Steps = [[] for _ in range(dag.d)]
    for i, j in zip(dag.source[claimed].tolist(), dag.target[claimed].tolist(), strict=True):
        steps[i].append(j)
    return steps


def _adjacent(dag: WeightedDAG) -> list[set[int]]:
    """Return for each node who is linked to it."""
    near: list[set[int]] = [set() for _ in range(dag.d)]
    for i, j in zip(dag.source.tolist(), dag.target.tolist(), strict=True):
        near[i].add(j)
        near[j].add(i)
    return near
