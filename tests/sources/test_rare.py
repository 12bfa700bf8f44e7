"""Columns and levels that few rows have: what replicates of a source say of them, and what not."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock, Moments
from daglock.blocks import Blocks
from daglock.errors import DataWarning
from daglock.moments.redrawn import Weights
from daglock.regimes import Regimes
from daglock.typing import Array, Statistics

N = 300


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


def numbers(*rows: int) -> pd.DataFrame:
    """Two columns that are linked, and others that are 1 in so many rows, else 0."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal(N)
    frame = pd.DataFrame({"a": a, "b": a + rng.standard_normal(N)})
    for k, m in enumerate(rows):
        frame[f"rare {k}"] = np.zeros(N)
        frame.loc[rng.choice(N, m, replace=False), f"rare {k}"] = 1.0
    return frame


def mixed() -> pd.DataFrame:
    """With categories that have a rare level: the first, another one, all but one."""
    rng = np.random.default_rng(1)
    frame = numbers(2)
    for name, rare in (("first", "a"), ("last", "z"), ("single", "z")):
        levels = np.array(["p", "q", "r"])[rng.integers(0, 3, N) * (name != "single")]
        levels[rng.choice(N, 2, replace=False)] = rare
        frame[name] = levels
    frame.loc[frame["single"] == "z", "single"] = ["y", "z"]
    return frame


def gappy(frame: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = frame.copy()
    for name in frame.columns[1:-1]:
        frame.loc[rng.random(N) < 0.1, name] = None
    return frame


def in_regimes(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(where=np.array(["x", "y"])[np.random.default_rng(3).integers(0, 2, N)])


def folder(frame: pd.DataFrame, path: Path) -> Path:
    """Write a frame as the files of a folder."""
    for k, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        frame.iloc[rows].to_parquet(path / f"{k}.parquet")
    return path


@pytest.mark.parametrize("sort", ["complete", "gaps", "regimes"])
def test_many_rare_columns_are_no_reason_to_stop(sort: str, tmp_path: Path) -> None:
    """In nearly every draw of the rows one of them does not vary."""
    frame, how = numbers(*[1] * 12), dict[str, Any]()
    if sort == "gaps":
        frame = gappy(frame)
    if sort == "regimes":
        frame, how = in_regimes(frame), {"regimes": "where"}
    model = DAGLock(missing="model", random_state=0).fit(folder(frame, tmp_path), **how)
    assert model.source_ is not None
    found = model.bootstrap(8, rng=0, progress=False).adjacency()
    assert found.loc["a", "b"] == 1.0
    rare = found.drop(index=["a", "b"], columns=["a", "b"])
    assert rare.to_numpy().max() == 0.0  # what rounding leaves of a column links it to nothing


def drawn_rows(frame: pd.DataFrame, seed: tuple[int, ...], b: int) -> Array:
    """Return the numbers of the rows of a replicate of a source."""
    where = frame["where"].to_numpy() if "where" in frame else np.full(N, "")
    rows = []
    for regime in np.unique(where).tolist():
        own = np.flatnonzero(where == regime)
        times = Weights(len(own), seed, regime, range(b, b + 1)).of(0, len(own))[0]
        rows.append(np.repeat(own, times))
    return np.concatenate(rows)


def columns_in(kept: Statistics) -> Moments:
    columns = kept.columns if isinstance(kept, Blocks) else kept
    assert isinstance(columns, Moments)
    return columns


CASES: dict[str, tuple[pd.DataFrame, dict[str, Any]]] = {
    "numbers": (numbers(1, 2, 2), {}),
    "numbers with gaps": (gappy(numbers(1, 2, 4)), {}),
    "numbers in regimes": (in_regimes(numbers(1, 2, 2)), {"regimes": "where"}),
    "categories": (mixed(), {}),
    "categories with gaps": (gappy(mixed()), {}),
    "categories in regimes": (in_regimes(mixed()), {"regimes": "where"}),
}


@pytest.mark.parametrize("case", CASES)
def test_replicates_are_those_of_the_same_rows_in_memory(case: str, tmp_path: Path) -> None:
    frame, how = CASES[case]
    like = DAGLock(missing="model", random_state=0).fit(frame, **how)
    model = DAGLock(missing="model", random_state=0).fit(folder(frame, tmp_path), **how)
    assert model.names_ == like.names_
    assert model._stream is not None
    drawn, keep, seen = model._stream.draw(0, 12, (5,), model.moments_), like._keep_rows(), set()
    assert like._rows is not None
    for b, sample in enumerate(drawn):
        rows = drawn_rows(frame, (5,), b)
        expected = keep(like._rows[rows], None if like._labels is None else like._labels[rows])
        assert sample.columns.tolist() == expected.columns.tolist()
        assert type(sample.moments) is type(expected.moments)
        assert (sample.moments.n, sample.moments.names) == (
            expected.moments.n,
            expected.moments.names,
        )
        own, other = columns_in(sample.moments), columns_in(expected.moments)
        assert own.names == other.names
        scale = np.sqrt(np.diagonal(other.cov))
        near = 0.1 if like.moments_.missing else 1e-9  # of gaps both stop when they are near
        np.testing.assert_allclose(
            own.cov / np.outer(scale, scale), other.cov / np.outer(scale, scale), atol=near
        )
        if isinstance(sample.moments, Blocks):
            assert isinstance(expected.moments, Blocks)
            assert sample.moments.levels == expected.moments.levels
            np.testing.assert_array_equal(sample.moments.first, expected.moments.first)
            if not like.moments_.missing:
                np.testing.assert_allclose(sample.moments.means, expected.moments.means)
        seen.add((len(sample.columns), own.d))
    assert len(seen) > 2  # some columns and levels were gone


def test_a_level_that_only_one_regime_has_tells_nothing(tmp_path: Path) -> None:
    """And is no reason to refuse the column: there are others that vary within regimes."""
    frame = in_regimes(mixed()).drop(columns=["single", "last"])
    frame.loc[frame["where"] == "y", "first"] = "only"
    like = DAGLock(random_state=0).fit(frame, regimes="where")
    model = DAGLock(random_state=0).fit(folder(frame, tmp_path), regimes="where")
    assert isinstance(like.moments_, Blocks)
    assert isinstance(like.moments_.columns, Regimes)
    assert like.moments_.levels == model.moments_.levels == (None, None, None, tuple("pqr"))
    assert like.moments_.columns.names == model.moments_.columns.names
    np.testing.assert_allclose(model.moments_.columns.cov, like.moments_.columns.cov, atol=1e-12)
    assert like.named_edges() != []
    assert "b" in str(like.effect("a", "b", n=20))
