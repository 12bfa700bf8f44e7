"""Graphs that are drawn: as often as believed, acyclic, as knowledge allows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from daglock.confidence import Confidence
from daglock.effects import PlausibleGraphs
from daglock.effects.plausible import DrawnGraph
from daglock.graph import is_dag
from daglock.knowledge import Masks, knowledge_masks
from daglock.typing import Array

NOTHING = Masks()


def believed(d: int, *pairs: tuple[int, int, float, float]) -> Confidence:
    """Return a belief: source, target, link and direction of each pair."""
    source, target, link, direction = (np.array(part) for part in zip(*pairs, strict=True))
    m = len(pairs)
    return Confidence(
        tuple(f"x{j}" for j in range(d)),
        source,
        target,
        link.astype(np.float64),
        direction.astype(np.float64),
        in_graph=np.ones(m, dtype=np.bool_),
        misfit=np.zeros(m),
        alone=np.full((m, 1), 0.5),
        known=np.zeros(m, dtype=np.bool_),
        hidden=np.zeros(m),
        identifies="class",
        n_replicates=100,
    )


def drawn(graphs: PlausibleGraphs, n: int) -> Array:
    """Draw graphs: (n, d, d), 1 where i -> j."""
    rng = np.random.default_rng(0)
    return np.array([matrix(graphs.draw(rng)) for _ in range(n)])


def matrix(graph: DrawnGraph) -> Array:
    """Return the matrix of a graph whose order must be right."""
    A = np.zeros((len(graph.parents), len(graph.parents)))
    for j, P in enumerate(graph.parents):
        assert len(P) == len(set(P))
        assert all(graph.place[i] < graph.place[j] for i in P)
        A[P, j] = 1.0
    assert sorted(graph.place) == list(range(len(A)))
    return A


def test_links_and_directions_are_as_frequent_as_believed() -> None:
    graphs = PlausibleGraphs(
        believed(4, (0, 1, 0.7, 0.8), (2, 1, 1.0, 0.5), (3, 2, 0.2, 1.0)), NOTHING, np.arange(4)
    )
    share = drawn(graphs, 4000).mean(axis=0)
    expected = np.zeros((4, 4))
    expected[0, 1], expected[1, 0] = 0.56, 0.14
    expected[2, 1] = expected[1, 2] = 0.5
    expected[3, 2] = 0.2
    np.testing.assert_allclose(share, expected, atol=0.03)
    assert share[2, 3] == 0.0


def test_the_less_sure_direction_is_turned() -> None:
    graphs = PlausibleGraphs(
        believed(3, (2, 0, 1.0, 0.9), (0, 1, 1.0, 1.0), (1, 2, 1.0, 1.0)), NOTHING, np.arange(3)
    )
    share = drawn(graphs, 50).mean(axis=0)
    assert share[0, 2] == share[0, 1] == share[1, 2] == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_knowledge_is_obeyed(seed: int) -> None:
    """Beliefs that care for nothing: every pair, in any direction."""
    rng = np.random.default_rng(seed)
    d = 7
    pairs = []
    for pair in combinations(range(d), 2):
        i, j = rng.permutation(pair).tolist()
        pairs.append((i, j, rng.uniform(0.3, 1), rng.uniform(0.5, 1)))
    order = rng.permutation(d)
    a, b, c, e, f, g, h = order.tolist()
    known = knowledge_masks(
        d, forbidden=[(a, d - 1 if a != d - 1 else 0), (c, b)], required=[(b, e), (a, h)],
        tiers=[[a, c], [f], [g, h]],
    )  # fmt: skip
    assert known.allowed is not None
    assert known.before is not None
    every = drawn(PlausibleGraphs(believed(d, *pairs), known, order), 200)
    assert all(is_dag(A) for A in every)
    assert (every[:, b, e] == 1).all()
    assert (every[:, a, h] == 1).all()
    assert not every[:, ~known.allowed].any()
    for A in every:
        reach = np.linalg.matrix_power(np.eye(d) + A, d) > 0
        assert not (reach & known.before.T).any()
    # all that is neither told nor impossible is drawn now and then
    free = known.allowed & ~np.eye(d, dtype=np.bool_)
    assert (every.mean(axis=0)[free] > 0).mean() > 0.8


def test_a_way_that_is_ruled_out_is_not_drawn() -> None:
    known = knowledge_masks(2, forbidden=[(0, 1)])
    graphs = PlausibleGraphs(believed(2, (0, 1, 1.0, 0.9)), known, np.array([1, 0]))
    assert (drawn(graphs, 20)[:, 1, 0] == 1).all()
    known = knowledge_masks(2, forbidden=[(0, 1), (1, 0)])
    assert not drawn(PlausibleGraphs(believed(2, (0, 1, 1.0, 0.9)), known, np.arange(2)), 20).any()
