"""All DAGs on a few nodes and their classes, observational and interventional, by enumeration.

Nothing here knows Meek's rules: a class is a group of DAGs with the same key, and what it
identifies is what its members have in common.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from daglock.typing import BoolArray

Adjacency: TypeAlias = NDArray[np.int64]
# The sets of nodes that experiments act on; the empty set is an observational regime.
Family: TypeAlias = Collection[Collection[int]]

# Labelled DAGs on d nodes (Robinson 1973); equivalence classes (Gillispie and Perlman 2001).
N_DAGS = {1: 1, 2: 3, 3: 25, 4: 543, 5: 29281}
N_CLASSES = {1: 1, 2: 2, 3: 11, 4: 185, 5: 8782}


def all_orientations(d: int) -> Adjacency:
    """Every graph in which each pair is absent, forward or backward, shape (3^pairs, d, d)."""
    pairs = list(itertools.combinations(range(d), 2))
    states = np.array(list(itertools.product([0, 1, 2], repeat=len(pairs))), dtype=np.int64)
    graphs = np.zeros((len(states), d, d), dtype=np.int64)
    for k, (i, j) in enumerate(pairs):
        graphs[:, i, j] = states[:, k] == 1
        graphs[:, j, i] = states[:, k] == 2
    return graphs


def nilpotent(graphs: Adjacency) -> BoolArray:
    """A^d = 0, which characterises the adjacency matrices of DAGs."""
    power = graphs
    for _ in range(graphs.shape[-1] - 1):
        power = np.minimum(power @ graphs, 1)
    return np.asarray(~power.any(axis=(-2, -1)))


def all_dags(d: int) -> Adjacency:
    """Every DAG on d nodes, shape (number, d, d)."""
    graphs = all_orientations(d)
    return graphs[nilpotent(graphs)]


def equivalence_key(A: Adjacency) -> tuple[bytes, frozenset[tuple[int, int, int]]]:
    """Skeleton and v-structures: two DAGs are Markov equivalent when these agree."""
    skeleton = (A + A.T) > 0
    colliders = frozenset(
        (i, j, k)
        for j in range(len(A))
        for i, k in itertools.combinations(np.flatnonzero(A[:, j]).tolist(), 2)
        if not skeleton[i, k]
    )
    return skeleton.tobytes(), colliders


def interventional_key(A: Adjacency, family: Family) -> Hashable:
    """Return what DAGs share that the experiments of a family cannot tell apart.

    Skeleton, v-structures, and for each set the skeleton of the graph that is left when the edges
    into its nodes are cut (Hauser and Bühlmann 2012, theorem 10, for a conservative family).
    """
    skeletons = []
    for nodes in family:
        left = A.copy()
        left[:, list(nodes)] = 0
        skeletons.append((left + left.T).tobytes())
    return equivalence_key(A), tuple(skeletons)


def classes(dags: Iterable[Adjacency], family: Family = ((),)) -> list[list[Adjacency]]:
    """Group DAGs that a family of experiments cannot tell apart."""
    groups: dict[Hashable, list[Adjacency]] = defaultdict(list)
    for A in dags:
        groups[interventional_key(A, family)].append(A)
    return list(groups.values())


def essential_graph(members: Collection[Adjacency]) -> Adjacency:
    """Return the union of a class: 1 directed i -> j, in both cells 2 where members disagree."""
    union = np.max(list(members), axis=0)
    return np.where((union > 0) & (union.T > 0), 2, union)


def equivalent_dags(A: Adjacency, family: Family = ((),)) -> list[Adjacency]:
    """Return the class of one DAG: all orientations of its skeleton with its key, A itself too."""
    pairs = [(int(i), int(j)) for i, j in np.argwhere(A + A.T) if i < j]
    key = interventional_key(A, family)
    found = []
    for turns in itertools.product([False, True], repeat=len(pairs)):
        B = np.zeros_like(A)
        for (i, j), turned in zip(pairs, turns, strict=True):
            B[(j, i) if turned else (i, j)] = 1
        if nilpotent(B[None])[0] and interventional_key(B, family) == key:
            found.append(B)
    return found


def is_conservative(family: Family, d: int) -> bool:
    """Whether for every node there is an experiment that leaves it alone."""
    return all(any(node not in nodes for nodes in family) for node in range(d))


def random_family(d: int, n: int, rng: np.random.Generator) -> list[list[int]]:
    """Draw n sets of one to d - 1 nodes, and the empty set or not; the family is conservative."""
    while True:
        sizes = rng.integers(1, d, size=n)
        family = [sorted(rng.permutation(d)[:size].tolist()) for size in sizes]
        if rng.random() < 0.5:
            family.append([])
        if is_conservative(family, d):
            return family


def cut_edges(A: Adjacency, family: Family) -> BoolArray:
    """Tell of each edge, in the order of `np.nonzero`, whether a set has exactly one end of it."""
    source, target = np.nonzero(A)
    cut = np.zeros(len(source), dtype=np.bool_)
    for nodes in family:
        cut |= np.isin(source, list(nodes)) != np.isin(target, list(nodes))
    return cut
