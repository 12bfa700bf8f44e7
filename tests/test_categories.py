"""Tables with categories, from a frame to claims, effects, files and pictures."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import daglock
from daglock import DAGLock, Knowledge
from daglock.blocks import Blocks
from daglock.counts import Counts
from daglock.effects import Effect, LevelEffects
from daglock.engine.statistics import keep
from daglock.errors import DataWarning, InvalidDataError, InvalidParameterError
from daglock.interop import FORMATS, convert, to_dowhy, to_pgmpy
from daglock.moments import Moments
from daglock.table import read_table

# Formats of linear models.
NUMERIC = ("lingam",)


def mixed_frame(n: int = 1500, seed: int = 0) -> pd.DataFrame:
    """group -> dose -> response <- clinic, and an outcome of the response."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["north", "south", "west"], size=n, p=[0.5, 0.3, 0.2])
    clinic = rng.choice(["A", "B", "C", "D"], size=n)
    shift = pd.Series(group).map({"north": 0.0, "south": 1.0, "west": -1.5}).to_numpy()
    dose = shift + rng.standard_normal(n)
    level = pd.Series(clinic).map({"A": 0.0, "B": 2.0, "C": 0.5, "D": -1.0}).to_numpy()
    response = 0.8 * dose + level + rng.standard_normal(n)
    better = np.where(response + rng.logistic(size=n) > 0.5, "yes", "no")
    return pd.DataFrame(
        {"group": group, "clinic": clinic, "dose": dose, "response": response, "better": better}
    )


def counted_frame(n: int = 3000, seed: int = 0) -> pd.DataFrame:
    """rain -> wet <- sprinkler, wet -> slippery; rain and sprinkler are independent."""
    rng = np.random.default_rng(seed)
    rain = rng.choice(["dry", "some", "much"], size=n, p=[0.5, 0.3, 0.2])
    sprinkler = rng.random(n) < 0.4
    chance = pd.Series(rain).map({"dry": 0.05, "some": 0.6, "much": 0.95}).to_numpy()
    wet = rng.random(n) < np.where(sprinkler, 0.9, chance)
    slippery = rng.random(n) < np.where(wet, 0.8, 0.1)
    return pd.DataFrame({"rain": rain, "sprinkler": sprinkler, "wet": wet, "slippery": slippery})


@pytest.fixture(scope="module")
def mixed() -> DAGLock:
    return DAGLock(random_state=0).fit(mixed_frame())


@pytest.fixture(scope="module")
def counted() -> DAGLock:
    return DAGLock(random_state=0).fit(counted_frame())


def links(model: DAGLock) -> set[frozenset[str]]:
    return {frozenset((edge.source, edge.target)) for edge in model.named_edges()}


def test_numbers_and_categories_together(mixed: DAGLock) -> None:
    assert isinstance(mixed.moments_, Blocks)
    assert mixed.noise_model_ == "mixed"
    assert links(mixed) == {
        frozenset(pair)
        for pair in (
            ("group", "dose"),
            ("dose", "response"),
            ("clinic", "response"),
            ("response", "better"),
        )
    }
    assert mixed.kinds_["group"] == "categorical"
    assert mixed.kinds_["better"] == "binary"
    assert mixed.certificate_.optimal
    assert mixed.certificate_.verify(mixed.moments_)
    edges = {(edge.source, edge.target): edge for edge in mixed.named_edges()}
    # a coefficient between numbers, a correlation where there is a category
    number = next(edge for ends, edge in edges.items() if set(ends) == {"dose", "response"})
    category = next(edge for ends, edge in edges.items() if set(ends) == {"clinic", "response"})
    assert number.standardised_weight != pytest.approx(number.weight)
    assert category.standardised_weight == pytest.approx(category.weight)
    assert 0.0 < category.weight < 1.0


def test_nothing_but_categories_is_counted(counted: DAGLock) -> None:
    assert isinstance(counted.moments_, Counts)
    assert counted.noise_model_ == "counts"
    directed = {(edge.source, edge.target) for edge in counted.named_edges()}
    assert directed == {("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")}
    assert all(edge.identified_by == "class" for edge in counted.named_edges())
    assert counted.certificate_.verify(counted.moments_)
    assert not np.isfinite(counted.deviations()).any()
    assert 0.3 < counted.explained()[counted.names_.index("wet")] < 0.8


def test_codes_are_no_measurements() -> None:
    """The same numbers: counted when all are codes, unless one asks for numbers."""
    frame = counted_frame().replace({"dry": 0, "some": 1, "much": 2}).infer_objects()
    frame = frame.astype(int)
    assert DAGLock().fit(frame).noise_model_ == "counts"
    assert DAGLock("unequal", scores="raw").fit(frame).noise_model_ == "unequal"
    few = frame.head(20)
    assert DAGLock(scores="raw").fit(few[["rain", "wet"]]).noise_model_ == "unequal"


def test_names_of_levels_play_no_part(counted: DAGLock, mixed: DAGLock) -> None:
    frame = counted_frame()
    frame["rain"] = frame["rain"].map({"dry": "z", "some": "a", "much": "m"})
    again = DAGLock(random_state=0).fit(frame[frame.columns[::-1]])
    assert again.certificate_.score == pytest.approx(counted.certificate_.score)
    assert links(again) == links(counted)
    frame = mixed_frame()
    frame["clinic"] = frame["clinic"].map({"A": "4", "B": "1", "C": "3", "D": "2"}) + "th"
    again = DAGLock(random_state=0).fit(frame[frame.columns[::-1]])
    assert again.certificate_.score == pytest.approx(mixed.certificate_.score)


@pytest.mark.parametrize("which", ["mixed", "counted"])
def test_claims(which: str, request: pytest.FixtureRequest) -> None:
    model: DAGLock = request.getfixturevalue(which)
    sure = model.assess(40)
    assert len(sure.source) >= len(model.edges_)
    assert ((sure.link >= 0) & (sure.link <= 1)).all()
    assert sure.of_edges(model.learned_.dag).link.min() > 0.5
    again = model.assess(40)
    np.testing.assert_array_equal(sure.direction, again.direction)
    said = model.opinions_
    nominal = {name for name, kind in model.kinds_.items() if kind == "categorical"}
    for _, row in said.iterrows():
        if {row["source"], row["target"]} & nominal:
            assert row["evidence"] not in ("shape of the noise", "curved effects")


@pytest.mark.parametrize("which", ["mixed", "counted"])
@pytest.mark.parametrize("suffix", ["npz", "json"])
def test_round_trip(
    which: str, suffix: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    model: DAGLock = request.getfixturevalue(which)
    model.save(tmp_path / f"model.{suffix}")
    again = daglock.load(tmp_path / f"model.{suffix}")
    assert again.kinds_ == model.kinds_
    pd.testing.assert_frame_equal(again.edges_, model.edges_)
    assert again.certificate_.verify(again.moments_)
    # without rows replicates are drawn from what was kept
    assert again.bootstrap(5, rng=0, progress=False).drawn_from == "moments"
    frame = mixed_frame() if which == "mixed" else counted_frame()
    assert again.bootstrap(5, X=frame, rng=0, progress=False).drawn_from == "rows"


def test_a_changed_file_is_refused(counted: DAGLock, tmp_path: Path) -> None:
    counted.save(tmp_path / "model.json")
    record = json.loads((tmp_path / "model.json").read_text())
    record["arrays"]["count"][0] += 500
    (tmp_path / "model.json").write_text(json.dumps(record))
    with pytest.raises(daglock.errors.InvalidDataError, match="changed"):
        daglock.load(tmp_path / "model.json")


def test_effects_of_a_category(mixed: DAGLock) -> None:
    known = Knowledge(required=["group -> dose", "dose -> response", "clinic -> response"])
    model = DAGLock(random_state=0, knowledge=known).fit(mixed_frame())
    found = model.effect("clinic", "response", n=60)
    assert isinstance(found, LevelEffects)
    assert [one.instead for one in found.effects] == [("B", "A"), ("C", "A"), ("D", "A")]
    for one, truth in zip(found.effects, (2.0, 0.5, -1.0), strict=True):
        assert one.value == pytest.approx(truth, abs=0.25)
        assert one.low - 0.1 < truth < one.high + 0.1
    assert "clinic B instead of A raises response by" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)
    total = model.effect("group", "response", n=30)
    south = next(one for one in total.effects if one.instead == ("south", "north"))
    assert south.value == pytest.approx(0.8, abs=0.25)
    number = model.effect("dose", "response", n=30)
    assert isinstance(number, Effect)
    assert number.value == pytest.approx(0.8, abs=0.1)
    assert number.instead is None
    none = model.effect("response", "clinic", n=30)
    assert none.adjustment is None
    assert "is not an effect of" in str(none)


def test_effects_between_categories(counted: DAGLock) -> None:
    found = counted.effect("sprinkler", "wet", n=60)
    assert isinstance(found, Effect)
    assert found.instead == ("1", "0")
    frame = counted_frame()
    plain = frame.groupby("sprinkler")["wet"].mean()
    assert found.value == pytest.approx(plain[True] - plain[False], abs=0.05)
    # an interaction: where the sprinkler is on, rain does little more
    held = frame.groupby(["rain", "sprinkler"])["wet"].mean().unstack()
    share = frame["sprinkler"].mean()
    by_hand = (held[True] * share + held[False] * (1 - share)).loc[["dry", "much", "some"]]
    rain = counted.effect("rain", "wet", n=60)
    assert [one.value for one in rain.effects] == pytest.approx(
        (by_hand - by_hand["dry"]).iloc[1:].tolist(), abs=0.02
    )
    assert len(rain.effects) == 2


def test_what_is_linear_is_refused_in_a_sentence(mixed: DAGLock) -> None:
    for ask in (
        mixed.total_effects,
        lambda: mixed.sample(3),
        lambda: mixed.intervene({"dose": 1.0}),
    ):
        with pytest.raises(InvalidParameterError, match=r"categories.*effect\(cause, effect\)"):
            ask()
    with pytest.raises(InvalidParameterError, match="categories"):
        DAGLock(noise="equal").fit(mixed_frame())


@pytest.mark.parametrize("which", ["mixed", "counted"])
def test_shown(which: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    model: DAGLock = request.getfixturevalue(which)
    assert "links" in model.summary() or "link" in model.summary()
    assert "<svg" in model._repr_html_()
    page = model.report(tmp_path / "report.html").read_text()
    assert "categories" in page
    assert all(finding.text for finding in model.diagnostics_.sentences())
    model.plot()


@pytest.mark.parametrize("which", ["mixed", "counted"])
@pytest.mark.parametrize("format", sorted(FORMATS))
def test_every_export_works_or_says_why_not(
    which: str, format: str, request: pytest.FixtureRequest
) -> None:
    model: DAGLock = request.getfixturevalue(which)
    if format in NUMERIC:
        with pytest.raises(InvalidParameterError, match="categories"):
            convert(model, format)
    else:
        assert convert(model, format)


def test_what_is_handed_over_of_categories(mixed: DAGLock, counted: DAGLock) -> None:
    strong = {frozenset(pair) for pair in mixed.strong_pairs()}
    assert strong == {frozenset(("clinic", "response")), frozenset(("group", "dose"))}
    assert counted.strong_pairs() == {edge[:2] for edge in counted.named_edges()}
    for model in (mixed, counted):
        with pytest.raises(InvalidParameterError, match=r"has categories.*pgmpy.*effect\(cause"):
            to_pgmpy(model)
        nodes = json.loads(convert(model, "json"))["nodes"]
        assert {node["id"]: node["kind"] for node in nodes} == model.kinds_
        graph = model.causal_graph_
        assert {name: graph.nodes[name]["kind"] for name in graph} == model.kinds_
        for row in csv.DictReader(convert(model, "csv").splitlines()):
            for end in ("source", "target"):
                assert row[f"{end}_kind"] == model.kinds_[row[end]]
        assert set(to_dowhy(model).edges) == {edge[:2] for edge in model.named_edges()}
        # DAGitty multiplies betas along paths
        for line in convert(model, "dagitty").splitlines():
            pair = tuple(re.findall(r'"(\w+)"', line))
            assert not ("beta" in line and pair in model.strong_pairs())


def test_certificates_and_reprs_say_which_criterion(mixed: DAGLock, counted: DAGLock) -> None:
    assert "(blocks of columns); no other DAG" in str(mixed.certificate_)
    assert ", blocks of columns, score" in repr(mixed.learned_)
    assert str(counted.certificate_).endswith("(counts); no other DAG has a better score")
    assert ", counts, score" in repr(counted.learned_)


def test_a_category_that_repeats_another_is_set_aside() -> None:
    frame = mixed_frame()
    frame["town"] = frame["clinic"].map({"A": "w", "B": "x", "C": "y", "D": "z"})
    with pytest.warns(DataWarning, match="town"):
        model = DAGLock(random_state=0).fit(frame)
    assert model.set_aside_ == ("town",)
    assert model.certificate_.verify(model.moments_)
    codes = counted_frame()
    codes["drops"] = codes["rain"].map({"dry": "0", "some": "1", "much": "2"})
    with pytest.warns(DataWarning, match="rain says the same as drops"):
        model = DAGLock(random_state=0).fit(codes)
    assert model.set_aside_ == ("rain",)


def test_knowledge_speaks_of_variables_not_of_levels() -> None:
    known = Knowledge(tiers=[["better"], ["group", "clinic", "dose", "response"]])
    model = DAGLock(random_state=0, knowledge=known).fit(mixed_frame())
    assert not any(edge.target == "better" for edge in model.named_edges())
    assert model.certificate_.verify(model.moments_)
    with pytest.raises(InvalidParameterError, match="group=south"):
        DAGLock(knowledge=Knowledge(roots=["group=south"])).fit(mixed_frame())


def test_more_variables_than_can_all_be_compared() -> None:
    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {}
    for k in range(18):
        x = rng.integers(0, 3, size=800)
        if k % 3:  # each third column begins a chain
            x = np.where(rng.random(800) < 0.7, columns[f"v{k - 1:02}"], x)
        columns[f"v{k:02}"] = x
    frame = pd.DataFrame(columns).astype(str)
    model = DAGLock(random_state=0, columns=dict.fromkeys(map(str, frame), "categorical")).fit(
        frame
    )
    assert links(model) == {frozenset((f"v{k - 1:02}", f"v{k:02}")) for k in range(18) if k % 3}
    assert model.certificate_.locally_optimal
    assert model.certificate_.verify(model.moments_)
    frame["v00"] = rng.standard_normal(800) + frame["v00"].astype(float)
    kinds = dict.fromkeys(frame.columns[1:].tolist(), "categorical")
    again = DAGLock(random_state=0, columns=kinds).fit(frame)
    assert again.noise_model_ == "mixed"
    assert frozenset(("v00", "v01")) in links(again)


def test_what_is_kept() -> None:
    frame = mixed_frame(200)
    table = read_table(frame)
    blocks = keep(table)
    assert isinstance(blocks, Blocks)
    assert blocks.columns.labels == (
        "group=south",
        "group=west",
        "clinic=B",
        "clinic=C",
        "clinic=D",
        "dose",
        "response",
        "better",
    )
    dummies = pd.get_dummies(frame, drop_first=True, dtype=float)
    order = [
        "group_south",
        "group_west",
        "clinic_B",
        "clinic_C",
        "clinic_D",
        "dose",
        "response",
        "better_yes",
    ]
    np.testing.assert_allclose(blocks.columns.cov, np.cov(dummies[order].T, bias=True), atol=1e-12)
    some = blocks.select([3, 1])
    assert some.columns.labels == ("response", "clinic=B", "clinic=C", "clinic=D")
    assert some.first.tolist() == [0, 1, 4]
    assert (np.abs(blocks.likeness) <= 1).all()
    counts = keep(read_table(counted_frame(500)))
    assert isinstance(counts, Counts)
    assert counts.n == 500
    assert counts.levels[0] == ("dry", "much", "some")
    few = counts.select([1, 0])
    assert few.n == 500
    assert few.weight.sum() == 500
    assert len(few.weight) == 6
    both = counts.to_blocks()
    assert both.first.tolist() == [0, 2, 3, 4, 5]
    again = counts.redraw(np.random.default_rng(0))
    assert again.n == 500
    assert isinstance(keep(read_table(frame[["dose", "response"]])), Moments)


def test_levels_that_say_the_same_have_one_score_and_a_certificate(tmp_path: Path) -> None:
    """Of two categories some levels determine each other: their covariance has no inverse."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, 300)
    second = np.where(first < 2, first, 2 + (rng.random(300) < 0.5))
    letters = np.array(list("abcd"), dtype=object)
    frame = pd.DataFrame({"c": letters[first], "d": letters[second], "x": rng.normal(size=300)})
    renamed = pd.DataFrame({**frame, "c": letters[[2, 0, 3, 1]][first]})
    scores = []
    for table in (frame, frame[["x", "d", "c"]], renamed):
        model = DAGLock().fit(table)
        assert model.certificate_.verify(model.moments_)
        scores.append(model.certificate_.score)
    np.testing.assert_allclose(scores, scores[0], rtol=1e-6)
    model.save(tmp_path / "model.npz")
    assert daglock.load(tmp_path / "model.npz").named_edges() == model.named_edges()


@pytest.mark.filterwarnings("ignore::daglock.errors.DataWarning")
def test_hardly_any_values_are_no_reason_to_fall_over(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    letters = np.array(list("abc"), dtype=object)
    words = pd.DataFrame({name: letters[rng.integers(0, 3, 200)] for name in "pqr"})
    frame = words.mask(rng.random((200, 3)) < 0.9)
    model = DAGLock(missing="model").fit(frame)
    assert model.certificate_.verify(model.moments_)
    assert model.bootstrap(3, rng=0).n == 3
    model.save(tmp_path / "model.npz")
    assert daglock.load(tmp_path / "model.npz").bootstrap(3, rng=0).n == 3


def test_rows_have_a_likelihood_where_all_are_categories(counted: DAGLock) -> None:
    """The product of tables, with half a row beside each level: a plain twin."""
    frame, other = counted_frame(), counted_frame(400, seed=7)
    total = np.zeros(len(other))
    for name in frame:
        parents = [edge.source for edge in counted.named_edges() if edge.target == name]
        levels = frame[name].unique()
        for k, row in enumerate(other.to_dict("records")):
            alike = frame
            for parent in parents:
                alike = alike[alike[parent] == row[parent]]
            hits = int((alike[name] == row[name]).sum())
            total[k] += np.log((hits + 0.5) / (len(alike) + 0.5 * len(levels)))
    assert counted.score(other) == pytest.approx(total.mean(), rel=1e-12)
    mixed_up = other.assign(wet=np.random.default_rng(0).permutation(other["wet"]))
    assert counted.score(mixed_up) < counted.score(other) - 0.1
    strange = other.assign(rain="hail")
    with pytest.raises(InvalidDataError, match="'rain' holds 'hail'"):
        counted.score(strange)


def test_rows_drawn_from_tables_are_like_those_of_the_fit(counted: DAGLock) -> None:
    frame = counted_frame()
    drawn = counted.sample(20_000, rng=0)
    assert list(drawn.columns) == list(frame.columns)
    assert set(drawn["rain"]) == set(frame["rain"])
    near = frame.groupby("rain")["wet"].mean() - drawn.groupby("rain")["wet"].mean()
    assert np.abs(near).max() < 0.03
    given_wet = frame.groupby("wet")["slippery"].mean() - drawn.groupby("wet")["slippery"].mean()
    assert np.abs(given_wet).max() < 0.03
    assert drawn.equals(counted.sample(20_000, rng=0))
    again = DAGLock(random_state=0).fit(drawn)
    assert {frozenset(edge[:2]) for edge in again.named_edges()} == {
        frozenset(edge[:2]) for edge in counted.named_edges()
    }


def test_codes_of_arrays_are_scored_and_drawn_as_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(1, 4, size=900)
    b = np.where(rng.random(900) < 0.8, a, rng.integers(1, 4, size=900))
    X = np.column_stack([a, b]).astype(float)
    model = DAGLock("counts", random_state=0).fit(X)
    model.save(tmp_path / "model.npz")
    loaded = daglock.load(tmp_path / "model.npz")
    assert loaded.score(X) == model.score(X) < 0
    drawn = loaded.sample(5000, rng=1)
    assert drawn.dtype == np.float64
    assert np.unique(drawn).tolist() == [1.0, 2.0, 3.0]
    assert np.mean(drawn[:, 0] == drawn[:, 1]) == pytest.approx(np.mean(a == b), abs=0.03)
    with pytest.raises(InvalidDataError, match="column 'x1' holds 7, which no row of the fit has"):
        model.score(np.array([[1.0, 7.0]]))


def test_numbers_beside_categories_are_no_distribution_of_rows(mixed: DAGLock) -> None:
    for ask in (lambda: mixed.score(mixed_frame()), lambda: mixed.sample(3)):
        with pytest.raises(InvalidParameterError, match="no distribution of rows"):
            ask()


@pytest.mark.parametrize("own", ["A0", "Z"])
def test_a_level_that_varies_between_regimes_only_has_no_column(own: str) -> None:
    """And is no reason to refuse the column: its other levels vary within regimes."""
    frame = mixed_frame()
    frame["year"] = np.repeat(["one", "two", "three"], 500)
    frame.loc[frame["year"] == "three", "clinic"] = own
    model = DAGLock(random_state=0).fit(frame, regimes="year")
    kept = model.moments_
    assert isinstance(kept, Blocks)
    assert kept.levels[model.names_.index("clinic")] == ("A", "B", "C", "D")
    assert ("clinic", "response") in {tuple(sorted(edge[:2])) for edge in model.named_edges()}
    found = model.effect("clinic", "response", n=20)
    assert isinstance(found, LevelEffects)
    assert {level for one in found.effects for level in one.instead or ()} <= set("ABCD")
