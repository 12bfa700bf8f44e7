"""Moments of a source are those of its rows, whatever the batches and their order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

from daglock import Moments
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.regimes import Regimes
from daglock.typing import Array

NAMES = ["a", "b", "c", "d"]


def make(n: int = 3000, seed: int = 0) -> Array:
    """Columns of very different scales, one sorted, one of whole numbers, one far from zero."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    X[:, 1] = np.sort(X[:, 1] + X[:, 0]) * 1e4
    X[:, 2] = rng.integers(0, 5, n)
    X[:, 3] = 1e-3 * X[:, 3] + 1e-3 * X[:, 2] + 50.0
    return X


def require_equal(one: Moments, other: Moments, within: float = 1e-12) -> None:
    """Compare in units of the standard deviations."""
    scale = np.sqrt(np.diagonal(other.cov))
    assert np.abs((one.cov - other.cov) / scale / scale[:, None]).max() < within
    # a mean far from zero has no more digits than a double
    assert (np.abs(one.means - other.means) <= within * (scale + np.abs(other.means))).all()
    assert (one.n, one.n_rows, one.names) == (other.n, other.n_rows, other.names)
    np.testing.assert_allclose(one.resolution, other.resolution, rtol=1e-9)


@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.integers(0, 3000), max_size=30), seed=st.integers(0, 2**32 - 1))
def test_whatever_the_batches_and_their_order(cuts: list[int], seed: int) -> None:
    X = make()
    pieces = np.split(X, sorted(cuts))
    np.random.default_rng(seed).shuffle(pieces)
    frames = iter([pd.DataFrame(piece, columns=NAMES) for piece in pieces])
    require_equal(Moments.from_source(frames), Moments.from_data(X, NAMES))


def test_sorted_far_and_constant_within_batches_keep_their_digits() -> None:
    rng = np.random.default_rng(3)
    x = np.repeat(np.arange(8.0) * 1e9, 2000)  # constant in every batch, far from each other
    y = rng.standard_normal(16000)
    y[:2000] += 1e8  # the first batch is far from all others
    X = np.column_stack([x, y, x / 1e9 + rng.standard_normal(16000)])
    exact = _exact(X)
    found = Moments.from_source(iter(np.split(X, 8)))
    scale = np.sqrt(np.diagonal(exact))
    assert np.abs((found.cov - exact) / scale / scale[:, None]).max() < 1e-12


def _exact(X: Array) -> Array:
    """Covariance in extended precision."""
    wide = X.astype(np.longdouble)
    wide -= wide.mean(axis=0)
    return np.asarray(wide.T @ wide / len(X), dtype=np.float64)


def written(folder: Path, X: Array, kind: str) -> Path:
    """Write rows to three files of different sizes."""
    for k, own in enumerate(np.split(X, [700, 701])):
        table = pa.table({name: own[:, j] for j, name in enumerate(NAMES)})
        if kind == "parquet":
            pq.write_table(table, str(folder / f"part-{k}.parquet"), row_group_size=256)
        else:
            csv.write_csv(table, str(folder / f"part-{k}.csv"))
    return folder


SORTS: dict[str, Callable[[Path, Array], Any]] = {
    "folder of Parquet": lambda folder, X: written(folder, X, "parquet"),
    "pattern": lambda folder, X: str(written(folder, X, "parquet") / "part-*.parquet"),
    "folder of CSV": lambda folder, X: written(folder, X, "csv"),
    "data set": lambda folder, X: ds.dataset(str(written(folder, X, "parquet"))),
    "reader": lambda folder, X: frame(X).to_arrow().to_reader(max_chunksize=70),
    "table of Arrow": lambda folder, X: frame(X).to_arrow(),
    "lazy frame": lambda folder, X: pl.scan_parquet(str(written(folder, X, "parquet"))),
    "relation": lambda folder, X: duckdb.read_parquet(f"{written(folder, X, 'parquet')}/*.parquet"),
    "iterator of arrays": lambda folder, X: iter(np.split(X, [100, 1500])),
    "iterator of polars": lambda folder, X: iter([frame(X)[:900], frame(X)[900:]]),
    "function": lambda folder, X: lambda: iter(np.split(X, [100, 1500])),
}


def frame(X: Array) -> pl.DataFrame:
    """Return rows as a frame."""
    return pl.DataFrame({name: X[:, j] for j, name in enumerate(NAMES)})


@pytest.mark.parametrize("sort", SORTS)
def test_every_sort_of_source(sort: str, tmp_path: Path) -> None:
    X = make()
    names = ["x0", "x1", "x2", "x3"] if sort in ("iterator of arrays", "function") else NAMES
    found = Moments.from_source(SORTS[sort](tmp_path, X))
    require_equal(found, Moments.from_data(X, names))


def test_columns_are_chosen_and_ordered(tmp_path: Path) -> None:
    X = make()
    found = Moments.from_source(written(tmp_path, X, "parquet"), ["d", "a"])
    require_equal(found, Moments.from_data(X[:, [3, 0]], ["d", "a"]))


@pytest.mark.parametrize("labels", [np.arange(3000) % 3, np.array(["u", "v", "w"] * 1000)])
def test_regimes(labels: Any) -> None:
    X = make()
    X[:, 0] += 100.0 * (np.arange(3000) % 3)
    whole = pl.DataFrame({"a": X[:, 0], "which": labels, "b": X[:, 1], "c": X[:, 2]})
    batches = [whole[:10], whole[10:2000], whole[2000:]]
    own, names = X[:, :3], ("a", "b", "c")
    pooled = Moments.from_source(iter(batches), regimes="which")
    require_equal(pooled, Moments.within_regimes(own, labels, names))
    kept = Regimes.from_source(iter(batches), regimes="which")
    like = Regimes.from_labelled(own, labels, names)
    require_equal(kept, like)
    assert isinstance(like, Regimes)
    assert kept.regimes == like.regimes
    for part, other in zip(kept.parts, like.parts, strict=True):
        assert part.n == other.n
        np.testing.assert_allclose(part.mean, other.mean, rtol=1e-12)
        np.testing.assert_allclose(part.scatter, other.scatter, rtol=1e-9, atol=1e-9)


def gappy(seed: int = 0) -> Array:
    """Rows of which some values are missing, one row without any."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2000, 3)) @ rng.standard_normal((3, 3)) + 5.0
    X[rng.random(2000) < 0.2, 0] = np.nan
    X[rng.random(2000) < 0.1, 2] = np.nan
    X[17] = np.nan
    return X


@pytest.mark.parametrize("labels", [None, np.arange(2000) % 2])
def test_gaps_are_modelled_as_in_memory(labels: Any) -> None:
    X = gappy()
    names = ["x0", "x1", "x2"]
    like = Moments.from_incomplete(X, names, labels=labels, tolerance=1e-9)
    whole = X if labels is None else np.column_stack([X, labels])
    found = Moments.from_source(
        iter(np.split(whole, [5, 800])),
        regimes=None if labels is None else "x3",
        missing="model",
    )
    assert (found.n, found.n_rows) == (like.n, like.n_rows)
    assert found.missing == pytest.approx(like.missing, rel=1e-12)
    scale = np.sqrt(np.diagonal(like.cov))
    assert np.abs((found.cov - like.cov) / scale / scale[:, None]).max() < 1e-4
    assert np.abs((found.means - like.means) / scale).max() < 1e-4


def test_gaps_are_dropped_or_refused() -> None:
    X = gappy()
    found = Moments.from_source(iter(np.split(X, 4)), missing="drop")
    require_equal(found, Moments.from_data(X[~np.isnan(X).any(axis=1)], names=["x0", "x1", "x2"]))
    with pytest.raises(InvalidDataError, match=r"missing: \d+ in column 'x0', the first in row \d"):
        Moments.from_source(iter(np.split(X, 4)))


def test_an_infinite_value_is_named(tmp_path: Path) -> None:
    X = make()
    X[2500, 1] = np.inf
    with pytest.raises(InvalidDataError, match=r"'b' in row 8 of part-2\.parquet, row group 7"):
        Moments.from_source(written(tmp_path, X, "parquet"))


def test_what_is_no_source_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match=r"ndarray is no source.*from_data"):
        Moments.from_source(make())
    with pytest.raises(InvalidDataError, match="do not vary"):
        Moments.from_source(iter([np.ones((3, 2)), np.ones((3, 2))]))
    with pytest.raises(InvalidDataError, match="there is no batch"):
        Moments.from_source(iter([]))
    with pytest.raises(InvalidDataError, match="Batch 2 is a str"):
        Moments.from_source(iter([make(), "rows"]))
    with pytest.raises(InvalidDataError, match="has no column 'b'"):
        Moments.from_source(iter([frame(make()), frame(make()).drop("b")]))
    with pytest.raises(InvalidParameterError, match="has no column 'z'; its columns are 'a'"):
        Moments.from_source(iter([frame(make())]), ["a", "z"])
    with pytest.raises(InvalidDataError, match="not numeric: 't'"):
        Moments.from_source(iter([pd.DataFrame({"a": [1.0], "b": [2.0], "t": ["x"]})]))


def test_an_iterator_is_read_once() -> None:
    from daglock.moments.streamed import Gather, merge_gathered
    from daglock.sources import as_source

    source = as_source(iter(np.split(make(), 3)))
    assert source is not None
    source.reduce(Gather(("x0", "x1")), merge_gathered, columns=["x0", "x1"], last=True)
    with pytest.raises(InvalidDataError, match="can be read once"):
        source.reduce(Gather(("x0", "x1")), merge_gathered, columns=["x0", "x1"])
