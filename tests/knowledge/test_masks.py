"""Masks against sets of pairs, contradictions with their cycle, orders made to respect them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock.graph import is_dag, topological_order
from daglock.knowledge import Masks, knowledge_masks, respect
from daglock.typing import BoolArray


def pairs(mask: BoolArray | None) -> set[tuple[int, int]]:
    assert mask is not None
    return {(int(i), int(j)) for i, j in np.argwhere(mask)}


def test_nothing_known_is_nothing() -> None:
    masks = knowledge_masks(4)
    assert (masks.allowed, masks.required, masks.before) == (None, None, None)
    empty = knowledge_masks(4, forbidden=[], required=[], tiers=[[], [1]])
    assert (empty.allowed, empty.required, empty.before) == (None, None, None)


def test_forbidden_says_nothing_about_the_order() -> None:
    masks = knowledge_masks(3, forbidden=[(0, 1), (2, 0)])
    assert masks.allowed is not None
    assert pairs(~masks.allowed) == {(0, 1), (2, 0)}
    assert masks.required is None
    assert masks.before is None


def test_required_precedes_and_is_not_reversed() -> None:
    masks = knowledge_masks(3, required=[(2, 1)])
    assert masks.allowed is not None
    assert pairs(masks.required) == {(2, 1)}
    assert pairs(masks.before) == {(2, 1)}
    assert pairs(~masks.allowed) == {(1, 2)}


def test_tiers_order_all_their_members_and_leave_the_others_free() -> None:
    masks = knowledge_masks(6, tiers=[[4], [0, 2], [1]])
    earlier = {(4, 0), (4, 2), (4, 1), (0, 1), (2, 1)}
    assert masks.allowed is not None
    assert pairs(masks.before) == earlier
    assert pairs(~masks.allowed) == {(j, i) for i, j in earlier}
    assert masks.required is None


def test_numpy_integers_and_generators_are_taken() -> None:
    masks = knowledge_masks(
        3,
        required=((i, j) for i, j in np.array([[0, 1]])),
        tiers=(tier for tier in np.array([[0], [2]])),
    )
    assert pairs(masks.before) == {(0, 1), (0, 2)}


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"required": [(0, 1), (1, 2), (2, 0)]}, "x0 -> x1 -> x2 -> x0"),
        ({"required": [(2, 1), (1, 2)]}, "x1 -> x2 -> x1"),
        ({"required": [(3, 0), (0, 2)], "tiers": [[2], [3]]}, "x0 -> x2 -> x3 -> x0"),
        ({"required": [(0, 1)], "forbidden": [(0, 1)]}, "x0 -> x1 is required, but it is forbid"),
        ({"required": [(0, 1)], "tiers": [[1], [0]]}, "x0 -> x1 is required, but the tiers forbid"),
        ({"required": [(0, 4)]}, r"required names 4, which is not a column.*x0, x1, x2, x3"),
        ({"forbidden": [(-1, 2)]}, "forbidden names -1, which is not a column"),
        ({"forbidden": [(2, 2)]}, "forbidden has 2 -> 2: an edge joins two different columns"),
        ({"forbidden": [(0.5, 1)]}, "forbidden has 0.5 where a column is named"),
        ({"forbidden": [("a", 1)]}, "forbidden names 'a', which is not a column"),
        ({"forbidden": [(0, 1, 2)]}, r"forbidden has \(0, 1, 2\); it takes pairs"),
        ({"tiers": [[0], [4]]}, "tiers names 4, which is not a column"),
        ({"tiers": [[0.7], [1]]}, "tiers has 0.7 where a column is named"),
        ({"tiers": [["a"]]}, "tiers names 'a', which is not a column"),
        ({"tiers": [[0, 1], [1]]}, "'x1' is in two tiers"),
        ({"tiers": [[1, 1]]}, "'x1' is in two tiers, or twice in one"),
    ],
)
def test_contradictions_are_shown(what: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        knowledge_masks(4, **what)


def test_masks_given_by_hand_are_completed() -> None:
    required = np.zeros((3, 3), dtype=bool)
    required[0, 1] = True
    before = np.zeros((3, 3), dtype=bool)
    before[1, 2] = True
    masks = Masks(required=required, before=before)
    assert pairs(masks.before) == {(0, 1), (1, 2)}
    assert masks.allowed is not None
    assert pairs(~masks.allowed) == {(1, 0), (2, 1)}
    assert before.sum() == 1  # the caller's array is left alone


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        ({"allowed": np.ones((3, 4), bool)}, "square matrices of one size"),
        ({"allowed": np.ones(3, bool)}, "square matrices of one size"),
        ({"allowed": np.ones((3, 3), bool), "before": np.zeros((4, 4), bool)}, "of one size"),
        ({"before": np.eye(3, dtype=bool)}, "closes a cycle: 0 -> 0"),
        ({"before": ~np.eye(2, dtype=bool)}, "closes a cycle: 0 -> 1 -> 0"),
        ({"allowed": np.zeros((2, 2), bool), "required": np.eye(2, k=1)}, "0 -> 1 is both"),
    ],
)
def test_masks_that_cannot_be_are_refused(masks: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        Masks(**masks)


def test_respect_keeps_what_is_right_and_mends_what_is_not() -> None:
    before = np.zeros((4, 4), dtype=bool)
    before[3, 0] = before[0, 2] = True
    assert respect(np.array([1, 3, 0, 2]), before).tolist() == [1, 3, 0, 2]
    assert respect(np.array([2, 0, 3, 1]), before).tolist() == [3, 0, 2, 1]
    order = np.array([2, 0, 1, 3])
    result = respect(order, None)
    assert result.tolist() == [2, 0, 1, 3]
    result[0] = 1
    assert order[0] == 2  # a copy


@pytest.mark.parametrize("seed", range(20))
def test_respect_is_the_first_linear_extension(seed: int) -> None:
    """Each node is the first of ``order`` that may come."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 9))
    order = rng.permutation(d)
    labels = rng.permutation(d)
    before = np.triu(rng.random((d, d)) < 0.3, 1)[np.ix_(labels, labels)]
    assert is_dag(before)
    result = respect(order, before)
    position = np.argsort(result)
    assert all(position[i] < position[j] for i, j in np.argwhere(before))
    taken: set[int] = set()
    for v in result:
        ready = [u for u in order if u not in taken and set(np.flatnonzero(before[:, u])) <= taken]
        assert v == ready[0]
        taken.add(int(v))
    assert respect(topological_order(before), before).tolist() == topological_order(before).tolist()
