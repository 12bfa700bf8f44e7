"""Names in, names out: frames of every library, and what is wrong with a table, by name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from daglock import DAGLock, Knowledge, Moments, load
from daglock.errors import DataWarning, InvalidDataError, InvalidParameterError
from daglock.estimator import ClaimedEdge
from daglock.simulate import linear_sem
from daglock.typing import Array

NAMES = ["dose", "weight", "pressure", "outcome"]


@cache
def rows() -> Array:
    W = np.zeros((4, 4))
    W[0, 2], W[1, 2], W[2, 3] = 1.5, -1.0, 0.8
    X = linear_sem(W, 500, noise_variances=np.array([1.0, 3.0, 0.5, 2.0]), rng=0)
    X += [10.0, 70.0, 120.0, 0.0]
    X.flags.writeable = False
    return X


@cache
def frame() -> pd.DataFrame:
    return pd.DataFrame(rows(), columns=NAMES)


@cache
def fitted() -> DAGLock:
    return DAGLock("unequal", random_state=0).fit(frame())


def test_pandas_in_pandas_out() -> None:
    model = fitted()
    plain = DAGLock("unequal", random_state=0).fit(rows())
    assert model.names_ == tuple(NAMES)
    assert list(model.feature_names_in_) == NAMES
    for name in ("weights_", "adjacency_matrix_", "cpdag_"):
        table = getattr(model, name)
        assert isinstance(table, pd.DataFrame)
        assert list(table.index) == list(table.columns) == NAMES
        np.testing.assert_allclose(table.to_numpy(), getattr(plain, name), rtol=1e-12)
    assert model.weights_.loc["dose", "pressure"] == pytest.approx(1.5, abs=0.1)
    edges = model.edges_
    assert list(edges.columns) == [
        "source",
        "target",
        "weight",
        "standardised_weight",
        "identified_by",
    ]
    found = {(a, b): w for a, b, w in zip(edges.source, edges.target, edges.weight, strict=True)}
    assert set(found) == {("dose", "pressure"), ("weight", "pressure"), ("pressure", "outcome")}
    for (a, b), weight in found.items():
        assert weight == model.weights_.loc[a, b]
    scale = frame().std(ddof=0)
    for a, b, weight, standardised in zip(
        edges.source, edges.target, edges.weight, edges.standardised_weight, strict=True
    ):
        assert standardised == pytest.approx(weight * scale[a] / scale[b])
    assert (edges.identified_by == "class").all()  # a collider, and what leads away from it
    position = {name: k for k, name in enumerate(model.topological_order_)}
    assert all(position[a] < position[b] for a, b in found)


def test_polars_and_arrow_in_and_out() -> None:
    expected = fitted().weights_.to_numpy()
    model = DAGLock("unequal", random_state=0).fit(pl.from_pandas(frame()))
    assert isinstance(model.weights_, pl.DataFrame)
    assert model.weights_.columns == NAMES
    np.testing.assert_array_equal(model.weights_.to_numpy(), expected)
    assert isinstance(model.edges_, pl.DataFrame)
    assert isinstance(model.sample(3, rng=0), pl.DataFrame)
    table = DAGLock("unequal", random_state=0).fit(pa.table({n: frame()[n] for n in NAMES}))
    assert isinstance(table.weights_, pa.Table)
    assert table.names_ == tuple(NAMES)


def test_arrays_in_arrays_out() -> None:
    model = DAGLock("unequal", random_state=0).fit(rows())
    assert not hasattr(model, "feature_names_in_")
    assert model.names_ == ("x0", "x1", "x2", "x3")
    assert isinstance(model.weights_, np.ndarray)
    edges = model.edges_
    assert isinstance(edges, np.recarray)
    np.testing.assert_array_equal(model.weights_[edges["source"], edges["target"]], edges["weight"])
    np.testing.assert_array_equal(np.sort(model.topological_order_), np.arange(4))


def test_names_are_forgotten_by_the_next_fit() -> None:
    model = DAGLock("unequal", n_restarts=0).fit(frame())
    model.fit(rows())
    assert not hasattr(model, "feature_names_in_")
    assert model.names_ == ("x0", "x1", "x2", "x3")
    assert isinstance(model.weights_, np.ndarray)


def test_moments_with_names_give_frames() -> None:
    model = DAGLock("unequal", n_restarts=0).fit_moments(Moments.from_data(rows(), names=NAMES))
    assert list(model.weights_.columns) == NAMES


def test_networkx_has_every_column_and_the_edges() -> None:
    down = frame().assign(noise=range(500, 0, -1))
    graph = DAGLock("unequal", random_state=0).fit(down).causal_graph_
    assert list(graph.nodes) == [*NAMES, "noise"]
    assert graph.degree("noise") == 0
    edge = graph.edges["dose", "pressure"]
    assert edge["weight"] == pytest.approx(1.5, abs=0.1)
    assert edge["identified_by"] == "class"
    assert 0.5 < edge["link"] <= 1.0
    assert edge["claim"] in ("directed", "leaning", "open")
    assert list(edge) == list(ClaimedEdge._fields[2:])


def test_knowledge_goes_by_name_and_is_obeyed() -> None:
    known = Knowledge(forbidden=["dose -> pressure"], required=["outcome -> weight"])
    model = DAGLock("unequal", knowledge=known, random_state=0).fit(frame())
    assert model.adjacency_matrix_.loc["dose", "pressure"] == 0
    assert model.adjacency_matrix_.loc["outcome", "weight"] == 1
    with pytest.raises(InvalidParameterError, match="names 'Dose', which is not a column"):
        DAGLock(knowledge=Knowledge(roots=["Dose"])).fit(frame())
    with pytest.raises(InvalidParameterError, match="closes a cycle: dose -> weight -> dose"):
        DAGLock(knowledge=Knowledge(required=["dose -> weight", "weight -> dose"])).fit(frame())


def test_knowledge_orients_what_the_data_cannot() -> None:
    X = linear_sem(np.array([[0, 1.0], [0, 0]]), 300, noise_variances=np.array([1.0, 2.0]), rng=0)
    chain = pd.DataFrame(X, columns=["a", "b"])
    open_edges = DAGLock("unequal").fit(chain).edges_
    assert open_edges.identified_by.tolist() == [""]
    model = DAGLock("unequal", knowledge=Knowledge(tiers=[["b"], ["a"]])).fit(chain)
    edge = model.edges_.iloc[0]
    assert edge[["source", "target", "identified_by"]].tolist() == ["b", "a", "knowledge"]
    assert [edge.claim for edge in model.claimed_edges()] == ["directed"]
    assert model.cpdag_.loc["b", "a"] == 1
    assert model.cpdag_.loc["a", "b"] == 0


def hole(frame: pd.DataFrame, *cells: tuple[int, str]) -> pd.DataFrame:
    frame = frame.copy()
    for row, column in cells:
        frame.loc[row, column] = np.nan
    return frame


def test_missing_values_are_refused_by_name_or_dropped_with_a_count() -> None:
    gaps = hole(frame(), (3, "dose"), (3, "weight"), (7, "weight"))
    message = (
        r"missing \(NaN\): 1 in column 'dose', 2 in column 'weight'\..*missing='drop' leave out 2"
    )
    with pytest.raises(InvalidDataError, match=message):
        DAGLock().fit(gaps)
    model = DAGLock("unequal", missing="drop", random_state=0)
    with pytest.warns(DataWarning, match="2 of 500 rows have missing values and were left out"):
        model.fit(gaps)
    assert model.n_dropped_ == 2
    assert model.moments_.n == 498
    expected = DAGLock("unequal", random_state=0).fit(frame().drop([3, 7]))
    assert model.weights_.equals(expected.weights_)
    assert fitted().n_dropped_ == 0


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (lambda: frame().assign(dose=np.inf), "Column 'dose' is infinite"),
        (lambda: frame()[["dose"]], r"1 feature\(s\)"),
        (lambda: frame()[:1], r"1 sample\(s\)"),
        (
            lambda: frame()[["dose", "weight"]].assign(dose=np.nan),
            r"only 'weight' is left without 'dose' \(has no value\)",
        ),
        (lambda: frame()[["dose"]].assign(site=3.0, day="a"), "only 'dose' is left without 'site'"),
        (
            lambda: [["a", 1.0], ["2", 2.0], ["3", 4.0]],
            r"'x0' \('a' in row 0\)\. Replace the words by NaN",
        ),
        (lambda: [[1.0, 2.0], [3.0]], "must all have one length"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(X: Any, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        DAGLock().fit(X())


def test_no_complete_row_names_the_worst_column() -> None:
    gaps = hole(frame(), *((row, "dose" if row < 300 else "weight") for row in range(500)))
    with pytest.raises(InvalidDataError, match=r"Only 0 of the 500 rows.*such as column 'dose'"):
        DAGLock(missing="drop").fit(gaps)
    with pytest.raises(InvalidParameterError, match="refuse, drop or model; got 'impute'"):
        DAGLock(missing="impute").fit(frame())


@pytest.mark.parametrize("missing", ["refuse", "drop", "model"])
@pytest.mark.parametrize("nothing", [np.nan, None, pd.NA])
def test_a_column_without_a_value_is_left_out_and_named(missing: str, nothing: Any) -> None:
    with pytest.warns(DataWarning, match=r"Left out, as no variables: dose \(has no value\)"):
        model = DAGLock("unequal", missing=missing, n_restarts=0).fit(frame().assign(dose=nothing))
    assert model.left_out_ == {"dose": "has no value"}
    assert "dose" not in model.names_
    assert model.n_dropped_ == 0


def test_rows_without_a_value_are_counted_where_gaps_are_modelled() -> None:
    gaps = hole(frame(), (3, "dose"))
    gaps.loc[[5, 9]] = np.nan
    model = DAGLock("unequal", missing="model", n_restarts=0)
    with pytest.warns(DataWarning) as caught:
        model.fit(gaps)
    said = [str(record.message) for record in caught]
    assert "2 of 500 rows have no value in any variable and were left out." in said
    assert model.n_dropped_ == 2
    assert model.moments_.n_rows == 498


@pytest.mark.parametrize("named", [True, False])
def test_rows_are_given_again_where_dropping_some_left_a_column_constant(
    named: bool, tmp_path: Path
) -> None:
    """flag varies in rows that miss the weight only, and has gaps of its own."""
    flag = np.zeros(500)
    flag[[3, 7]] = 1.0
    gaps = hole(frame(), (3, "weight"), (7, "weight")).assign(flag=flag)
    gaps.loc[[11, 12], "flag"] = np.nan
    X: Any = gaps if named else gaps.to_numpy(dtype=float)
    with pytest.warns(DataWarning) as caught:
        model = DAGLock("unequal", missing="drop", n_restarts=0, random_state=0).fit(X)
    assert "does not vary in the rows that are left" in str(caught[0].message)
    assert model.n_dropped_ == 4
    model.save(tmp_path / "model.npz")
    loaded = load(tmp_path / "model.npz")
    again = loaded.bootstrap(3, X=X, rng=0, progress=False)
    expected = model.bootstrap(3, rng=0, progress=False)
    np.testing.assert_array_equal(again.adjacent, expected.adjacent)
    with pytest.raises(InvalidDataError, match="not those that the model was fitted on"):
        loaded.bootstrap(3, X=X[:400], progress=False)


def test_columns_that_say_the_same_are_named_in_a_warning() -> None:
    with pytest.warns(DataWarning, match="dose is a copy of copy") as caught:
        DAGLock("unequal", n_restarts=0).fit(frame().assign(copy=frame().dose * 2))
    assert [record.filename for record in caught] == [__file__]
    with pytest.warns(DataWarning, match="sum is determined exactly by dose, weight"):
        DAGLock("unequal", n_restarts=0).fit(frame().assign(sum=frame().dose + frame().weight))


def test_fewer_rows_than_columns_is_a_warning() -> None:
    with pytest.warns(DataWarning, match="4 rows for 4 columns"):
        DAGLock("unequal", n_restarts=0).fit(frame()[:4])


def test_masked_arrays_have_missing_values() -> None:
    masked = np.ma.masked_array(rows(), mask=np.zeros((500, 4), dtype=bool))
    masked[3, 1] = np.ma.masked
    with pytest.raises(InvalidDataError, match="missing"):
        DAGLock().fit(masked)


def test_old_generators_seed_the_search() -> None:
    first, second = (
        DAGLock("unequal", random_state=np.random.RandomState(3)).fit(rows()) for _ in range(2)
    )
    assert first.certificate_.score == second.certificate_.score
