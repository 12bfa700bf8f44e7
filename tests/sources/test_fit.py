"""A graph learned from a source is that of its rows in memory, with all that goes with it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import daglock
from daglock import DAGLock
from daglock.errors import DataWarning, InvalidDataError, InvalidParameterError
from daglock.settings import SETTINGS


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield


def batches(frame: pd.DataFrame, *cuts: int) -> Iterator[pd.DataFrame]:
    """Cut a frame into batches."""
    ends = [0, *cuts, len(frame)]
    return iter([frame[a:b] for a, b in pairwise(ends)])


def numbers(n: int = 45_000) -> pd.DataFrame:
    """More rows than are looked at, of which not all are continuous."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=n)
    b = a + rng.normal(size=n)
    count = rng.poisson(np.exp(0.3 * b).clip(0, 20))
    grade = np.clip(np.rint(1.5 + b / 2), 0, 3)
    return pd.DataFrame({"a": a, "b": b, "count": count, "grade": grade, "nr": np.arange(n) + 5})


def mixed() -> pd.DataFrame:
    frame = numbers()
    rng = np.random.default_rng(1)
    colour = np.array(["red", "green", "blue"])[
        (frame["grade"].to_numpy() > 1) + rng.integers(0, 2, len(frame))
    ]
    colour[31_007] = "violet"  # in no row that is looked at
    smoker = np.where(rng.random(len(frame)) < 0.2, "yes", "no")
    when = pd.date_range("2020-01-01", periods=len(frame), freq="min")
    code = np.array([f"p{k}" for k in range(len(frame))])
    return frame.assign(colour=colour, smoker=smoker, when=when, code=code, same=3.0)


def coded() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    p = rng.integers(0, 3, 30_000)
    q = (p + rng.integers(0, 2, 30_000)) % 3
    return pd.DataFrame({"p": p, "q": q, "r": np.where(rng.random(30_000) < 0.3, "u", "v")})


def gappy() -> pd.DataFrame:
    frame = numbers().drop(columns="nr").astype(float)
    rng = np.random.default_rng(3)
    frame.loc[rng.random(len(frame)) < 0.1, "b"] = np.nan
    frame.loc[rng.random(len(frame)) < 0.1, "count"] = np.nan
    return frame


def skewed() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    dose = rng.normal(size=30_000)
    price = np.exp(2 * dose + rng.normal(size=30_000))
    return pd.DataFrame(
        {"dose": dose, "price": price, "late": price**0.5 + rng.exponential(size=30_000)}
    )


def in_regimes() -> pd.DataFrame:
    frame = numbers().drop(columns="nr")
    which = np.random.default_rng(5).integers(0, 3, len(frame))
    return frame.assign(a=frame["a"] + 10 * which, batch=np.array(["x", "y", "z"])[which])


CASES: dict[str, tuple[pd.DataFrame, dict[str, Any], dict[str, Any]]] = {
    "numbers": (numbers(), {}, {}),
    "categories": (mixed(), {}, {}),
    "counted": (coded(), {}, {}),
    "gaps modelled": (gappy(), {"missing": "model"}, {}),
    "gaps dropped": (gappy(), {"missing": "drop"}, {}),
    "regimes": (in_regimes(), {}, {"regimes": "batch"}),
    "kinds given": (numbers(), {"columns": {"grade": "categorical", "nr": "ignore"}}, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_graph_as_in_memory(case: str) -> None:
    frame, settings, how = CASES[case]
    like = DAGLock(**settings).fit(frame, **how)
    model = DAGLock(**settings).fit(batches(frame, 1, 17_000, 17_500), **how)
    assert model.edges_["source"].tolist() == like.edges_["source"].tolist()
    assert model.edges_["target"].tolist() == like.edges_["target"].tolist()
    assert model.edges_["identified_by"].tolist() == like.edges_["identified_by"].tolist()
    np.testing.assert_allclose(model.edges_["weight"], like.edges_["weight"], rtol=1e-4)
    assert type(model.moments_) is type(like.moments_)
    assert (model.moments_.n, model.moments_.n_rows) == (like.moments_.n, like.moments_.n_rows)
    assert model.kinds_ == like.kinds_
    assert model.left_out_ == like.left_out_
    assert model.n_dropped_ == like.n_dropped_
    assert model.scores_ == like.scores_
    read = model.source_
    assert read is not None
    assert (read["rows"], read["files"]) == (len(frame), 0)
    assert 0 < read["rows_looked_at"] <= SETTINGS.shape_rows
    assert like.source_ is None


def test_ranks_come_from_the_rows_that_are_looked_at() -> None:
    frame = skewed()
    like, model = DAGLock().fit(frame), DAGLock().fit(batches(frame, 999))
    assert model.scores_ == like.scores_ != {}
    assert model.edges_["source"].tolist() == like.edges_["source"].tolist()
    np.testing.assert_allclose(model.edges_["weight"], like.edges_["weight"], atol=0.01)


def test_the_shape_of_the_noise_is_judged_by_the_same_rows() -> None:
    rng = np.random.default_rng(6)
    a = rng.exponential(size=60_000)
    frame = pd.DataFrame({"b": a + rng.uniform(size=60_000), "a": a})
    like = DAGLock(scores="raw").fit(frame)
    model = DAGLock(scores="raw").fit(batches(frame, 59_999))
    assert like.edges_["identified_by"].tolist() == ["shape"]
    assert model.edges_["identified_by"].tolist() == ["shape"]
    assert model.edges_["source"].tolist() == like.edges_["source"].tolist() == ["a"]
    rows = model.rows_looked_at()
    assert rows is not None
    np.testing.assert_array_equal(rows, frame.to_numpy()[::3])


@settings(max_examples=8, deadline=None)
@given(cuts=st.lists(st.integers(0, 3000), max_size=6))
@example(cuts=[102, 111])  # all rows of a regime in a batch are left out
def test_replicates_do_not_depend_on_the_batches(cuts: list[int]) -> None:
    frame = in_regimes()[:3000]
    frame.loc[5:300:7, "b"] = np.nan
    first = (
        DAGLock(missing="drop")
        .fit(batches(frame), regimes="batch")
        .bootstrap(6, rng=3, progress=False)
    )
    model = DAGLock(missing="drop").fit(batches(frame, *sorted(cuts)), regimes="batch")
    again = model.bootstrap(6, rng=3, progress=False)
    assert again.adjacency().equals(first.adjacency())
    assert again.directed().equals(first.directed())
    assert again.drawn_from == "rows"


def test_confidence_is_like_that_in_memory() -> None:
    frame = numbers()
    like, model = DAGLock().fit(frame), DAGLock().fit(batches(frame, 100))
    sure, other = ({edge[:2]: edge for edge in one.claimed_edges()} for one in (model, like))
    assert sure.keys() == other.keys()
    for ends, edge in sure.items():
        assert edge.link == pytest.approx(other[ends].link, abs=0.1)
        assert edge.direction == pytest.approx(other[ends].direction, abs=0.15)


def test_replicates_can_be_kept_and_taken_over(tmp_path: Any) -> None:
    model = DAGLock().fit(batches(numbers()[:5000], 100))
    whole = model.bootstrap(9, rng=1, progress=False)
    file = tmp_path / "replicates"
    model.bootstrap(4, rng=1, progress=False, checkpoint=file)
    again = model.bootstrap(9, rng=1, progress=False, checkpoint=file)
    assert again.directed().equals(whole.directed())


def test_an_effect_has_the_doubt_of_all_rows() -> None:
    frame = numbers().drop(columns="nr")
    how = {"required": ["a -> b"]}
    like = DAGLock(knowledge=how).fit(frame).effect("a", "b", rng=0)
    found = DAGLock(knowledge=how).fit(batches(frame, 5)).effect("a", "b", rng=0)
    assert found.high - found.low == pytest.approx(like.high - like.low, rel=0.3)


def test_what_was_read_is_saved(tmp_path: Any) -> None:
    model = DAGLock().fit(batches(mixed()[:4000], 100))
    for name in ("model.npz", "model.json"):
        model.save(tmp_path / name)
        loaded = daglock.load(tmp_path / name)
        assert loaded.source_ == model.source_
        assert loaded.edges_.equals(model.edges_)


def test_words_among_numbers_are_refused_with_their_place() -> None:
    frame = numbers()[:3000].astype(object)
    frame.loc[2500, "a"] = "n.d."
    text = frame.astype(str)
    with pytest.raises(InvalidDataError, match=r"'a' \('n.d.' in row 2,501 of the batches"):
        DAGLock().fit(batches(text[["a", "b"]].assign(b=1.0 * np.arange(3000) ** 2), 10))


def test_what_needs_all_rows_in_memory_is_refused() -> None:
    frame = numbers()[:3000]
    with pytest.raises(InvalidParameterError, match="regimes must be the name of a column"):
        DAGLock().fit(batches(frame), regimes=np.zeros(3000))
    model = DAGLock().fit(batches(frame))
    with pytest.raises(InvalidParameterError, match="groups"):
        model.bootstrap(3, groups=np.zeros(3000), progress=False)
    with pytest.raises(InvalidParameterError, match="must fit into memory"):
        model.bootstrap(3, X=batches(frame), progress=False)
    with pytest.raises(InvalidDataError, match=r"missing: .* in column 'b', the first in row"):
        DAGLock().fit(batches(gappy(), 20))


def test_a_lazy_frame_is_fitted_like_its_rows() -> None:
    frame = mixed()[:5000]
    like = DAGLock().fit(pl.from_pandas(frame))
    model = DAGLock().fit(pl.from_pandas(frame).lazy())
    assert isinstance(model.edges_, pl.DataFrame)
    assert [edge[:2] for edge in model.named_edges()] == [edge[:2] for edge in like.named_edges()]
    assert model.kinds_ == like.kinds_
