"""The figures of a record, on answers whose figures are known."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

from daglock_evaluation.harness.judge import judge
from daglock_evaluation.methods import Answer

# 0 -> 1 -> 2, and 3 -> 2: the collider at 2 orients 1 -> 2 and 3 -> 2, not 0 - 1.
TRUTH = np.zeros((4, 4))
TRUTH[0, 1] = TRUTH[1, 2] = TRUTH[3, 2] = 0.8
CLASS = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]])


def figures(graph: Any, returns: Literal["dag", "class"], **more: Any) -> dict[str, Any]:
    target = more.pop("target", "dag")
    return judge(Answer(graph, **more), TRUTH, returns, target)


def test_the_truth_is_exact() -> None:
    found = figures(TRUTH, "dag")
    assert (found["shd"], found["cpdag_shd"], found["f1"], found["exact"]) == (0, 0, 1.0, True)
    assert (found["is_dag"], found["n_edges"], found["n_raw"], found["raw_is_dag"]) == (
        True,
        3,
        3,
        True,
    )


def test_a_class_is_compared_with_the_class() -> None:
    found = figures(CLASS, "class")
    assert (found["shd"], found["cpdag_shd"], found["exact"], found["is_dag"]) == (
        None,
        0,
        True,
        None,
    )
    assert found["n_edges"] == 3


def test_an_equivalent_dag_is_exact_only_where_no_more_is_identified() -> None:
    turned = TRUTH.copy()
    turned[0, 1], turned[1, 0] = 0.0, 0.8
    assert figures(turned, "dag")["exact"] is False
    found = figures(turned, "dag", target="class")
    assert (found["shd"], found["cpdag_shd"], found["exact"]) == (1, 0, True)
    assert found["f1"] == pytest.approx(2 / 3, abs=1e-6)


def test_a_cycle_has_no_class_and_a_distance() -> None:
    cyclic = TRUTH.copy()
    cyclic[2, 0] = 0.1
    found = figures(cyclic, "dag", target="class")
    assert (found["is_dag"], found["cpdag_shd"], found["shd"], found["exact"]) == (
        False,
        None,
        1,
        False,
    )


def test_what_was_there_before_a_cut_is_reported_apart() -> None:
    found = figures(TRUTH, "dag", n_raw=16, raw_is_dag=False)
    assert (found["n_raw"], found["raw_is_dag"], found["n_edges"], found["is_dag"]) == (
        16,
        False,
        3,
        True,
    )
