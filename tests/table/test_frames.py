"""Frames of every library become the same numbers and names; what is not a number is named."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from daglock.errors import InvalidCellError, InvalidDataError
from daglock.table.frames import make_digraph, make_matrix, make_table, read_frame, read_table

COLUMNS = {"a": [1, None, 3], "b": [True, False, True], "c": [0.5, None, 2.5]}
EXPECTED = np.array([[1, 1, 0.5], [np.nan, 0, np.nan], [3, 1, 2.5]])


class Interchange:
    """Offers the ``__dataframe__`` protocol and nothing else."""

    def __dataframe__(self, **options: Any) -> Any:
        table: Any = pa.table(COLUMNS)
        return table.__dataframe__(**options)


class Stream:
    """Offers Arrow's stream and nothing else."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        table: Any = pa.table(COLUMNS)
        return table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    ("X", "library"),
    [
        (pd.DataFrame(COLUMNS), "pandas"),
        (pd.DataFrame(COLUMNS).astype({"a": "Int64", "b": "boolean", "c": "Float64"}), "pandas"),
        (pd.DataFrame(COLUMNS).astype({"a": object, "c": object}), "pandas"),
        (pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"), "pandas"),
        (pl.DataFrame(COLUMNS), "polars"),
        (pl.DataFrame(COLUMNS).lazy(), "polars"),
        (pa.table(COLUMNS), "pyarrow"),
        (Interchange(), "pyarrow"),
        (Stream(), "pyarrow"),
    ],
)
def test_every_library_gives_the_same(X: Any, library: str) -> None:
    frame = read_frame(X)
    assert frame is not None
    np.testing.assert_array_equal(frame.data, EXPECTED)
    assert frame.names == ("a", "b", "c")
    assert frame.library == library


@pytest.mark.parametrize("X", [None, np.eye(2), [[1, 2], [3, 4]], ((1, 2),), 3, "table"])
def test_what_is_no_frame(X: Any) -> None:
    assert read_frame(X) is None


def test_columns_without_strings_have_no_names() -> None:
    frame = read_frame(pd.DataFrame(np.eye(2)))
    assert frame is not None
    assert frame.names is None


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            pd.DataFrame({"a": [1, 2], "b": np.array([1, {"x": 2}], dtype=object)}),
            "row 1 of column 'b' holds {'x': 2}",
        ),
        (
            pd.DataFrame({"a": [1, 2], "b": np.array(["x", [2]], dtype=object)}),
            r"strings and numbers, but row 1 of column 'b' holds \[2\]",
        ),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' occurs more than once"),
        (pd.DataFrame([[1, 2]], columns=["a", 3]), "3 is not: rename the columns"),
    ],
)
def test_what_cannot_be_used_is_named(X: Any, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        read_frame(X)


@pytest.mark.parametrize(
    "cell",
    [{"x": 1}, {1, 2}, pd.Period("2020-01"), (1,), np.zeros(2), object()],
    ids=lambda cell: type(cell).__name__,
)
@pytest.mark.parametrize("text", [False, True])
def test_an_object_in_an_array_is_named_by_its_place(cell: Any, text: bool) -> None:
    X = np.arange(12.0).reshape(4, 3).astype(object)
    X[2, 1] = cell
    if text:
        X[:, 0] = ["a", "b", "a", "b"]
    tables = [X] if np.iterable(cell) else [X, X.tolist()]
    for table in tables:
        with pytest.raises(InvalidCellError, match="strings and numbers, but row 2 of column 1"):
            read_table(table)


def test_a_column_of_nothing_is_missing_not_text() -> None:
    frame = read_frame(pl.DataFrame({"a": [1.0, 2.0], "b": [None, None]}))
    assert frame is not None
    assert np.isnan(frame.data[:, 1]).all()


def test_frames_are_made_for_every_library() -> None:
    W = np.array([[0.0, 0.5], [0.0, 0.0]])
    assert make_matrix("pandas", ["a", "b"], W).loc["a", "b"] == 0.5
    assert make_matrix("polars", ["a", "b"], W)["b"].to_list() == [0.5, 0.0]
    assert make_matrix("pyarrow", ["a", "b"], W)["b"].to_pylist() == [0.5, 0.0]
    assert make_table("polars", {"a": np.array([1, 2])}).shape == (2, 1)


def test_a_graph_has_every_node() -> None:
    graph = make_digraph(["b", "a"])
    assert list(graph.nodes) == ["b", "a"]
    assert not graph.edges


def test_objects_that_are_no_numbers_are_read_or_named() -> None:
    numbers = np.random.default_rng(0).normal(size=(30, 2))
    days = np.array([dt.date(2020, 1, 1 + i % 28) for i in range(30)], dtype=object)
    table = read_table(np.column_stack([numbers.astype(object), days]))
    assert table.left_out == {"x2": "holds dates or times"}
    cells = numbers.astype(object)
    cells[3, 1] = pd.NA
    assert np.isnan(read_table(cells, "drop").data).sum() == 0
    words = np.array([["a", pd.NA, "b"][i % 3] for i in range(30)], dtype=object)
    table = read_table(np.column_stack([cells, words]), "model")
    assert np.isnan(table.data).sum(axis=0).tolist() == [0, 1, 10]
    assert table.kinds[2].levels == ("a", "b")


def test_columns_of_pandas_that_arrow_does_not_take() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
    mixed = frame.assign(c=pd.Categorical([[1, "x", 2.5][i % 3] for i in range(30)]))
    assert read_table(mixed).kinds[2].levels == ("1", "2.5", "x")
    months = frame.assign(c=pd.period_range("2020-01", periods=30, freq="M"))
    assert read_table(months).left_out == {"c": "holds dates or times"}
    cut = frame.assign(c=pd.cut(frame["a"], [-9, -0.5, 0.5, 9]))
    assert read_table(cut).kinds[2].levels == ("-9 to -0.5", "-0.5 to 0.5", "0.5 to 9")
    with pytest.raises(InvalidDataError, match=r"row 0 of column 'c' holds \(1\+2j\)"):
        read_table(frame.assign(c=1 + 2j))
