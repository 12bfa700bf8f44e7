"""DAGLock with gaps: what it learns, says, draws again and keeps."""

from __future__ import annotations

import warnings
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock, Moments, load
from daglock.blocks import Blocks
from daglock.confidence.drawn import Drawing
from daglock.errors import DataWarning, InvalidDataError
from daglock.gaps import fit_gaussian, log_likelihood
from daglock.metrics import compare_classes
from daglock.simulate import erdos_renyi, linear_sem
from daglock.table.table import Table
from daglock.typing import Array


@cache
def graph() -> Array:
    return erdos_renyi(n_nodes=8, n_edges=8, rng=0)


def table(share: float = 0.1, n: int = 1000, noise: Any = "gaussian") -> pd.DataFrame:
    """Rows of a graph with so many cells missing."""
    X = linear_sem(graph(), n, noise, np.linspace(0.5, 2.0, 8), rng=1)
    X[np.random.default_rng(2).random(X.shape) < share] = np.nan
    return pd.DataFrame(X, columns=list("abcdefgh"))


def fit(frame: Any, **settings: Any) -> DAGLock:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return DAGLock(missing="model", random_state=0, **settings).fit(frame)


def test_the_graph_is_found_where_few_rows_are_complete() -> None:
    frame = table(0.2)
    assert frame.dropna().shape[0] < 250
    model = fit(frame, noise="unequal")
    assert compare_classes(model.to_sparse(), graph()).shd <= 1
    assert model.n_dropped_ == 0
    assert model.moments_.n_rows == 1000
    assert model.moments_.missing == pytest.approx(np.isnan(frame.to_numpy()).mean())
    assert 500 < model.moments_.n < 650


def test_what_was_done_is_said() -> None:
    with pytest.warns(DataWarning) as caught:
        model = DAGLock(missing="model", random_state=0).fit(table(0.05))
    said = [str(record.message) for record in caught]
    assert all(record.filename == __file__ for record in caught)
    assert said[0].startswith("4.6% of the cells are missing: the covariances are those under")
    assert f"as if {model.moments_.n} of 1,000 rows were complete." in said[0]
    assert "is judged by the" in said[1]
    assert "4.6% of the cells missing" in " ".join(model.summary().split())
    gappy = fit(table(0.3))
    few = len(table(0.3).dropna())
    assert f"Only {few} rows have no gap: nothing is said of the shape" in gappy.message_


def test_a_complete_table_is_as_ever() -> None:
    frame = table(0.0)
    model, plain = fit(frame), DAGLock(random_state=0).fit(frame)
    pd.testing.assert_frame_equal(model.weights_, plain.weights_)
    assert model.message_ == plain.message_


def test_refusing_names_both_ways_out() -> None:
    with pytest.raises(InvalidDataError, match=r"missing='model'.*missing='drop'"):
        DAGLock().fit(table())


def test_the_shape_of_the_noise_is_taken_from_complete_rows(monkeypatch: Any) -> None:
    seen: list[int] = []

    def look(learned: Any, X: Array, *rest: Any) -> Any:
        seen.append(len(X))
        assert not np.isnan(X).any()
        return learned

    monkeypatch.setattr("daglock.estimator.estimator.orient_by_shape", look)
    few, many = table(0.05, noise="laplace"), table(0.3, noise="laplace")
    fit(few, noise="unequal")
    fit(many, noise="unequal")
    assert seen == [len(few.dropna())]


def test_replicates_draw_rows_with_their_gaps() -> None:
    frame = table(0.2)
    model = fit(frame, noise="unequal")
    generators = np.random.default_rng(0).spawn(5)
    rows, keep = frame.to_numpy(), model._keep_rows()
    drawing = Drawing.of(len(rows))
    drawn = [keep(rows[drawing.draw(rng)], None).moments for rng in generators]
    assert {moments.n_rows for moments in drawn} == {1000}
    assert len({moments.missing for moments in drawn}) == 5
    bootstrap = model.bootstrap(5, rng=0, progress=False)
    assert bootstrap.drawn_from == "rows"
    assert bootstrap.adjacent.max() == 1.0


def test_replicates_agree_with_those_from_the_cold() -> None:
    frame = table(0.2)
    model = fit(frame, noise="unequal")
    rows = frame.to_numpy()[np.random.default_rng(0).integers(1000, size=1000)]
    warm = Moments.from_incomplete(rows, start=model.moments_, tolerance=5e-3)
    cold = Moments.from_incomplete(rows)
    scale = np.sqrt(np.diagonal(cold.cov))
    assert np.abs((warm.cov - cold.cov) / scale / scale[:, None]).max() < 5e-3


def test_confidence_and_effects_work_with_gaps() -> None:
    model = fit(table(0.05), noise="unequal")
    sure = model.assess(10, progress=False)
    assert sure.misfit.max() < 0.9  # somebody looked at rows
    gappy = fit(table(0.3), noise="unequal")
    assert gappy.assess(10, progress=False).misfit.min() == 1.0  # nobody could
    source, target = (int(k[0]) for k in np.nonzero(graph()))
    names = "abcdefgh"
    effect = model.effect(names[source], names[target], n=50)
    assert effect.low < effect.high
    assert effect.drawn_from == "rows"


def test_scores_of_rows_with_gaps_are_those_of_what_is_there() -> None:
    model = fit(table(0.05), noise="unequal")
    whole = table(0.0).iloc[:50]
    plain = DAGLock("unequal", random_state=0).fit(table(0.0))
    assert model.score(whole) == pytest.approx(plain.score(whole), abs=0.2)
    one = whole.iloc[[0]].copy()
    one.iloc[0, 1:] = np.nan
    mean, deviation = model.moments_.means[0], np.sqrt(model.intervene({}).covariance.iloc[0, 0])
    z = (one.iloc[0, 0] - mean) / deviation
    assert model.score(one) == pytest.approx(-0.5 * (z**2 + np.log(2 * np.pi * deviation**2)))
    assert log_likelihood(one.to_numpy()[:, :2], np.eye(2), np.zeros(2)) < 0
    with pytest.raises(InvalidDataError, match="missing"):
        plain.score(one)


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_a_saved_model_remembers_its_gaps(ending: str, tmp_path: Path) -> None:
    frame = table(0.1)
    model = fit(frame)
    model.save(tmp_path / f"m.{ending}")
    again = load(tmp_path / f"m.{ending}")
    for name in ("n", "n_rows", "missing"):
        assert getattr(again.moments_, name) == getattr(model.moments_, name)
    assert model.moments_.missing > 0
    assert again.bootstrap(3, X=frame, rng=0, progress=False).drawn_from == "rows"
    other = frame.sample(1000, replace=True, random_state=0)
    with pytest.raises(InvalidDataError, match="not those that the model was fitted on"):
        again.bootstrap(3, X=other, rng=0, progress=False)


def test_determined_columns_are_set_aside() -> None:
    frame = table(0.0)
    frame["sum"] = frame.a + frame.b
    cells = np.random.default_rng(0).random(frame.shape) < 0.1
    with pytest.warns(DataWarning) as caught:
        model = DAGLock(missing="model", random_state=0).fit(frame.mask(cells))
    assert any("is determined exactly by" in str(record.message) for record in caught)
    assert len(model.set_aside_) == 1


def test_one_hot_columns_of_one_category_are_missing_together() -> None:
    rng = np.random.default_rng(0)
    level = rng.integers(0, 4, size=800)
    block = (level[:, None] == np.arange(1, 4)).astype(np.float64)
    x = level + rng.normal(size=800)
    X = np.column_stack([block, x, x + rng.normal(size=800)])
    X[rng.random(800) < 0.2, :3] = np.nan
    X[rng.random(800) < 0.2, 3] = np.nan
    moments = Moments.from_incomplete(X)
    complete = Moments.from_data(X[~np.isnan(X).any(axis=1)])
    np.testing.assert_allclose(moments.cov, complete.cov, atol=0.2)
    assert np.linalg.eigvalsh(moments.cov).min() > 0


def test_replicates_without_a_level_begin_at_the_moments_of_all_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The columns of the other levels are still those of the table: a few steps are left."""
    frame = table(0.1)
    frame["group"] = np.array(["p", "q", "r"])[np.random.default_rng(0).integers(0, 3, 1000)]
    frame.loc[:2, "group"] = "a"  # the level that the others are compared with
    frame.loc[3:5, "group"] = "z"
    model = fit(frame)
    keep, rows = model._keep_rows(), model._rows
    assert rows is not None
    starts = []

    def look(X: Array, **how: Any) -> Any:
        starts.append(how["start"])
        return fit_gaussian(X, **how)

    monkeypatch.setattr("daglock.moments.incomplete.fit_gaussian", look)
    for some, width in ((rows, 12), (rows[3:], 11), (rows[6:], 10)):
        again = np.resize(some, rows.shape)
        found = keep(again, None).moments.columns
        assert found.d == width
        assert starts[-1][0].shape == (width, width)
        named = Table(again, model.names_, kinds=model._kinds)
        cold = Blocks.from_table(named, partial(Moments.from_incomplete, quiet=True)).columns
        assert found.names == cold.names
        scale = np.sqrt(np.diagonal(cold.cov))
        assert np.abs((found.cov - cold.cov) / np.outer(scale, scale)).max() < 0.02
