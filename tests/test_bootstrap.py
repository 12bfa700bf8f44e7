"""Frequencies of edges: counted right, seeded, labelled; a consensus without cycles."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import joblib
import networkx as nx
import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock, Knowledge, Moments
from daglock.confidence.replicates import Bootstrap
from daglock.confidence.words import about_replicates
from daglock.engine import learn
from daglock.engine.learned import Learned
from daglock.errors import (
    ConvergenceWarning,
    DataWarning,
    InvalidDataError,
    InvalidParameterError,
)
from daglock.estimator import again
from daglock.graph import WeightedDAG
from daglock.simulate import linear_sem
from daglock.solution import Status
from daglock.typing import Array

NAMES = ["a", "b", "c", "d"]


@cache
def table() -> pd.DataFrame:
    """a -> c <- b and c -> d, the last one weak."""
    W = np.zeros((4, 4))
    W[0, 2], W[1, 2], W[2, 3] = 1.0, 1.0, 0.12
    X = linear_sem(W, 400, noise_variances=np.array([1.0, 2.0, 0.5, 3.0]), rng=0)
    return pd.DataFrame(X, columns=NAMES)


@cache
def model() -> DAGLock:
    return DAGLock("unequal", random_state=0).fit(table())


@cache
def frequencies() -> Bootstrap:
    return model().bootstrap(40, rng=1)


def test_frequencies_are_those_of_fits_to_rows_drawn_again() -> None:
    directed, adjacent = np.zeros((4, 4)), np.zeros((4, 4))
    for rng in np.random.default_rng(1).spawn(40):
        rows = table().iloc[rng.integers(400, size=400)]
        moments = Moments.from_data(rows.to_numpy())
        cpdag = learn(moments, noise="unequal", rng=rng, by_margin=False).dag.marks().toarray()
        directed += cpdag == 1
        adjacent += (cpdag != 0) | (cpdag.T != 0)
    pd.testing.assert_frame_equal(
        frequencies().directed(), pd.DataFrame(directed / 40, index=NAMES, columns=NAMES)
    )
    pd.testing.assert_frame_equal(
        frequencies().adjacency(), pd.DataFrame(adjacent / 40, index=NAMES, columns=NAMES)
    )


def test_a_strong_edge_always_comes_back_and_a_weak_one_at_times() -> None:
    assert frequencies().adjacency().loc["a", "c"] == 1.0
    assert frequencies().directed().loc["a", "c"] > 0.9
    assert frequencies().directed().loc["c", "a"] == 0.0
    assert 0.0 < frequencies().adjacency().loc["c", "d"] < 1.0
    assert frequencies().drawn_from == "rows"


def test_the_table_has_the_most_frequent_first() -> None:
    pairs = frequencies().table()
    assert list(pairs.columns) == [
        "first",
        "second",
        "forward",
        "backward",
        "undirected",
        "adjacent",
    ]
    assert pairs.adjacent.is_monotonic_decreasing
    np.testing.assert_allclose(pairs.forward + pairs.backward + pairs.undirected, pairs.adjacent)
    assert (pairs.undirected > -1e-12).all()
    directed = frequencies().directed()
    for _, row in pairs.iterrows():
        assert row.forward == directed.loc[row["first"], row["second"]]
        assert row.backward == directed.loc[row["second"], row["first"]]


def test_frequencies_of_given_edges() -> None:
    source, target = np.array([0, 2, 0]), np.array([2, 0, 1])
    directed, adjacent = frequencies().frequencies(source, target)
    assert directed.tolist() == [frequencies().directed().loc[a, b] for a, b in ("ac", "ca", "ab")]
    assert adjacent[:2].tolist() == [1.0, 1.0]
    assert adjacent[2] == frequencies().adjacency().loc["a", "b"]


def test_the_same_seed_gives_the_same_whatever_the_workers() -> None:
    again = model().bootstrap(12, rng=7)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        by_config = model().bootstrap(12, rng=7)
    processes = model().bootstrap(12, rng=7, n_jobs=2)
    for other in (by_config, processes):
        for name in ("first", "second", "forward", "backward", "adjacent"):
            np.testing.assert_array_equal(getattr(other, name), getattr(again, name))
    different = model().bootstrap(12, rng=8)
    assert not np.array_equal(different.adjacent, again.adjacent)


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[tuple[int, int]] = []
    model().bootstrap(6, rng=0, progress=lambda done, n: steps.append((done, n)))
    assert steps == [(4, 6), (6, 6)]
    model().bootstrap(2, rng=0)  # no terminal: quiet
    assert capsys.readouterr() == ("", "")
    model().bootstrap(2, rng=0, progress=True)
    assert "bootstrap: 100%" in capsys.readouterr().err
    model().bootstrap(2, rng=0, progress=False)
    assert capsys.readouterr() == ("", "")


def test_rows_that_are_gone_are_replaced_by_gaussian_ones_or_given_again() -> None:
    moments = DAGLock("unequal", random_state=0).fit_moments(Moments.from_data(table()))
    without = moments.bootstrap(20, rng=1)
    assert without.drawn_from == "moments"
    assert without.directed().loc["a", "c"] == 1.0
    given = moments.bootstrap(40, rng=1, X=table())
    np.testing.assert_array_equal(given.adjacent, frequencies().adjacent)
    turned = moments.bootstrap(40, rng=1, X=table()[NAMES[::-1]])
    np.testing.assert_array_equal(turned.adjacent, frequencies().adjacent)
    with pytest.raises(InvalidDataError, match="rows are not those"):
        moments.bootstrap(2, X=table() + 1.0)
    with pytest.raises(InvalidDataError, match="rows are not those"):
        moments.bootstrap(2, X=table()[:100])


@pytest.mark.parametrize("far", [0.0, 1e6, -1e9, 1e12])
def test_rows_far_from_zero_are_known_again(far: float) -> None:
    """Dates in seconds, say: of a sum of many such numbers few digits are left."""
    n = 300_000
    X = far + np.random.default_rng(0).standard_normal((n, 2))
    moments = Moments.from_data(X)
    for rows in (X, np.asfortranarray(X), np.ascontiguousarray(X[::-1])):
        again.require_same(rows, None, moments)
    # two samples of so many rows have means that are further apart
    others = X.copy()
    others[:, 1] += 3.0 / np.sqrt(n)
    with pytest.raises(InvalidDataError, match="rows are not those"):
        again.require_same(others, None, moments)
    fitted = DAGLock("unequal", n_restarts=0).fit(X[:400])
    assert fitted.bootstrap(2, progress=False).drawn_from == "rows"


def test_rows_that_were_changed_after_the_fit_are_noticed() -> None:
    X = table().to_numpy().copy()
    changed = DAGLock("unequal", n_restarts=0).fit(X)
    X += 1.0
    with pytest.raises(InvalidDataError, match="rows are not those"):
        changed.bootstrap(2)


def test_knowledge_holds_in_every_replicate() -> None:
    known = DAGLock("unequal", knowledge=Knowledge(forbidden=["a -> c"]), random_state=0)
    assert known.fit(table()).bootstrap(10, rng=0).directed().loc["a", "c"] == 0.0


def with_rare(frame: pd.DataFrame, *rows: int) -> pd.DataFrame:
    """Add a column for each number m, which is 1 in m rows, else 0."""
    rng = np.random.default_rng(9)
    rare = {}
    for k, m in enumerate(rows):
        rare[f"rare {k}"] = np.zeros(len(frame))
        rare[f"rare {k}"][rng.choice(len(frame), m, replace=False)] = 1.0
    return frame.assign(**rare)


def by_hand(fitted: DAGLock, rows: pd.DataFrame, n: int, seed: int) -> Array:
    """How often pairs are adjacent in graphs of the columns that vary in rows drawn again."""
    X, counted = rows.to_numpy(), np.zeros((rows.shape[1], rows.shape[1]))
    for rng in np.random.default_rng(seed).spawn(n):
        drawn = X[rng.integers(len(X), size=len(X))]
        vary = np.flatnonzero(drawn.min(axis=0) < drawn.max(axis=0))
        gamma = fitted.learned_.ebic_gamma
        moments = Moments.from_data(drawn[:, vary])
        learned = learn(moments, noise="unequal", ebic_gamma=gamma, rng=rng, by_margin=False)
        joined = learned.dag.marks().toarray() != 0
        counted[np.ix_(vary, vary)] += joined | joined.T
    return counted / n


def test_a_replicate_says_nothing_of_columns_that_do_not_vary_in_it() -> None:
    rare = with_rare(table()[:120], 1, 1, 2, 3)
    rare["a"] += 4 * rare["rare 2"] + 4 * rare["rare 0"]
    fitted = DAGLock("unequal", random_state=0).fit(rare)
    found = fitted.bootstrap(30, rng=3, progress=False)
    expected = by_hand(fitted, rare, 30, 3)
    np.testing.assert_array_equal(found.adjacency().to_numpy(), expected)
    assert found.adjacency().loc["a", "c"] == 1.0
    drawn = [rng.integers(120, size=120) for rng in np.random.default_rng(3).spawn(30)]
    seen = np.mean([rare["rare 2"].to_numpy()[rows].any() for rows in drawn])
    assert 0.0 < found.adjacency().loc["rare 2", "a"] <= seen < 1.0


def test_many_rare_columns_are_no_reason_to_stop() -> None:
    """In nearly every draw of the rows one of them does not vary."""
    fitted = DAGLock("unequal", n_restarts=0).fit(with_rare(table(), *[2] * 25))
    found = fitted.bootstrap(8, rng=0, progress=False)
    assert found.n == 8
    assert found.adjacency().loc["a", "c"] == 1.0
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert fitted.bootstrap(8, rng=0).adjacency().equals(found.adjacency())


def test_where_hardly_any_column_varies_there_is_no_edge() -> None:
    single = with_rare(table()[["a"]][:50], 1)
    single["a"] += 10 * single["rare 0"]
    known = Knowledge(required=["rare 0 -> a"])
    fitted = DAGLock("unequal", knowledge=known, random_state=0).fit(single)
    drawn = [rng.integers(50, size=50) for rng in np.random.default_rng(0).spawn(20)]
    seen = np.mean([single["rare 0"].to_numpy()[rows].any() for rows in drawn])
    assert 0.0 < seen < 1.0
    assert fitted.bootstrap(20, rng=0).directed().loc["rare 0", "a"] == seen


def test_what_is_missing_counts_in_replicates_without_the_column() -> None:
    """Or they would be surer of all other links than the others are."""
    frame = with_rare(table(), 2)
    seen = np.zeros(400, dtype=np.bool_)
    seen[np.random.default_rng(1).choice(400, 60, replace=False)] = True
    frame.loc[~seen & (frame["rare 0"] == 0), "rare 0"] = np.nan
    with pytest.warns(DataWarning):
        fitted = DAGLock("unequal", missing="model", random_state=0).fit(frame)
    keep, X = fitted._keep_rows(), frame.to_numpy()
    every = [
        keep(X[rng.integers(400, size=400)], None) for rng in np.random.default_rng(0).spawn(9)
    ]
    without = [sample.moments for sample in every if len(sample.columns) == 4]
    whole = [sample.moments for sample in every if len(sample.columns) == 5]
    assert without
    assert whole
    assert max(moments.n for moments in [*without, *whole]) < 200  # not 400
    assert fitted.bootstrap(9, rng=0, progress=False).adjacency().loc["a", "c"] == 1.0


def test_a_column_has_to_vary_within_a_regime() -> None:
    """Two values that differ between regimes are as good as one."""
    where = np.repeat(["p", "q"], 200)
    frame = with_rare(table(), 2, 2, 2, 2).assign(where=where)
    frame["level"] = (where == "q") + 0.0
    frame.loc[[7, 300], "level"] = 5.0
    frame["d"] += 9 * (frame["level"] == 5.0)
    fitted = DAGLock("unequal", random_state=0).fit(frame, regimes="where")
    found = fitted.bootstrap(20, rng=0, progress=False).adjacency()
    drawn = fitted._keep_rows()
    X, labels = frame[list(fitted.names_)].to_numpy(), where.astype(np.str_)
    still = drawn(X[frame["level"] != 5.0], labels[frame["level"] != 5.0])
    assert "level" not in np.array(fitted.names_)[still.columns]
    assert 0.5 < found.loc["level", "d"] < 1.0


@pytest.mark.parametrize("how", ["perfect", "imperfect"])
def test_a_target_has_to_vary_where_it_is_left_alone(how: str) -> None:
    where = np.repeat(["as ever", "changed"], 200)
    frame = table().assign(where=where, held=np.zeros(400))
    frame.loc[[20, 130], "held"] = 1.0
    frame.loc[200:, "held"] = np.random.default_rng(0).integers(0, 2, 200)
    targets = {"changed": ["held"]}
    fitted = DAGLock(random_state=0, interventions=how).fit(frame, regimes="where", targets=targets)
    found = fitted.bootstrap(20, rng=0, progress=False).adjacency()
    assert found.loc["a", "c"] == 1.0
    assert found.loc["held"].max() < 0.2


def test_rare_levels_of_categories() -> None:
    rng = np.random.default_rng(0)
    levels = np.array(["u", "v", "w"])[rng.integers(0, 3, 300)]
    levels[:2] = "a"  # the level that the others are compared with
    both = pd.DataFrame({"group": levels, "sign": np.where(rng.random(300) < 0.4, "x", "y")})
    both["like"] = np.where(rng.random(300) < 0.9, both["group"] == "u", rng.random(300) < 0.5)
    for k in range(12):
        both[f"rare {k}"] = np.where(np.arange(300) == 5 * k + 3, "yes", "no")
    for more in ({}, {"number": rng.standard_normal(300)}):  # rows are counted, or not
        fitted = DAGLock(random_state=0).fit(both.assign(**more))
        found = fitted.bootstrap(15, rng=0, progress=False).adjacency()
        assert found.loc["group", "like"] == 1.0
        assert found.loc["rare 0"].max() < 0.2


def test_groups_that_are_few_rows_have_curves_too() -> None:
    x = np.random.default_rng(0).standard_normal(160)
    frame = pd.DataFrame({"x": x, "y": x**2 + 0.2 * np.random.default_rng(1).standard_normal(160)})
    groups = np.r_[np.zeros(110), np.repeat(np.arange(1, 11), 5)]  # 50 rows are left without one
    with pytest.warns(DataWarning):
        fitted = DAGLock(curved=True, random_state=0).fit(with_rare(frame, *[1] * 10))
    assert fitted.is_curved_
    found = fitted.bootstrap(10, rng=0, groups=groups, progress=False).adjacency()
    assert found.loc["x", "y"] >= 0.7


def test_arrays_give_arrays() -> None:
    plain = DAGLock("unequal", random_state=0).fit(table().to_numpy()).bootstrap(3, rng=0)
    assert isinstance(plain.directed(), np.ndarray)
    assert isinstance(plain.table(), np.recarray)


@pytest.mark.parametrize("n", [0, -1, 2.5])
def test_the_number_of_replicates_is_checked(n: Any) -> None:
    with pytest.raises(InvalidParameterError, match="n must be a whole number >= 1"):
        model().bootstrap(n)


def test_ctrl_c_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = 0

    def interrupted(*arguments: Any, **settings: Any) -> Learned:
        nonlocal fits
        fits += 1
        return replace(learn(*arguments, **settings), status=Status.INTERRUPTED)

    monkeypatch.setattr(again, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model().bootstrap(5, rng=0)
    assert fits == 1


def test_ctrl_c_keeps_the_replicates_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = model()
    whole = fitted.bootstrap(7, rng=0, progress=False)
    fits = 0

    def interrupted(*arguments: Any, **settings: Any) -> Learned:
        nonlocal fits
        fits += 1
        learned = learn(*arguments, **settings)
        return replace(learned, status=Status.INTERRUPTED) if fits == 8 else learned

    monkeypatch.setattr(again, "learn", interrupted)
    with pytest.warns(ConvergenceWarning, match="Interrupted after 7 of 100 replicates"):
        part = fitted.bootstrap(100, rng=0, progress=False)
    assert part.n == 7
    np.testing.assert_array_equal(part.adjacent, whole.adjacent)
    np.testing.assert_array_equal(part.forward, whole.forward)


def edges(*pairs: tuple[int, int, bool], d: int = 4) -> WeightedDAG:
    """A replicate on d nodes."""
    by_target = sorted(pairs, key=lambda edge: (edge[1], edge[0]))
    W = np.zeros((d, d))
    for i, j, _ in by_target:
        W[i, j] = 1.0
    oriented = np.array([told for *_, told in by_target], dtype=np.bool_)
    return replace(WeightedDAG.from_matrix(W), oriented=oriented)


def bootstrap_of(*drawn: WeightedDAG) -> Bootstrap:
    return Bootstrap.count(drawn, ("a", "b", "c", "d"), np.arange(4))


def test_a_limit_of_seconds_leaves_some_and_says_so() -> None:
    short = model().bootstrap(60, rng=0, seconds=0.0, progress=False)
    assert 1 <= short.n < 60
    assert short.stopped == "time"
    same = model().bootstrap(short.n, rng=0, progress=False)
    np.testing.assert_array_equal(short.adjacent, same.adjacent)
    assert not same.stopped
    sure = model().assess(60, rng=0, seconds=0.0)
    assert (sure.n_replicates, sure.n_usual, sure.stopped) == (short.n, 100, "time")
    assert f"Cut short by the time limit after {short.n} rep" in about_replicates(sure)
    assert about_replicates(sure) in model().summary()
    assert about_replicates(sure) in model()._repr_html_()
    assert "Cut short" not in about_replicates(model().assess(100, rng=0))
    model().assess(100, rng=0)  # others look at this model, too
    long = model().bootstrap(60, rng=0, seconds=1e9, progress=False)
    assert (long.n, long.stopped) == (60, "")


def test_votes_are_counted_by_direction() -> None:
    counted = bootstrap_of(
        edges((0, 1, True), (2, 1, False)),
        edges((1, 0, True)),
        edges((0, 1, False), (1, 2, True)),
        edges((0, 1, True)),
    )
    assert list(zip(counted.first, counted.second, strict=True)) == [(0, 1), (1, 2)]
    assert counted.forward.tolist() == [0.5, 0.25]
    assert counted.backward.tolist() == [0.25, 0.0]
    assert counted.adjacent.tolist() == [1.0, 0.5]


def test_the_consensus_has_no_cycle_and_keeps_every_frequent_pair() -> None:
    # majorities a -> b, b -> c, c -> a; the last one is the weakest
    counted = bootstrap_of(
        edges((0, 1, True), (1, 2, True)),
        edges((0, 1, True), (1, 2, True)),
        edges((1, 2, True), (2, 0, True)),
        edges((2, 0, True), (0, 1, True)),
        edges((0, 1, True), (1, 2, True), (0, 2, False), (0, 3, True)),
    )
    graph = counted.consensus()
    assert nx.is_directed_acyclic_graph(graph)
    assert set(graph.edges) == {("a", "b"), ("b", "c"), ("a", "c")}
    assert list(graph.nodes) == ["a", "b", "c", "d"]
    assert graph.edges["a", "c"]["frequency"] == pytest.approx(0.6)
    assert graph.edges["a", "c"]["support"] == pytest.approx(0.5)
    assert set(counted.consensus(at_least=0.1).edges) >= {("a", "d")}
    with pytest.raises(InvalidParameterError, match="at_least must be a number > 0 and <= 1"):
        counted.consensus(at_least=0)


def test_equal_votes_follow_the_order_of_the_graph_of_all_rows() -> None:
    counted = bootstrap_of(edges((3, 1, False)), edges((1, 3, False)))
    assert list(counted.consensus().edges) == [("b", "d")]


@pytest.mark.parametrize("seed", range(20))
def test_random_votes_never_make_a_cycle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = 8
    drawn = []
    for _ in range(5):
        order = rng.permutation(d)
        pairs = [(order[i], order[j]) for i, j in combinations(range(d), 2) if rng.random() < 0.7]
        drawn.append(edges(*((int(i), int(j), rng.random() < 0.8) for i, j in pairs), d=d))
    counted = Bootstrap.count(drawn, tuple(map(str, range(d))), rng.permutation(d))
    graph = counted.consensus(at_least=0.4)
    assert nx.is_directed_acyclic_graph(graph)
    assert graph.number_of_edges() == (counted.adjacent >= 0.4).sum()


def test_rows_of_a_group_are_drawn_together() -> None:
    """Each row ten times over looks like much evidence, unless the copies are known to be one."""
    few = table().iloc[:60]
    many = pd.concat([few] * 10, ignore_index=True)
    fitted = DAGLock("unequal", random_state=0, ebic_gamma=0.5).fit(many)
    alone = fitted.bootstrap(60, rng=0, progress=False)
    together = fitted.bootstrap(60, rng=0, groups=np.tile(np.arange(60), 10), progress=False)
    unsure = [np.mean((b.adjacent > 0.05) & (b.adjacent < 0.95)) for b in (alone, together)]
    assert unsure[1] > unsure[0]
    each = fitted.bootstrap(60, rng=0, groups=np.arange(600), progress=False)
    np.testing.assert_array_equal(each.adjacent, alone.adjacent)  # each row a group of its own


@pytest.mark.parametrize(
    ("groups", "message"),
    [(np.arange(3), "for each of the 400 rows"), (np.zeros(400), "one label")],
)
def test_groups_that_are_none(groups: Any, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        model().bootstrap(2, groups=groups, progress=False)
