"""confidence_ and opinions_ of a fitted model: what is there, seeded, saved, obeying knowledge."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import daglock
from daglock import DAGLock, Knowledge, Moments
from daglock.confidence.confidence import Confidence
from daglock.confidence.words import about_fit
from daglock.errors import DataWarning, InvalidDataError
from daglock.simulate import linear_sem

NAMES = ["a", "b", "c", "d", "e"]


@cache
def table() -> pd.DataFrame:
    """a -> c <- b, c -> d, and e by itself."""
    W = np.zeros((5, 5))
    W[0, 2], W[1, 2], W[2, 3] = 1.0, 1.0, 0.8
    variances = np.array([1.0, 2.0, 0.5, 1.5, 1.0])
    X = linear_sem(W, 600, noise_variances=variances, rng=0)
    return pd.DataFrame(X, columns=NAMES)


@cache
def model() -> DAGLock:
    return DAGLock("unequal", random_state=0).fit(table())


def row(frame: pd.DataFrame, source: str, target: str) -> pd.Series:
    found = frame[(frame.source == source) & (frame.target == target)]
    assert len(found) == 1
    return found.iloc[0]


def test_a_collider_is_claimed_and_columns_by_themselves_are_not_linked() -> None:
    sure = model().confidence_
    assert list(sure.columns) == [
        *("source", "target", "link", "direction", "arrow", "claim", "because", "in_graph")
    ]
    for source, target in (("a", "c"), ("b", "c"), ("c", "d")):
        found = row(sure, source, target)
        assert found.link > 0.9
        assert found.direction > 0.85
    for source in "ab":
        found = row(sure, source, "c")
        assert found.direction > 0.9
        assert (found.claim, found.because) in (("directed", ""), ("leaning", "link"))
    assert not (sure.loc[sure.link > 0.5, ["source", "target"]] == "e").any().any()
    assert (sure.arrow == sure.link * sure.direction).all()
    assert sure.arrow.is_monotonic_decreasing


def test_a_chain_is_open() -> None:
    W = np.zeros((3, 3))
    W[0, 1], W[1, 2] = 1.0, 1.0
    X = linear_sem(W, 500, noise_variances=np.array([1.0, 2.0, 0.5]), rng=1)
    sure = DAGLock("unequal").fit(X).confidence_
    linked = sure[sure["link"] > 0.5]
    assert len(linked) == 2
    assert set(linked["claim"]) == {"open"}


def test_the_shape_of_the_noise_decides_what_the_class_leaves_open() -> None:
    W = np.zeros((3, 3))
    W[0, 1], W[1, 2] = 1.0, 1.0
    X = linear_sem(W, 500, "exponential", noise_variances=np.array([1.0, 2.0, 0.5]), rng=1)
    found = DAGLock("unequal").fit(pd.DataFrame(X, columns=list("xyz")))
    edges = found.edges_.set_index(["source", "target"])
    assert set(edges.index) == {("x", "y"), ("y", "z")}
    assert set(edges.identified_by) == {"shape"}
    assert row(found.confidence_, "x", "y").direction > 0.8
    ignoring = DAGLock("unequal", shape="ignore").fit(X)
    assert set(ignoring.edges_["identified_by"]) == {""}


def test_opinions_are_about_the_pairs_and_speak_in_words() -> None:
    said = model().opinions_
    assert list(said.columns) == ["source", "target", "evidence", "direction", "words"]
    about = said[(said.source == "a") & (said.target == "c")]
    assert {"class", "margin"} <= set(about.evidence)
    assert about.words.str.contains("a → c").any()
    assert said.direction.between(0, 1).all()


def test_the_same_seed_gives_the_same_and_the_default_is_seeded() -> None:
    first, second = (DAGLock("unequal").fit(table()).confidence_ for _ in range(2))
    pd.testing.assert_frame_equal(first, second)
    other = DAGLock("unequal").fit(table())
    other.assess(100, rng=7)
    assert not other.confidence_.equals(first)


def test_without_names_there_are_indices() -> None:
    sure = DAGLock("unequal").fit(table().to_numpy()).confidence_
    assert sure.dtype.names == tuple(model().confidence_.columns)
    assert sure["source"].dtype.kind == "i"


@pytest.mark.parametrize("ending", ["npz", "json"])
def test_saved_and_loaded(tmp_path: Path, ending: str) -> None:
    sure = model().confidence_
    model().save(tmp_path / f"model.{ending}")
    loaded = daglock.load(tmp_path / f"model.{ending}")
    pd.testing.assert_frame_equal(loaded.confidence_, sure)
    pd.testing.assert_frame_equal(loaded.opinions_, model().opinions_)


def test_without_rows_directions_are_doubted() -> None:
    with_rows = model().confidence_
    moments = Moments.from_data(table())
    without = DAGLock("unequal", random_state=0).fit_moments(moments).confidence_
    assert (
        row(without, "a", "c").direction < row(with_rows, "a", "c").direction
    )  # nobody could look whether the model holds
    assert row(without, "a", "c").link > 0.5


def test_knowledge_settles_a_direction() -> None:
    W = np.zeros((2, 2))
    W[0, 1] = 1.0
    X = pd.DataFrame(linear_sem(W, 300, noise_variances=np.array([1.0, 2.0]), rng=0))
    X.columns = ["x", "y"]
    known = Knowledge(forbidden=[("x", "y")])
    found = DAGLock("unequal", knowledge=known).fit(X)
    sure = row(found.confidence_, "y", "x")
    assert (sure.direction, sure.claim, sure.because) == (1.0, "directed", "knowledge")
    assert list(found.edges_.identified_by) == ["knowledge"]
    assert found.opinions_.evidence.tolist() == ["knowledge"]


def test_knowing_a_direction_is_not_knowing_the_link() -> None:
    """A link whose direction is known is as doubtful as before; one that is demanded is not."""
    weak = pd.DataFrame(np.random.default_rng(0).standard_normal((300, 3)), columns=list("xyz"))
    weak["y"] += 0.22 * weak["x"]
    tiers = Knowledge(tiers=[["x"], ["y"]])
    found = DAGLock("unequal", knowledge=tiers).fit(weak).confidence_
    told = row(found, "x", "y")
    assert told.arrow == told.link < 1.0
    assert (told.claim, told.because) == ("directed", "knowledge")  # drawn as told, all the same
    demanded = DAGLock("unequal", knowledge=Knowledge(required=[("x", "y")])).fit(weak).confidence_
    assert row(demanded, "x", "y").link == 1.0


def test_claimed_edges_follow_the_graph() -> None:
    claimed = model().claimed_edges()
    assert [edge[:5] for edge in claimed] == [tuple(edge) for edge in model().named_edges()]
    sure = model().confidence_
    for edge in claimed:
        found = sure[
            sure.source.isin([edge.source, edge.target])
            & sure.target.isin([edge.source, edge.target])
        ].iloc[0]
        agrees = found.source == edge.source
        assert edge.direction == pytest.approx(found.direction if agrees else 1 - found.direction)
        assert edge.claim == (found.claim if agrees else "open")


def test_other_rows_are_refused() -> None:
    with pytest.raises(InvalidDataError, match="not those that the model was fitted on"):
        DAGLock("unequal").fit(table()).assess(X=table() + 1.0)


def test_where_nearly_all_are_linked_no_direction_is_relied_on() -> None:
    """Ten columns with 40 links: those that cancel are missed, and turn others round."""
    rng = np.random.default_rng(4)
    pairs = np.triu_indices(10, 1)
    W = np.zeros((10, 10))
    some = rng.permutation(45)[:40]
    W[pairs[0][some], pairs[1][some]] = rng.uniform(0.5, 1.5, 40) * rng.choice([-1.0, 1.0], 40)
    X = linear_sem(W, 1000, noise_variances=rng.uniform(0.4, 0.8, 10), rng=5)
    dense = DAGLock("unequal", random_state=0).fit(X)
    assert dense.learned_.dag.n_edges >= 25
    assert "directed" not in {edge.claim for edge in dense.claimed_edges()}
    said = about_fit(dense.assess())
    assert "links on average" in said
    assert "directions are doubted" in said
    assert "on average" not in about_fit(model().assess())


def test_what_is_claimed_of_pairs_is_what_is_claimed_of_edges() -> None:
    """Nothing is claimed of pairs that are not linked, nor against the arrow that is shown."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 6))
        X[:, 2] += X[:, 0] + 0.3 * X[:, 1]
        X[:, 4] += 0.5 * X[:, 2] + 0.3 * X[:, 3]
        fitted = DAGLock("unequal", scores="raw").fit(pd.DataFrame(X, columns=list("abcdef")))
        pairs = fitted.confidence_
        assert (pairs.direction >= 0.5).all()
        claimed = {
            frozenset((e.source, e.target)): (e.claim, max(e.direction, 1 - e.direction))
            for e in fitted.claimed_edges()
        }
        linked = pairs[pairs.in_graph]
        ends = map(frozenset, zip(linked.source, linked.target, strict=True))
        said = zip(linked.claim, linked.direction, strict=True)
        assert dict(zip(ends, said, strict=True)) == claimed
        assert (pairs.claim[~pairs.in_graph] == "open").all()
        sure = fitted.assess(10)
        m = len(sure.link)
        almost = replace(sure, link=np.full(m, 0.99), direction=np.full(m, 0.99))
        claims, absent = almost.claims, ~almost.in_graph
        assert set(np.array(claims.claims)[absent]) <= {"open"}
        assert set(np.array(claims.because)[absent]) <= {""}


def test_an_arrow_against_which_the_evidence_speaks_is_open() -> None:
    fitted = model()
    drawn = fitted.bootstrap(20, rng=0, progress=False)
    turned = replace(drawn, forward=drawn.backward, backward=drawn.forward)
    evidence = fitted.evidence(turned)
    evidence = replace(evidence, margin=-evidence.margin, opinions=0 * evidence.opinions)
    sure = Confidence.weigh(evidence, tuple(NAMES), "class", 20)
    k = [*zip(sure.source, sure.target, strict=True)].index((0, 2))
    assert sure.direction[k] < 0.35
    assert sure.claims.claims[k] == "open"
    shown = sure.table()[k]
    assert (shown["source"], shown["target"], shown["claim"]) == (2, 0, "open")
    assert shown["direction"] == 1 - sure.direction[k]
    told = sure.opinions()
    first = told[(told["source"] == 2) & (told["target"] == 0)]
    assert (first["direction"] > 0.5).any()


def test_one_replicate_and_two_rows_make_nothing_sure() -> None:
    fitted = model()
    many, one = (fitted.assess(n, rng=0, progress=False) for n in (100, 1))
    assert (one.link[one.in_graph].max() < many.link[many.in_graph]).all()
    assert "directed" in many.claims.claims
    assert "directed" not in one.claims.claims
    fitted.assess(100, rng=0)  # others look at this model, too
    noise = np.random.default_rng(0).normal(size=(2, 5))
    with pytest.warns(DataWarning, match="2 rows for 5 columns"):
        two = DAGLock().fit(noise)
    assert (two.assess(20).link < 0.6).all()


def test_rows_that_resemble_their_neighbours_tell_no_direction(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(1000, 4))
    for t in range(1, 1000):
        noise[t] += 0.8 * noise[t - 1]
    X = noise.copy()
    X[:, 2] += X[:, 0] + X[:, 1]
    X[:, 3] += X[:, 2]
    fitted = DAGLock("unequal").fit(X)
    sure = fitted.assess(30, rng=0)
    assert sure.dependent
    assert not sure.claims.settled.any()
    assert "resemble their neighbours" in about_fit(sure)
    fitted.save(tmp_path / "model.npz")
    kept = daglock.load(tmp_path / "model.npz")._confidence
    assert kept is not None
    assert kept.dependent
    blocks = fitted.assess(30, rng=0, groups=np.arange(1000) // 25)
    assert not blocks.dependent
    shuffled = DAGLock("unequal").fit(X[rng.permutation(1000)]).assess(30, rng=0)
    assert not shuffled.dependent
    assert shuffled.claims.settled.any()


def test_rows_of_groups_that_nobody_recorded_tell_no_direction(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = table().to_numpy()
    other = rng.random(len(X)) < 0.3
    fitted = DAGLock("unequal").fit(X + np.outer(other, [2.0, -2.0, 2.5, 2.5, -1.5]))
    drawn = fitted.bootstrap(30, rng=0, progress=False)
    assert fitted.evidence(drawn).doubt == 1.0
    sure = fitted.assess(bootstrap=drawn)
    assert 0.25 < sure.smaller < 0.35
    assert "directed" not in sure.claims.claims
    assert "those of two groups, about 2" in about_fit(sure)
    assert "those of two groups, about 2" in fitted.summary()
    assert "those of two groups, about 2" in fitted._repr_html_()
    fitted.save(tmp_path / "model.npz")
    kept = daglock.load(tmp_path / "model.npz")._confidence
    assert kept is not None
    assert kept.smaller == sure.smaller
    assert model().assess(30, rng=0).smaller == 0.0
