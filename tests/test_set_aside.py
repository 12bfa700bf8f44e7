"""Columns that others determine: set aside, named, and nothing claimed of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import daglock
from daglock import DAGLock, Knowledge, Moments
from daglock.engine import learn
from daglock.errors import DataWarning, InvalidParameterError
from daglock.simulate import erdos_renyi, linear_sem


def budget(n: int = 400, seed: int = 0) -> pd.DataFrame:
    """Parts in tenths, their total, a copy in another unit, and what depends on the total."""
    rng = np.random.default_rng(seed)
    rent, food = 8.0 * rng.normal(size=(2, n)) + 50.0
    total = rent + food
    mood = 0.5 * total + rng.normal(0.0, 4.0, n)
    columns = {"rent": rent, "food": food, "total": total, "mood": mood}
    frame = pd.DataFrame(columns).round(1)
    frame["rent in cents"] = 100.0 * frame["rent"]
    return frame


def fit(frame: pd.DataFrame, **settings: Any) -> DAGLock:
    with pytest.warns(DataWarning):
        return DAGLock(random_state=0, **settings).fit(frame)


@pytest.mark.parametrize("noise", ["equal", "unequal", "auto"])
def test_what_others_determine_has_no_edges_and_is_named(noise: str) -> None:
    model = fit(budget(), noise=noise)
    assert model.set_aside_ == ("total", "rent in cents")
    edges = model.edges_
    assert not set(model.set_aside_) & {*edges["source"], *edges["target"]}
    assert {"rent", "food"} <= {*edges["source"], *edges["target"]}
    assert "total is determined up to rounding by rent, food" in model.message_
    assert "rent in cents is a copy of rent" in model.message_
    assert model.certificate_.verify(model.moments_)
    assert model.certificate_.optimal


def test_nothing_is_claimed_of_them() -> None:
    model = fit(budget())
    effects = model.total_effects()
    assert effects.loc["total"].isna().all()
    assert effects["rent in cents"].isna().all()
    assert effects.loc["rent", "mood"] == pytest.approx(0.5, abs=0.1)
    assert list(model.sample(5, rng=0).columns) == ["rent", "food", "mood"]
    with pytest.raises(InvalidParameterError, match="'total' was set aside"):
        model.intervene({"total": 100.0})
    assert np.isfinite(model.score(budget(seed=1)))
    assert set(model.causal_graph_.nodes) == set(budget().columns)


@pytest.mark.parametrize("name", ["model.json", "model.npz"])
def test_a_saved_model_remembers_them(tmp_path: Path, name: str) -> None:
    model = fit(budget())
    model.save(tmp_path / name)
    back = daglock.load(tmp_path / name)
    assert back.set_aside_ == model.set_aside_
    assert back.certificate_.verify(back.moments_)
    titles = [[f.title for f in m.diagnostics_.sentences()] for m in (model, back)]
    assert titles[0] == titles[1]


def test_replicates_set_the_same_columns_aside() -> None:
    found = fit(budget()).bootstrap(10, rng=0, progress=False)
    joined = {found.names[i] for i in [*found.first.tolist(), *found.second.tolist()]}
    assert joined <= {"rent", "food", "mood"}
    assert joined


def test_a_column_of_a_required_edge_stays() -> None:
    model = fit(budget(), knowledge=Knowledge(required=["total -> mood"]))
    assert "total" not in model.set_aside_
    assert model.weights_.loc["total", "mood"] != 0.0
    assert model.certificate_.verify(model.moments_)


def test_kept_on_request() -> None:
    model = fit(budget(), determined="keep")
    assert model.set_aside_ == ()
    assert "may fit nothing but rounding" in model.message_
    assert model.certificate_.verify(model.moments_)
    with pytest.raises(InvalidParameterError, match="determined must be drop or keep"):
        DAGLock(determined="perhaps").fit(budget())


@pytest.mark.parametrize("n_columns", [2, 3])
def test_all_columns_are_copies_of_one(n_columns: int) -> None:
    x = np.random.default_rng(0).normal(size=50)
    X = np.column_stack([x * k for k in range(1, n_columns + 1)])
    with pytest.warns(DataWarning, match="cop"):
        model = DAGLock(random_state=0).fit(X)
    assert not len(model.edges_)
    assert model.certificate_.verify(model.moments_)
    assert len(model.set_aside_) == n_columns - 1


@pytest.mark.parametrize("power", range(2, 17))
def test_condition_numbers_from_small_to_infinite(power: int) -> None:
    """Nothing crashes, the result is a DAG with weights of a size, and it is verified."""
    rng = np.random.default_rng(power)
    X = linear_sem(erdos_renyi(8, 10, rng=rng), 300, rng=rng)
    X = np.column_stack([X, X[:, 0] + X[:, 1] + 10.0 ** (-power / 2) * rng.normal(size=300)])
    moments = Moments.from_data(X)
    for determined in ("drop", "keep"):
        learned = learn(moments, determined=determined, rng=0)
        assert learned.certificate.is_dag
        assert learned.certificate.verify(moments)
        if power >= 11:
            assert "x8" in " ".join(learned.cautions)
        if power >= 14 and determined == "drop":
            assert len(learned.aside) == 1
            deviation = X.std(axis=0)
            scaled = (
                learned.dag.weight * deviation[learned.dag.source] / deviation[learned.dag.target]
            )
            assert np.abs(scaled).max() < 10.0


def test_figures_of_a_quarter() -> None:
    """Many columns, measured once for many rows: no weights of thousands of deviations."""
    rng = np.random.default_rng(0)
    quarter = rng.integers(0, 20, size=300)
    figures = rng.normal(size=(20, 30)).cumsum(axis=0)[quarter]
    X = np.column_stack([rng.normal(size=(300, 4)), figures])
    with pytest.warns(DataWarning, match="determined"):
        model = DAGLock(random_state=0).fit(X)
    assert len(model.set_aside_) >= 11
    assert np.abs(model.edges_["standardised_weight"]).max() < 100.0
    assert model.certificate_.verify(model.moments_)


def test_findings_are_about_the_columns_that_were_searched() -> None:
    """That sorted columns fit a total by its parts makes no better graph."""
    findings = fit(budget()).diagnostics_.sentences()
    assert any(f.level == "warning" and "repeat" in f.title for f in findings)
    by_sorting = next(f for f in findings if "Sorting the columns" in f.text)
    assert "better" not in by_sorting.text
