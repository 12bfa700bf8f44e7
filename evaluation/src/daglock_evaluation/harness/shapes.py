"""Graphs of many shapes: real networks are not all alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from daglock.simulate import erdos_renyi, scale_free
from daglock.typing import Array, BoolArray

# A shape, d and the average degree give edges i -> j, i < j.
Shape: TypeAlias = Callable[[int, float, np.random.Generator], BoolArray]


def random_pairs(d: int, degree: float, rng: np.random.Generator) -> BoolArray:
    """All sets of pairs are equally likely."""
    return _along_an_order(erdos_renyi(d, round(degree * d / 2), rng=rng), rng)


def effect_hubs(d: int, degree: float, rng: np.random.Generator) -> BoolArray:
    """Scale-free, with nodes that many others cause."""
    return _along_an_order(scale_free(d, round(degree / 2), rng=rng), rng)


def cause_hubs(d: int, degree: float, rng: np.random.Generator) -> BoolArray:
    """Scale-free, with nodes that cause many others."""
    return _along_an_order(scale_free(d, round(degree / 2), rng=rng, hubs="causes"), rng)


def small_world(d: int, degree: float, rng: np.random.Generator) -> BoolArray:
    """Neighbours on a ring are linked, and a fifth of the links go elsewhere.

    References
    ----------
    Watts and Strogatz, Collective dynamics of 'small-world' networks, Nature 393 (1998).
    """
    linked = np.zeros((d, d), dtype=np.bool_)
    for i in range(d):
        for step in range(1, round(degree / 2) + 1):
            j = (i + step) % d
            if rng.random() < 0.2:
                j = int(rng.choice(np.setdiff1d(np.arange(d), [i])))
            linked[i, j] = linked[j, i] = True
    order = rng.permutation(d)
    return np.asarray(np.triu(linked[np.ix_(order, order)], 1))


def regulators(d: int, degree: float, rng: np.random.Generator) -> BoolArray:
    """Let a sixth of the nodes regulate the others, some many of them and some few.

    Regulators have at most one regulator themselves.
    """
    n_regulators = max(2, d // 6)
    reach = 1.0 / np.arange(1, n_regulators + 1)
    reach = rng.permutation(reach / reach.sum())
    edges = np.zeros((d, d), dtype=np.bool_)
    for j in range(1, n_regulators):
        edges[rng.integers(j), j] = rng.random() < 0.5
    for j in range(n_regulators, d):
        wanted = min(
            n_regulators, 1 + rng.poisson(max(degree / 2 - 0.9, 0.0) * d / (d - n_regulators))
        )
        edges[rng.choice(n_regulators, size=wanted, replace=False, p=reach), j] = True
    return edges


def layered(d: int, degree: float, rng: np.random.Generator) -> BoolArray:
    """Five layers, each caused by the one before."""
    layer = np.arange(d) * 5 // d
    follows = layer[:, None] + 1 == layer
    chance = degree * d / 2 / follows.sum()
    return np.asarray(follows & (rng.random((d, d)) < chance))


def _along_an_order(W: Array, rng: np.random.Generator) -> BoolArray:
    """Return the edges in an order in which they go forward: of nodes that may be next, any."""
    edges = W != 0
    left, order = list(range(len(W))), []
    while left:
        ready = [j for j in left if not edges[left, j].any()]
        order.append(int(rng.choice(ready)))
        left.remove(order[-1])
    return np.asarray(edges[np.ix_(order, order)])
