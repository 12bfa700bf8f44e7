"""The study of intervals: its cases are what they say, and it counts right."""

from __future__ import annotations

import numpy as np

from daglock import DAGLock
from daglock_evaluation.studies.effects import PAIRS, Case, claim_of, shares


def test_half_of_the_pairs_have_an_effect() -> None:
    case = Case.draw("ER2, d = 10", 200, 0, some_without=True)
    effects = [case.truth[pair] for pair in case.pairs]
    assert len(case.X) == 200
    assert all(effects[:PAIRS])
    assert not any(effects[PAIRS:])
    paths = sum(np.linalg.matrix_power(case.W, k) for k in range(1, 10))
    np.testing.assert_allclose(case.truth - np.eye(10), paths, atol=1e-12)


def test_a_known_graph_is_not_doubted() -> None:
    case = Case.draw("chain, d = 6", 1000, 1)
    for effect, truth, model in case.effects(known=True):
        assert effect.probability_zero == 0.0
        assert abs(effect.value - truth) < 0.2
        assert effect.low < effect.high
        assert {edge.claim for edge in model.claimed_edges()} == {"directed"}


def test_claims_by_index() -> None:
    x = np.random.default_rng(0).standard_normal((500, 3))
    x[:, 2] += x[:, 0]
    model = DAGLock("unequal").fit(x)
    (edge,) = model.claimed_edges()
    i, j = int(edge.source[1:]), int(edge.target[1:])
    assert claim_of(model, i, j) == edge.claim
    assert claim_of(model, j, i) is None
    assert claim_of(model, 0, 1) is None


def test_counting() -> None:
    sides = [(True, False), (True, False), (False, True), (False, False)]
    assert shares(sides) == ["4", "50.0%", "25.0%", "25.0%"]
    assert shares([(True, False)] * 3)[1:] == ["100.0%", "0.0%", "0.0%"]
