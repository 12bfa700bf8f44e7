"""Regimes as a person sees them: the numbers are those of the rows, and chance is no shift."""

from __future__ import annotations

import json

import numpy as np
import pytest

from daglock import DAGLock
from daglock.diagnostics.regimes import RegimeSummary, summarise_regimes
from daglock.regimes import Regimes, with_targets
from daglock.table import Table
from daglock.table.kinds import CONTINUOUS, ColumnKind, Kind
from daglock.typing import Array

NAMES = ("dose", "pulse", "pain")
LABELS = np.repeat(["control", "drug", "heat", "cold"], [50, 30, 40, 30])


def rows(shift: float = 2.0, seed: int = 0) -> Array:
    X = np.random.default_rng(seed).normal(size=(150, 3)) * [1.0, 5.0, 0.1]
    X[LABELS == "drug", 0] += shift
    return X


def summary(X: Array) -> RegimeSummary:
    return summarise_regimes(Regimes.from_labelled(X, LABELS, NAMES), LABELS)


def test_shifts_are_those_of_the_rows() -> None:
    X = rows()
    found = summary(X)
    assert found.regimes == ("cold", "control", "drug", "heat")
    assert found.rows.tolist() == [30, 50, 30, 40]
    means = np.array([X[label == LABELS].mean(axis=0) for label in found.regimes])
    centred = X - means[[found.regimes.index(label) for label in LABELS]]
    within = np.sqrt((centred**2).sum(axis=0) / (150 - 3))
    assert np.allclose(found.shifts, (means - np.median(means, axis=0)) / within)
    assert found.shifted.tolist() == [True, False, False]
    assert np.allclose(found.reach(), np.ptp(means, axis=0) / within)


def test_chance_is_no_shift() -> None:
    shifted = [summary(rows(0.0, seed)).shifted.any() for seed in range(300)]
    assert (
        np.mean(shifted) < 0.04
    )  # 1 in 100 is meant, and a little more as variances are estimated


def test_the_sentences() -> None:
    kept = Regimes.from_labelled(rows(), LABELS, NAMES)
    alone = summarise_regimes(kept, LABELS)
    assert "1 of 3 columns shift" in alone.about_shifts()
    assert alone.about_targets() == ""
    assert "was not told" in alone.about_edges()
    told = with_targets(kept, {"drug": ["dose", "pain"]}, "imperfect")
    known = summarise_regimes(told, LABELS, [("dose", "pulse")])
    assert known.targets == ((), (), ("dose", "pain"), ())
    assert "Targets: dose, pain in drug." in known.about_targets()
    assert "another way (imperfect" in known.about_targets()
    assert "orient 1 edge that the equivalence class alone leaves open: dose → pulse" in str(known)
    assert summary(rows(0.0)).about_shifts() == "No column shifts between them by more than chance."


def test_single_rows_are_told() -> None:
    X, labels = rows(), LABELS.copy()
    labels[:2] = "one", "two"
    found = summarise_regimes(Regimes.from_labelled(X, labels, NAMES), labels)
    assert "2 of them have a single row" in found.about_rows()


def test_json_can_hold_it() -> None:
    record = json.loads(json.dumps(summary(rows()).to_dict(), allow_nan=False))
    assert record["targets"] is None
    assert set(record["shifts"]) == set(NAMES)
    assert record["shifted"] == ["dose"]


def test_categories_have_no_shift() -> None:
    X = np.column_stack([rows(), np.random.default_rng(1).integers(0, 3, 150)])
    kinds = (*[CONTINUOUS] * 3, ColumnKind(Kind.CATEGORICAL, ("x", "y", "z")))
    model = DAGLock(random_state=0).fit(Table(X, (*NAMES, "group"), kinds=kinds), regimes=LABELS)
    found = model.regimes_
    assert found is not None
    assert found.columns == NAMES
    assert found.shifted.tolist() == [True, False, False]


@pytest.mark.filterwarnings("ignore::daglock.errors.DataWarning")
def test_with_gaps_there_are_rows_and_no_shifts() -> None:
    X = rows()
    X[::9, 1] = np.nan
    found = DAGLock(missing="model", random_state=0).fit(Table(X, NAMES), regimes=LABELS).regimes_
    assert found is not None
    assert found.rows.tolist() == [30, 50, 30, 40]
    assert found.columns == ()
    assert found.about_shifts() == ""


def test_no_regimes() -> None:
    assert DAGLock(random_state=0).fit(rows()).regimes_ is None
