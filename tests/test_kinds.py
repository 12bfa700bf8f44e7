"""DAGLock and the kinds of columns: what is used, what is left out, and later rows read alike."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import daglock
from daglock import DAGLock
from daglock.errors import DataWarning, InvalidDataError, InvalidParameterError

N = 200
LEFT_OUT = {"id": "counts the rows", "day": "holds dates or times", "site": "does not vary"}


@cache
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.normal(size=N)
    return pd.DataFrame(
        {
            "id": range(N),
            "x": x,
            "smokes": np.where(x + rng.normal(size=N) > 0, "yes", "no"),
            "day": pd.date_range("2020-01-01", periods=N),
            "site": "here",
            "grade": np.array(["low", "mid", "high"])[np.digitize(x + rng.normal(size=N), [-1, 1])],
            "y": 2 * x + rng.normal(size=N),
        }
    )


def fit(columns: dict[str, Any] | None = None) -> DAGLock:
    model = DAGLock("unequal", columns=columns, random_state=0)
    with pytest.warns(DataWarning, match="Left out, as no variables: id .counts the rows., day"):
        return model.fit(rows())


def test_a_model_says_what_its_columns_are() -> None:
    model = fit(columns={"grade": ["low", "mid", "high"]})
    assert model.kinds_ == {
        "x": "continuous",
        "smokes": "binary",
        "grade": "ordinal",
        "y": "continuous",
    }
    assert model.left_out_ == LEFT_OUT
    assert model.names_ == ("x", "smokes", "grade", "y")
    assert model.n_features_in_ == 7
    assert list(model.feature_names_in_) == list(rows().columns)
    assert list(model.weights_.columns) == list(model.names_)
    smokes = (rows()["smokes"] == "yes").mean()
    assert model.moments_.means[1] == pytest.approx(smokes)


def test_rows_that_come_later_are_read_as_those_of_the_fit(tmp_path: Path) -> None:
    model = fit(columns={"grade": ["low", "mid", "high"]})
    whole = model.score(rows())
    assert model.score(rows().iloc[:, ::-1]) == pytest.approx(whole)
    used = rows()[list(model.names_)]
    assert model.score(used) == pytest.approx(whole)
    singly = np.mean([model.score(rows()[i : i + 1]) for i in range(N)])
    assert singly == pytest.approx(whole)
    with pytest.raises(InvalidDataError, match="'smokes' holds 'maybe', and its levels are 'no'"):
        model.score(rows().replace({"smokes": {"no": "maybe"}}))
    model.save(tmp_path / "model.npz")
    loaded = daglock.load(tmp_path / "model.npz")
    assert loaded.kinds_ == model.kinds_
    assert loaded.left_out_ == model.left_out_
    assert loaded.score(rows()) == pytest.approx(whole)
    assert loaded.bootstrap(3, X=rows(), rng=0, progress=False).drawn_from == "rows"


def test_columns_are_a_setting_like_others(tmp_path: Path) -> None:
    said = {"grade": ["low", "mid", "high"], "id": "ignore", "day": "ignore", "site": "ignore"}
    model = DAGLock("unequal", columns=said, random_state=0)
    assert clone(model).get_params()["columns"] == said
    with warnings.catch_warnings():  # what was asked for is no news
        warnings.simplefilter("error")
        model.fit(rows())
    assert set(model.left_out_) == set(LEFT_OUT)
    for name in ("model.json", "model.npz"):
        model.save(tmp_path / name)
        assert daglock.load(tmp_path / name).columns == said
    with pytest.raises(InvalidParameterError, match="'grad', which is no column: did you mean"):
        DAGLock(columns={"grad": "ordinal"}).fit(rows())


def test_columns_of_an_array_keep_their_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=N), np.full(N, 3.0), rng.normal(size=N)])
    X[:, 2] += 2 * X[:, 0]
    with pytest.warns(DataWarning, match=r"Left out, as no variables: x1 \(does not vary\)"):
        model = DAGLock("unequal", random_state=0).fit(X)
    assert model.names_ == ("x0", "x2")
    assert model.n_features_in_ == 3
    assert not hasattr(model, "feature_names_in_")
    assert isinstance(model.weights_, np.ndarray)
    assert model.score(X) == pytest.approx(model.score(X[:, [0, 2]]))
    model.save(tmp_path / "model.json")
    loaded = daglock.load(tmp_path / "model.json")
    assert loaded.names_ == ("x0", "x2")
    assert loaded.score(X) == pytest.approx(model.score(X))
    assert not hasattr(loaded, "feature_names_in_")


def test_numbers_are_used_as_they_are_whatever_their_kind() -> None:
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.integers(0, 5, N), rng.poisson(1.0, N) ** 3, rng.normal(size=N)])
    X[:, 2] += X[:, 0]
    model = DAGLock("unequal", random_state=0).fit(X)
    assert list(model.kinds_.values()) == ["ordinal", "count", "continuous"]
    np.testing.assert_allclose(model.moments_.cov, np.cov(X.T, ddof=0), rtol=1e-12)
