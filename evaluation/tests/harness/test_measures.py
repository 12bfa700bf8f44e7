"""What else is told of an answer, on answers whose figures are known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from daglock.graph import dag_to_cpdag, is_dag
from daglock_evaluation.harness.case import Case, Draw, permuted, reaches
from daglock_evaluation.harness.measures import (
    consistent_extension,
    further,
    in_hindsight,
    score_of,
    sortability,
)
from daglock_evaluation.methods import Answer

# 0 -> 1 -> 2, and 3 -> 2.
TRUTH = np.zeros((4, 4))
TRUTH[0, 1] = TRUTH[1, 2] = TRUTH[3, 2] = 0.8
CLASS = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]])
X = np.random.default_rng(0).standard_normal((200, 4))


def test_the_score_is_fit_plus_twice_the_price_of_bic() -> None:
    n = len(X)
    centred = X - X.mean(axis=0)
    rss = []
    for j in range(4):
        parents = np.flatnonzero(TRUTH[:, j])
        fit = centred[:, parents] @ np.linalg.lstsq(centred[:, parents], centred[:, j])[0]
        rss.append(((centred[:, j] - fit) ** 2).sum() / n)
    by_hand = n * np.log(rss).sum() + 2.0 * 3 * np.log(n)
    empty = n * np.log(centred.var(axis=0)).sum()
    gain = score_of(np.zeros((4, 4)), X) - score_of(TRUTH, X)
    assert gain == pytest.approx(empty - by_hand)


def test_members_of_a_class_have_one_score() -> None:
    draw = Draw(X, TRUTH)
    as_class = further(Answer(CLASS), draw, "class")
    assert as_class["score"] == further(Answer(TRUTH), draw, "dag")["score"]
    cyclic = np.array(TRUTH)
    cyclic[2, 0] = 1.0
    assert further(Answer(cyclic), draw, "dag")["score"] is None


def test_arrows_of_a_class_of_a_dag_and_of_claims() -> None:
    draw = Draw(X, TRUTH)
    found = further(Answer(CLASS), draw, "class")
    assert (found["n_arrows"], found["n_false"], found["n_found"], found["n_true"]) == (2, 0, 2, 3)
    found = further(Answer(TRUTH.T), draw, "dag")
    assert (found["n_arrows"], found["n_false"], found["n_found"]) == (3, 3, 0)
    shortcut = np.zeros((4, 4), dtype=bool)
    shortcut[0, 2] = True  # no edge, and yet 0 acts on 2
    found = further(Answer(TRUTH, arrows=shortcut), draw, "dag")
    assert (found["n_arrows"], found["n_false"], found["n_found"]) == (1, 0, 0)
    found = further(Answer(CLASS), draw, "ancestors")
    assert (found["n_arrows"], found["score"]) == (2, None)


def test_hidden_columns_act_through_what_is_shown_and_what_is_not() -> None:
    draw = permuted(Case(12, 1, n=50, hidden=0.5).draw(1), 1)
    assert draw.acts is not None
    assert draw.X.shape == (50, 12)
    within = reaches(draw.truth)
    assert (draw.acts >= within).all()
    # A hidden root acts on others and others do not act through it.
    assert (draw.acts == within).all()


def test_the_best_threshold_is_found() -> None:
    weights = np.array([[0.0, 0.9, 0.1], [0.0, 0.0, 0.8], [0.05, 0.0, 0.0]])
    truth = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    assert in_hindsight(weights, truth) == {"best_shd": 0, "best_cpdag_shd": 0}
    assert in_hindsight(np.zeros((3, 3)), truth) == {"best_shd": 2, "best_cpdag_shd": 2}
    # It cannot be worse than no threshold, or than any.
    rng = np.random.default_rng(3)
    W = np.triu(rng.normal(size=(6, 6)), 1)
    known = np.triu(rng.random((6, 6)) < 0.3, 1)
    distances = [np.sum((np.abs(W) > cut) != known) for cut in np.abs(W).ravel()]
    assert in_hindsight(W, known)["best_shd"] == min(distances)


def test_the_best_threshold_is_found_among_thousands_of_small_weights() -> None:
    rng = np.random.default_rng(4)
    truth = np.triu(rng.random((60, 60)) < 0.03, 1)
    weights = truth + rng.uniform(-0.2, 0.2, truth.shape)
    assert in_hindsight(weights, truth) == {"best_shd": 0, "best_cpdag_shd": 0}


def test_the_best_threshold_is_not_worse_than_the_own_one() -> None:
    rng = np.random.default_rng(5)
    truth = np.triu(rng.random((20, 20)) < 0.1, 1)
    # Nothing that a threshold keeps is right: what the method made of the weights is.
    found = in_hindsight(rng.uniform(0.5, 1.0, truth.shape) * ~truth, truth, truth)
    assert found == {"best_shd": 0, "best_cpdag_shd": 0}


def test_extensions_of_all_classes_of_four_nodes() -> None:
    pairs = [(i, j) for i in range(4) for j in range(i)]
    for marks in product((0, 1, 2), repeat=len(pairs)):
        dag = np.zeros((4, 4), dtype=bool)
        for (i, j), mark in zip(pairs, marks, strict=True):
            dag[i, j], dag[j, i] = mark == 1, mark == 2
        if is_dag(dag):
            cpdag = np.asarray(dag_to_cpdag(dag))
            again = consistent_extension(cpdag)
            assert np.array_equal(np.asarray(dag_to_cpdag(again)), cpdag)


def test_sortability_of_raw_and_standardised_columns() -> None:
    raw = sortability(Case(20, 2, weights=(0.5, 2.0)).draw(0))
    scaled = sortability(Case(20, 2, weights=(0.5, 2.0), standardised=True).draw(0))
    assert raw["var_sortability"] > 0.9
    assert scaled["var_sortability"] == 0.5
    assert scaled["r2_sortability"] == pytest.approx(raw["r2_sortability"], abs=1e-6)
