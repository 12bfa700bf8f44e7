"""Arrows into age, sex, a year: questioned unless knowledge speaks of the column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock
from daglock.diagnostics.questions import about_questioned, question_edges
from daglock.graph import WeightedDAG
from daglock.knowledge import Knowledge, Masks

NAMES = ["bmi", "age", "Sex", "pulse"]


def graph(*edges: tuple[int, int], order: tuple[int, ...] = (0, 3, 1, 2)) -> WeightedDAG:
    by_target = sorted(edges, key=lambda edge: (edge[1], edge[0]))
    ends = np.array(by_target, dtype=np.intp).reshape(-1, 2)
    return WeightedDAG(
        np.array(order), ends[:, 0], ends[:, 1], np.ones(len(ends)), np.ones(len(ends), dtype=bool)
    )


def test_edges_into_what_has_no_cause_are_found() -> None:
    dag = graph((0, 1), (3, 1), (0, 2), (0, 3))
    assert question_edges(dag, NAMES, None) == (("bmi", "age"), ("pulse", "age"), ("bmi", "Sex"))
    assert question_edges(dag, NAMES, Masks()) == question_edges(dag, NAMES, None)
    assert question_edges(graph((0, 3)), NAMES, None) == ()
    assert question_edges(graph((0, 1)), ["a", "b", "c", "d"], None) == ()
    assert question_edges(graph((0, 1)), ["bmi", "treatment", "c", "d"], None) == (
        ("bmi", "treatment"),
    )
    for name in ("mean_age", "age_at_onset", "wage", "treatment_cost"):
        assert question_edges(graph((0, 1)), ["bmi", name, "c", "d"], None) == ()


@pytest.mark.parametrize(
    "parts",
    [
        {"required": ["bmi -> age"]},
        {"forbidden": ["pulse -> age"]},
        {"tiers": "age < pulse"},
        {"leaves": ["age"]},
        {"roots": ["a*"], "leaves": ["pulse"], "tiers": "* < pulse"},
    ],
)
def test_what_knowledge_speaks_of_is_not_questioned(parts: dict[str, Any]) -> None:
    known = Knowledge(**parts)
    assert question_edges(graph((0, 1), (0, 2)), NAMES, known) == (("bmi", "Sex"),)


def test_masks_name_nothing_but_rule_out_causes() -> None:
    dag = graph((0, 1), (0, 2))
    for parts in ({"forbidden": ["pulse -> age"]}, {"required": ["bmi -> age"]}):
        masks = Knowledge(**parts).masks(NAMES)
        assert question_edges(dag, NAMES, masks) == (("bmi", "Sex"),)


def test_what_is_asked() -> None:
    assert about_questioned([]) == []
    (one,) = about_questioned([("bmi", "age, in years")])
    assert one.level == "warning"
    assert one.title == "An arrow into age, in years"
    assert """--tiers '"age, in years" < *'""" in one.text
    (two,) = about_questioned([("bmi", "age"), ("a", "sex"), ("b", "sex")])
    assert two.title == "Arrows into age, sex"
    assert "point into age (from bmi), sex (from a, b). If nothing in the table" in two.text
    assert "DAGLock(knowledge={'tiers': 'age,sex < *'})" in two.text


def test_a_fitted_model_asks_and_is_answered() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500))
    table = pd.DataFrame({"x": x, "y": y, "age": x + y + rng.normal(size=500)})
    model = DAGLock(names=False).fit(table)
    assert set(model.diagnostics_.questioned) == {("x", "age"), ("y", "age")}
    (asked,) = (found for found in model.diagnostics_.sentences() if found.title.endswith("age"))
    assert "--tiers 'age < *'" in asked.text
    told = DAGLock(knowledge={"tiers": "age < *"}).fit(table)
    assert told.diagnostics_.questioned == ()
    assert "age" not in {edge.target for edge in told.named_edges()}
