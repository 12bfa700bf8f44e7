"""What columns are called, as knowledge: used, counted apart, overruled, doubted, kept."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import daglock
from daglock import DAGLock, Knowledge
from daglock.confidence.words import about_opposed, verdict
from daglock.errors import DataWarning, InvalidParameterError
from daglock.knowledge import Masks, knowledge_masks
from daglock.knowledge.assumed import given_columns, with_names

NAMES = ["wage", "age", "sex", "x"]


def patients(n: int = 500) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age, sex = rng.integers(18, 80, n), rng.choice(["f", "m"], n)
    weight = 60 + 0.2 * age + 10 * (sex == "m") + rng.normal(0, 8, n)
    pressure = 80 + 0.3 * weight + 0.4 * age + rng.normal(0, 9, n)
    frame = {"pressure": pressure, "age": age, "weight": weight, "sex": sex}
    return pd.DataFrame(frame)


def fitted(frame: pd.DataFrame, **how: Any) -> DAGLock:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return DAGLock(random_state=0, **how).fit(frame)


@pytest.fixture(scope="module")
def by_name() -> DAGLock:
    return fitted(patients())


def test_which_columns_come_first() -> None:
    assert given_columns(True, NAMES, ["wage", "age"], None) == ["age", "sex"]
    assert given_columns(False, NAMES, [], None) == []
    assert given_columns(["x"], NAMES, [], None) == ["x"]
    assert given_columns(["x", "gone"], NAMES, [], None, ["gone"]) == ["x"]
    # of units the share of one sex is a number, and something may well cause it
    assert given_columns(True, ["female", "age"], ["female", "age"], None) == ["age"]
    for wrong in (["agee"], "age", [1]):
        with pytest.raises(InvalidParameterError, match=r"names (names|must)"):
            given_columns(wrong, NAMES, [], None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "known",
    [
        {"tiers": "x < age < *"},
        {"tiers": [["x"], ["age"]]},
        {"roots": ["age"]},
        {"leaves": ["ag*"]},
        {"required": ["x -> age"]},
    ],
)
def test_what_a_user_places_is_left_to_the_user(known: dict[str, Any]) -> None:
    assert given_columns(True, NAMES, [], Knowledge(**known)) == ["sex"]
    masks = Knowledge(required=["x -> age"]).masks(NAMES)
    assert given_columns(True, NAMES, [], masks) == ["sex"]


def test_other_words_of_a_user_leave_the_name() -> None:
    known = Knowledge(tiers="wage < x", forbidden=["age -> x"], required=["age -> wage"])
    assert given_columns(True, NAMES, [], known) == ["age", "sex"]


def test_a_name_never_contradicts_a_star() -> None:
    # x comes before all others, age among them, and wage comes after age
    told = Knowledge(tiers="x < *").masks(NAMES)
    masks, assumed = with_names(told, np.array([1, 2]), 4)
    assert masks.before is not None
    assert masks.before[3, 1]
    assert not masks.before[1, 3]
    assert masks.before[1, 0]
    assert assumed.first.tolist() == [[True, False, False, False]] * 2
    assert assumed.before(np.array([1, 1, 0]), np.array([0, 2, 1])).tolist() == [True, False, False]


def test_masks_of_random_knowledge_have_no_cycle() -> None:
    rng = np.random.default_rng(0)
    for seed in range(200):
        d = 7
        order = rng.permutation(d)
        told = np.triu(rng.random((d, d)) < 0.3, 1)[np.ix_(np.argsort(order), np.argsort(order))]
        given = np.sort(rng.choice(d, 2, replace=False))
        masks, assumed = with_names(Masks(before=told), given, d)  # raises if there is a cycle
        assert masks.before is not None, seed
        assert (masks.before >= told).all(), seed
        assert not assumed.first[:, given].any(), seed


def test_the_arrows_are_those_of_the_names(by_name: DAGLock) -> None:
    assert by_name.assumed_ == {"age": "age", "sex": "sex"}
    into = by_name.edges_[by_name.edges_.target.isin(["age", "sex"])]
    assert into.empty
    edges = {(e.source, e.target): e for e in by_name.claimed_edges()}
    for pair in (("age", "weight"), ("sex", "weight"), ("age", "pressure")):
        assert edges[pair].identified_by == edges[pair].because == "name"
        assert edges[pair].claim == "directed"
    count = sum(edge.because == "name" for edge in edges.values())
    assert f"{count} arrows because age, sex come first" in by_name.summary()
    said = by_name.opinions_
    assert "weight is no cause of age, as the name age says" in set(said.words)


def test_it_is_said_with_its_undo() -> None:
    with pytest.warns(DataWarning, match=r"causes age, sex\. If that is wrong: --no-names"):
        DAGLock().fit(patients())
    assert fitted(patients(), names=["sex"]).assumed_ == {"sex": "sex"}
    assert fitted(patients(), names=["weight"]).assumed_ == {"weight": "named"}
    assert fitted(patients(), names=False).assumed_ == {}


def test_told_and_named_are_apart() -> None:
    model = fitted(patients(), knowledge={"tiers": "age < *"})
    because = {(e.source, e.target): e.because for e in model.claimed_edges()}
    assert because["age", "weight"] == "knowledge"
    assert because["sex", "weight"] == "name"
    assert verdict(["directed"] * 2, ["knowledge", "name"], ["sex"]) == (
        "2 links: 1 arrow that you told, 1 arrow because sex comes first."
    )


def test_the_file_has_it(by_name: DAGLock, tmp_path: Path) -> None:
    for file in ("m.npz", "m.json"):
        by_name.save(tmp_path / file)
        again = daglock.load(tmp_path / file)
        assert again.assumed_ == by_name.assumed_
        assert again.confidence_.equals(by_name.confidence_)
        assert again.edges_.equals(by_name.edges_)
        assert again.knowledge_ is None


def test_names_that_mean_nothing_change_nothing() -> None:
    frame = patients().drop(columns="sex").set_axis(["V07", "x1", "X 3"], axis=1)
    one, other = DAGLock(random_state=0).fit(frame), DAGLock(random_state=0, names=False).fit(frame)
    assert one.learned_.dag.weight.tobytes() == other.learned_.dag.weight.tobytes()
    assert one.confidence_.equals(other.confidence_)


def test_data_that_contradict_a_name() -> None:
    rng = np.random.default_rng(0)
    use, load, noise, more = rng.uniform(-1.7, 1.7, (4, 1500))
    age = 0.9 * use + 0.8 * load + 0.5 * noise
    part = pd.DataFrame({"use": use, "load": load, "age": age, "wear": 0.7 * age + 0.6 * more})
    model = fitted(part)
    with pytest.warns(DataWarning, match="The data contradict the name of age"):
        sure = model.assess()
    assert {(cause, name) for cause, name, _ in sure.opposed} == {("use", "age"), ("load", "age")}
    assert all(arrow >= 0.9 for *_, arrow in sure.opposed)
    assert about_opposed(sure) in model.summary()
    assert fitted(patients()).assess().opposed == ()
    assert fitted(part, names=False).assess().opposed == ()


def test_two_columns_that_come_first() -> None:
    masks, assumed = with_names(None, np.array([0, 2]), 3)
    assert masks.allowed is not None
    assert masks.allowed[0, 2]
    assert masks.allowed[2, 0]
    assert not masks.allowed[1, 0]
    assert assumed.first.tolist() == [[False, True, False]] * 2
    told, _ = with_names(knowledge_masks(3, required=[(0, 1)]), np.array([2]), 3)
    assert told.required is not None
    assert told.required[0, 1]
