"""Parts of a sum: which of them was computed cannot be told, so that no direction is claimed."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import daglock
from daglock import DAGLock, Knowledge
from daglock.cli.learned import make_document
from daglock.confidence import Bootstrap, Confidence
from daglock.confidence.words import about_fit
from daglock.counts import Counts
from daglock.engine.repeated import determined_pairs
from daglock.interop import undecided
from daglock.moments import Moments
from daglock.regimes import Regimes
from daglock.typing import BoolArray, Statistics

pytestmark = pytest.mark.filterwarnings("ignore::daglock.errors.DataWarning")
PARTS = {"a", "b", "c", "total"}


def table(n: int = 1000) -> pd.DataFrame:
    """A chain of parts, their total, and what follows from it; all noise has the variance 1."""
    noise = np.random.default_rng(0).standard_normal((n, 4))
    a = noise[:, 0]
    b = 0.8 * a + noise[:, 1]
    c = 0.7 * b + noise[:, 2]
    total = a + b + c
    return pd.DataFrame({"a": a, "b": b, "c": c, "total": total, "z": 0.5 * total + noise[:, 3]})


@cache
def fitted() -> tuple[DAGLock, Bootstrap]:
    model = DAGLock(random_state=0).fit(table())
    return model, model.bootstrap(30, rng=0, progress=False)


def claims(model: DAGLock) -> dict[frozenset[str], str]:
    """Return what is claimed of each link."""
    return {frozenset(edge[:2]): edge.claim for edge in model.claimed_edges()}


def pairs(sure: Confidence) -> list[set[str]]:
    return [{sure.names[i], sure.names[j]} for i, j in zip(sure.source, sure.target, strict=True)]


def none(moments: Statistics) -> BoolArray:
    return np.zeros((moments.d, moments.d), dtype=np.bool_)


def test_no_direction_is_claimed_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    model, drawn = fitted()
    assert model.set_aside_ == ("total",)
    sure = model.assess(bootstrap=drawn)
    found = claims(model)
    assert found.keys() >= {frozenset("ab"), frozenset("bc"), frozenset("az")}
    assert sure.determined is not None
    for pair, is_among in zip(pairs(sure), sure.determined, strict=True):
        assert is_among == (pair <= PARTS)
    for ends, claim in found.items():
        assert (claim == "open") == (ends <= PARTS)
    assert undecided(model, "a", "b") == [("a", "b")]
    # it is that, and nothing else, which keeps these directions back
    monkeypatch.setattr("daglock.estimator.assessing.determined_pairs", none)
    model.assess(bootstrap=drawn)
    assert "open" not in claims(model).values()


def test_it_is_said_wherever_directions_are() -> None:
    model, drawn = fitted()
    sure = model.assess(bootstrap=drawn)
    said = about_fit(sure)
    assert "a – b, b – c are links among columns that determine each other" in said
    assert '(--drop; in Python columns={...: "ignore"})' in said
    assert "determine each other" not in about_fit(
        DAGLock().fit(table()[["a", "b", "z"]]).assess(5)
    )
    k = pairs(sure).index({"a", "b"})
    assert ("determined", 0.5) in [one[:2] for one in sure.said(k)]
    among = model.opinions_["evidence"] == "determined"
    assert among.sum() == sum(pair <= PARTS for pair in pairs(sure))
    record = json.loads(json.dumps(make_document(model, confidence=sure)))["confidence"]
    assert all(one["determined"] == ({one["source"], one["target"]} <= PARTS) for one in record)


def test_without_the_total_the_rest_is_looked_at() -> None:
    """What the sentence advises: whoever knows that the total was computed leaves it out."""
    columns = {"total": "ignore"}
    model = DAGLock(columns=columns, noise="equal", random_state=0).fit(table())
    assert claims(model)[frozenset("ab")] == "directed"


def test_knowledge_is_believed_all_the_same() -> None:
    model = DAGLock(knowledge=Knowledge(tiers=[["a"], ["b"]]), random_state=0).fit(table())
    model.assess(10)
    assert claims(model)[frozenset("ab")] == "directed"
    assert claims(model)[frozenset("bc")] == "open"


@pytest.mark.parametrize("name", ["model.json", "model.npz"])
def test_it_is_kept_with_the_model(name: str, tmp_path: Path) -> None:
    model, drawn = fitted()
    model.assess(bootstrap=drawn)
    model.save(tmp_path / name)
    back = daglock.load(tmp_path / name)
    assert claims(back) == claims(model)
    for one in (back._confidence, back.assess(5)):  # that of the file, and anew from its moments
        assert one is not None
        assert one.determined is not None
        assert one.determined.tolist() == [pair <= PARTS for pair in pairs(one)]
        assert "determine each other" in about_fit(one)


def test_all_kinds_of_tables() -> None:
    """Sums are found in regimes, beside categories, under curves and from a covariance alone."""
    frame = table(400)
    expected = np.zeros((5, 5), dtype=np.bool_)
    expected[:4, :4] = ~np.eye(4, dtype=np.bool_)
    labels = np.repeat(["u", "v"], 200)
    shifted = frame.assign(b=frame["b"] + 2.0 * (labels == "v"))
    shifted["total"] = shifted["a"] + shifted["b"] + shifted["c"]
    word = np.array(["p", "q", "r"])[np.digitize(frame["z"], [-0.5, 1.0])]
    cov = Moments.from_covariance(np.cov(frame.T, bias=True), n=400)
    in_regimes = DAGLock().fit(shifted, regimes=labels).moments_
    assert isinstance(in_regimes, Regimes)
    for moments in (cov, in_regimes, DAGLock(curved=True).fit(frame).moments_):
        np.testing.assert_array_equal(determined_pairs(moments), expected)
    beside = DAGLock().fit(frame.assign(word=word)).moments_
    np.testing.assert_array_equal(determined_pairs(beside), np.pad(expected, (0, 1)))
    words = pd.DataFrame({"w": word, "v": np.roll(word, 1)})
    counted = DAGLock().fit(words).moments_
    assert isinstance(counted, Counts)
    assert not determined_pairs(counted).any()


def test_a_category_that_is_part_of_another() -> None:
    """A country tells its continent: either is a sum of columns of the other."""
    rng = np.random.default_rng(0)
    country = rng.integers(0, 6, 300)
    frame = pd.DataFrame(
        {
            "country": np.array(list("pqrstu"))[country],
            "continent": np.array(["x", "y", "z"])[country // 2],
            "y": country + rng.standard_normal(300),
        }
    )
    among = determined_pairs(DAGLock().fit(frame).moments_)
    np.testing.assert_array_equal(among, [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
