"""model.effect: value, interval, leeway, adjustment, words."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import daglock
from daglock import DAGLock, Knowledge, Moments
from daglock.confidence.drawn import Sample
from daglock.confidence.resampled import Resampled, pack
from daglock.effects import Effect, LevelEffects, PlausibleGraphs, draw_effects
from daglock.effects.draws import CovarianceDraws, Draws, gaussian_covariance
from daglock.errors import InvalidParameterError
from daglock.estimator import FitWarning
from daglock.knowledge import Masks, knowledge_masks
from daglock.simulate import erdos_renyi, linear_sem, population_covariance
from daglock.typing import Array
from tests.effects.test_plausible import believed

# heat acts on dose and recovery, dose on marker, marker and dose on recovery
NAMES = ("heat", "dose", "marker", "recovery")
EDGES = {
    ("heat", "dose"): 0.8,
    ("heat", "recovery"): -0.5,
    ("dose", "marker"): 1.2,
    ("dose", "recovery"): 0.3,
    ("marker", "recovery"): 0.4,
}
DOSE_ON_RECOVERY = 0.3 + 1.2 * 0.4


def weights() -> Array:
    W = np.zeros((4, 4))
    for (source, target), weight in EDGES.items():
        W[NAMES.index(source), NAMES.index(target)] = weight
    return W


@cache
def table() -> pd.DataFrame:
    X = linear_sem(weights(), 400, noise_variances=np.array([1.0, 0.5, 1.0, 0.7]), rng=0)
    return pd.DataFrame(X + 10.0, columns=list(NAMES))


@cache
def told() -> DAGLock:
    """Return the model whose graph is known."""
    others = [(a, b) for a in NAMES for b in NAMES if a != b and (a, b) not in EDGES]
    known = Knowledge(required=list(EDGES), forbidden=others)
    return DAGLock("unequal", knowledge=known, random_state=0).fit(table())


@cache
def learned() -> DAGLock:
    return DAGLock("unequal", random_state=0).fit(table())


def regression(regressors: list[str], response: str) -> Array:
    X = np.column_stack([table()[regressors], np.ones(len(table()))])
    return np.asarray(np.linalg.lstsq(X, table()[response].to_numpy())[0])


def test_of_a_known_graph() -> None:
    found = told().effect("dose", "recovery")
    assert found.value == pytest.approx(regression(["dose", "heat"], "recovery")[0])
    paths = told().total_effects().loc["dose", "recovery"]
    assert found.value == pytest.approx(paths, abs=0.05)
    assert found.value == pytest.approx(DOSE_ON_RECOVERY, abs=0.1)
    assert found.low < found.value < found.high
    assert 0.05 < found.high - found.low < 0.3
    assert found.adjustment == ("heat",)
    assert found.over_class == (found.value, found.value)
    assert (found.probability_zero, found.n_open, found.n_draws) == (0.0, 0, 200)
    assert (found.cause, found.effect, found.level) == ("dose", "recovery", 0.9)
    assert found.drawn_from == "rows"
    wide = told().effect("dose", "recovery", level=0.99)
    assert wide.low < found.low < found.high < wide.high


def test_the_interval_is_about_that_of_a_regression() -> None:
    """Of a parent on a child without other parents: the interval of the textbook."""
    found = told().effect("dose", "marker", n=1000)
    x, y = (table()[name].to_numpy() for name in ("dose", "marker"))
    x, y = x - x.mean(), y - y.mean()
    slope = x @ y / (x @ x)
    error = np.sqrt(((y - slope * x) ** 2).sum() / (len(x) - 2) / (x @ x))
    assert found.value == pytest.approx(slope)
    np.testing.assert_allclose(
        [found.low, found.high],
        [slope - 1.645 * error, slope + 1.645 * error],
        atol=0.35 * error,  # 100 replicates: the fifth from either end
    )
    assert found.adjustment == ()


def test_of_no_ancestor() -> None:
    found = told().effect("recovery", "dose")
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)
    assert found.adjustment is None
    assert found.probability_zero == 1.0
    assert found.over_class == (0.0, 0.0)
    assert str(found) == (
        "dose is not an effect of recovery, neither in the graph that was found nor in any other "
        "that is plausible."
    )


def test_the_doubt_about_directions_is_in_the_interval() -> None:
    """Learned without knowledge, the class is complete: hardly a direction is told."""
    known, open_ = (model.effect("dose", "recovery") for model in (told(), learned()))
    assert open_.high - open_.low > 1.5 * (known.high - known.low)
    assert open_.low <= 0.0 < known.low
    assert open_.probability_zero > 0.05
    assert open_.over_class is not None
    assert open_.over_class[0] == 0.0
    assert open_.n_open > 0


def test_the_population_gives_the_sum_over_paths() -> None:
    W = erdos_renyi(7, 10, weights=(0.4, 1.2), rng=3)
    d = len(W)
    cov = population_covariance(W, np.linspace(0.5, 2, d))
    known = Masks(allowed=W != 0, required=W != 0)
    model = DAGLock("unequal", knowledge=known).fit_moments(Moments.from_covariance(cov, n=1000))
    power, expected = np.eye(d), np.zeros((d, d))
    for _ in range(d):
        power = power @ W
        expected += power
    for i in range(d):
        for j in range(d):
            if i != j:
                found = model.effect(i, j, n=20)
                assert found.value == pytest.approx(expected[i, j], abs=1e-9)
                assert found.drawn_from == "moments"
                if expected[i, j]:
                    assert found.low < expected[i, j] < found.high


def test_the_seed_decides() -> None:
    one, same = (learned().effect("dose", "recovery", rng=3) for _ in range(2))
    assert one == same
    assert one != learned().effect("dose", "recovery", rng=4)  # of graphs
    plain = DAGLock("unequal", random_state=3).fit(table())
    assert plain.effect("dose", "recovery") == plain.effect("dose", "recovery", rng=3)


def test_after_saving(tmp_path: Path) -> None:
    model = DAGLock("unequal", random_state=0).fit(table())
    model.save(tmp_path / "m.npz")  # nobody has asked for anything
    back = daglock.load(tmp_path / "m.npz")
    here = model.effect("dose", "recovery")
    assert here.drawn_from == "rows"
    assert back.effect("dose", "recovery") == back.effect("dose", "recovery", X=table()) == here


def test_indices_where_there_are_no_names() -> None:
    plain = DAGLock("unequal", random_state=0).fit(table().to_numpy())
    assert plain.effect(1, 3) == plain.effect("x1", "x3")
    assert plain.effect(1, 3).cause == "x1"


def test_wrong_use_is_told_in_a_sentence() -> None:
    model = told()
    with pytest.raises(InvalidParameterError, match=r"no variable 'dosis'; the variables are heat"):
        model.effect("dosis", "recovery")
    with pytest.raises(InvalidParameterError, match="'dose' is both cause and effect: name two"):
        model.effect("dose", "dose")
    level: Any
    for level in (0.0, 1.0, "high"):
        with pytest.raises(InvalidParameterError, match="level must be a number > 0 and < 1"):
            model.effect("dose", "recovery", level=level)
    with pytest.raises(InvalidParameterError, match="n must be a whole number >= 1"):
        model.effect("dose", "recovery", n=0)


def test_a_column_that_was_set_aside() -> None:
    with pytest.warns(UserWarning, match="copy"):
        model = DAGLock("unequal").fit(table().assign(again=2 * table()["dose"]))
    (aside,) = model.set_aside_
    for pair in ((aside, "recovery"), ("recovery", aside)):
        with pytest.raises(InvalidParameterError, match=f"'{aside}' was set aside because"):
            model.effect(*pair)


def test_ctrl_c_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    told().assess()
    draw, calls = PlausibleGraphs.draw, 0

    def interrupted(self: PlausibleGraphs, rng: np.random.Generator) -> Any:
        nonlocal calls
        calls += 1
        if calls > 50:
            raise KeyboardInterrupt
        return draw(self, rng)

    whole = told().effect("dose", "recovery", n=50)
    monkeypatch.setattr(PlausibleGraphs, "draw", interrupted)
    with pytest.warns(FitWarning, match="Interrupted after 50 of 200 draws"):
        part = told().effect("dose", "recovery")
    assert part == whole
    with pytest.raises(KeyboardInterrupt):
        told().effect("dose", "recovery")


def test_draws_are_a_mixture_of_effects_and_zeros() -> None:
    """One pair, surely linked: an effect with the probability of its direction, else 0."""
    moments = Moments.from_covariance(np.array([[1.0, 2.0], [2.0, 5.0]]), n=500)
    graphs = PlausibleGraphs(believed(2, (0, 1, 1.0, 0.75)), Masks(), np.arange(2))
    draws = draw_effects(graphs, gaussian(moments), 0, 1, n=2000, rng=0)
    assert draws.probability_zero == pytest.approx(0.25, abs=0.03)
    assert (draws.values == 0).mean() == draws.probability_zero
    assert draws.interval(0.9)[0] == 0.0
    there = draws.values[draws.values != 0]
    assert there.mean() == pytest.approx(2.0, abs=0.01)
    # the residual variance is 1
    assert there.std() == pytest.approx(np.sqrt(1 / 500), rel=0.1)


def gaussian(moments: Moments) -> CovarianceDraws:
    """Covariances of rows of the Gaussian with these moments."""
    return CovarianceDraws(moments, moments)


# 0 acts on 1 and on 2, and 1 a little on 2: a link that the graph misses
WEAK = np.array([[0.0, 0.8, 1.0], [0.0, 0.0, 0.1], [0.0, 0.0, 0.0]])
SEEN = (0, 1, 1.0, 1.0), (0, 2, 1.0, 1.0)


def test_where_no_path_leads_it_is_what_a_regression_beside_the_parents_leaves_room_for() -> None:
    """Closed form: mean 0.1, variance that of the residual over n times that of the cause."""
    n = 400
    moments = Moments.from_covariance(population_covariance(WEAK, np.ones(3)), n=n)
    graphs = PlausibleGraphs(believed(3, *SEEN), Masks(), np.arange(3))
    draws = draw_effects(graphs, gaussian(moments), 1, 2, n=4000, rng=0)
    assert draws.probability_zero == 1.0
    assert draws.values.mean() == pytest.approx(0.1, abs=5 * np.sqrt(1 / n / 4000))
    assert draws.values.std() == pytest.approx(np.sqrt(1 / n), rel=0.08)
    # what comes before the cause is surely not its effect
    assert not draw_effects(graphs, gaussian(moments), 1, 0, n=50, rng=0).values.any()


@pytest.mark.parametrize(
    ("known", "is_told"),
    [
        ({"forbidden": [(1, 2), (1, 0)]}, True),
        ({"tiers": [[0], [2], [1]]}, True),
        ({"tiers": [[2], [1]]}, True),
        ({"forbidden": [(2, 1)]}, False),
        ({"tiers": [[0], [1], [2]]}, False),
    ],
)
def test_what_knowledge_rules_out_has_no_room(known: dict[str, Any], is_told: bool) -> None:
    moments = Moments.from_covariance(population_covariance(WEAK, np.ones(3)), n=400)
    masks = knowledge_masks(3, **known)
    graphs = PlausibleGraphs(believed(3, *SEEN), masks, np.arange(3))
    assert graphs.may_act(1, 2) != is_told
    draws = draw_effects(graphs, gaussian(moments), 1, 2, n=50, rng=0)
    assert draws.values.any() != is_told


def test_a_way_round_what_is_forbidden_is_a_way() -> None:
    for forbidden, is_open in (([(1, 2)], True), ([(1, 2), (1, 3), (1, 0)], False)):
        masks = knowledge_masks(4, forbidden=forbidden)
        graphs = PlausibleGraphs(believed(4, *SEEN), masks, np.arange(4))
        assert graphs.may_act(1, 2) == is_open


@pytest.mark.parametrize("weight", [0.0, 0.1])
@pytest.mark.parametrize("tables", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_an_interval_covers_effects_that_the_graph_misses(weight: float, tables: int) -> None:
    """As often as it says, over tables of a graph without the link; and 0 where it is none."""
    W, n = WEAK.copy(), 150
    W[1, 2] = weight
    graphs = PlausibleGraphs(believed(3, *SEEN), Masks(), np.arange(3))
    covered = []
    for seed in range(tables):
        X = linear_sem(W, n, noise_variances=np.ones(3), rng=seed)
        moments = Moments.from_data(X)
        rng = np.random.default_rng(seed)
        samples = (Moments.from_data(X[rng.integers(n, size=n)]) for _ in range(99))
        kept = Resampled(np.array([pack(Sample(one, np.arange(3)), moments) for one in samples]))
        covariances = CovarianceDraws(moments, moments, kept)
        draws = draw_effects(graphs, covariances, 1, 2, n=99, rng=seed)
        low, high = draws.interval(0.9)
        covered.append(low <= weight <= high)
    # within five standard errors
    assert abs(np.mean(covered) - 0.9) < 1.5 / np.sqrt(tables)


def test_a_weak_effect_is_not_said_to_be_none() -> None:
    """Learned and all: the interval is about that of the textbook."""
    W = np.array([[0.0, 1.5, 0.0], [0.0, 0.0, 0.1], [0.0, 0.0, 0.0]])
    X = linear_sem(W, 150, noise_variances=np.ones(3), rng=1)
    known = Knowledge(tiers=[["x0"], ["x1"], ["x2"]])
    found = DAGLock("unequal", knowledge=known, random_state=0).fit(X).effect("x1", "x2", n=1000)
    assert found.adjustment is None
    assert found.value == 0.0
    Z = np.column_stack([X[:, 1], X[:, 0], np.ones(len(X))])
    b, (rest,) = np.linalg.lstsq(Z, X[:, 2])[:2]
    error = np.sqrt(rest / (len(X) - 3) * np.linalg.inv(Z.T @ Z)[0, 0])
    # some graphs have the link, and less to adjust for
    np.testing.assert_allclose(
        [found.low, found.high], b[0] + np.array([-1.645, 1.645]) * error, atol=0.6 * error
    )


def test_words_of_an_effect_that_is_not_seen() -> None:
    none = replace(
        EXAMPLE, value=0.0, low=-0.02, high=0.09, adjustment=None, over_class=(0.0, 0.0),
        probability_zero=1.0,
    )  # fmt: skip
    assert str(none) == (
        "recovery is not an effect of dose, neither in the graph that was found nor in any other "
        "that is plausible. Links that are too weak to be found leave room for one of -0.02 to "
        "0.09 (90% interval of a regression beside the causes of dose)."
    )
    named = replace(none, instead=("high", "low"), of_level="yes")
    assert "0.09 for high instead of low on the share of recovery yes (90%" in str(named)
    assert "room" not in str(replace(none, low=0.0, high=0.0))
    assert "drawn from the fitted model" in str(replace(none, drawn_from="moments"))


def test_an_interval_ends_at_draws() -> None:
    draws = Draws(np.append(np.zeros(10), np.arange(1.0, 190.0)), absent=10)  # 199 of them
    assert draws.interval(0.9) == (0.0, 180.0)
    assert draws.interval(0.5) == (40.0, 140.0)
    assert draws.interval(0.999) == (0.0, 189.0)
    assert Draws(np.array([3.0]), absent=0).interval(0.9) == (3.0, 3.0)


@pytest.mark.parametrize("n", [200, 3])
def test_moments_of_gaussian_rows_drawn_again(n: int) -> None:
    """Mean and variance of a sample covariance: (1 - 1/n) C and (C_ii C_jj + C_ij²) (n - 1)/n²."""
    C = np.array(
        [[1.0, 0.5, 0.2, 0.0], [0.5, 1.0, 0.0, 0.1], [0.2, 0.0, 1.0, 0.3], [0, 0.1, 0.3, 1]]
    )
    scale = np.array([1.0, 10.0, 0.1, 5.0])
    moments = Moments.from_covariance(C * np.outer(scale, scale), n=n)
    rng = np.random.default_rng(0)
    every = np.array([gaussian_covariance([0, 1, 2, 3], moments, rng) for _ in range(8000)])
    every = every / np.outer(scale, scale)
    np.testing.assert_allclose(every.mean(axis=0), (1 - 1 / n) * C, atol=4 / np.sqrt(8000 * n))
    np.testing.assert_allclose(every.var(axis=0), (1 + C**2) * (n - 1) / n**2, rtol=0.2)


@pytest.mark.parametrize("regimes", [False, True])
def test_columns_that_are_constant_in_the_rows_that_are_drawn(regimes: bool) -> None:
    """They have no effect there, and not what rounding, or a mean of a regime, makes of one."""
    rng = np.random.default_rng(0)
    rare = (np.arange(60) == 3) + 5.3
    frame = pd.DataFrame({"rare": rare, "other": rng.standard_normal(60)})
    frame["effect"] = 1e-3 * (rare + rng.standard_normal(60))
    how: dict[str, Any] = {}
    if regimes:
        frame["where"] = np.repeat(["p", "q"], 30)
        how = {"regimes": "where"}
    known = Knowledge(required=["rare -> effect", "other -> rare"])
    model = DAGLock("unequal", knowledge=known, random_state=0).fit(frame, **how)
    found = model.effect("rare", "effect", level=0.98)
    assert found.n_draws == 200
    assert -found.value < found.low <= 0.0  # 0 in more than a third of the draws
    assert 0.0 < found.value < found.high < 3 * found.value


def test_a_level_that_no_row_has_that_is_drawn() -> None:
    """A share of nothing is not a share of 0."""
    rng = np.random.default_rng(0)
    group = np.array(["p", "q"])[rng.integers(0, 2, 200)]
    ill = np.where(rng.random(200) < 0.8, "yes", "no")
    known = Knowledge(required=["group -> ill"])
    for rare in ("a", "z"):  # the first is the one that the others are compared with
        some = group.copy()
        some[7] = rare
        frame = pd.DataFrame({"group": some, "ill": np.where(some == rare, "yes", ill)})
        for more in ({}, {"number": rng.standard_normal(200)}):  # rows are counted, or not
            model = DAGLock(knowledge=known, random_state=0).fit(frame.assign(**more))
            found = model.effect("group", "ill", level=0.99)
            assert isinstance(found, LevelEffects)
            of_rare = [one for one in found.effects if rare in (one.instead or ())]
            assert len(of_rare) == 1 + (rare == "a")
            for one in of_rare:
                assert one.low >= min(0.0, one.value - 0.2)
                assert one.high <= max(0.0, one.value + 0.2)


EXAMPLE = Effect(
    "dose", "recovery", 0.4213, 0.31, 0.55, over_class=(0.0, 0.55), adjustment=("heat", "sex"),
    probability_zero=0.12,
)  # fmt: skip


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        (
            EXAMPLE,
            "Raising dose by 1 raises recovery by 0.421 (90% interval 0.31 to 0.55). Adjust for: "
            "heat, sex. In 12% of the plausible graphs recovery is not an effect of dose. "
            "Directions that are open allow 0 to 0.55.",
        ),
        (
            replace(
                EXAMPLE,
                value=-2.0,
                low=-3.0,
                high=-1.0,
                level=0.5,
                adjustment=(),
                probability_zero=0.0,
                over_class=(-2.0, -2.0),
            ),
            "Raising dose by 1 lowers recovery by 2 (50% interval of the change -3 to -1). There "
            "is nothing to adjust for.",
        ),
        (
            replace(
                EXAMPLE,
                value=0.0,
                low=0.0,
                adjustment=None,
                probability_zero=0.7,
                over_class=None,
                n_open=15,
            ),
            "In the graph that was found, recovery is not an effect of dose. In 30% of the "
            "plausible graphs it is (90% interval over all of them 0 to 0.55). dose has 15 "
            "neighbours whose direction is open: too many to go through what that allows.",
        ),
    ],
)
def test_words(effect: Effect, words: str) -> None:
    assert str(effect) == words


def test_as_json() -> None:
    record = json.loads(json.dumps(EXAMPLE.to_dict()))
    assert record["value"] == 0.4213
    assert record["over_class"] == [0.0, 0.55]
    assert record["adjustment"] == ["heat", "sex"]
    assert replace(EXAMPLE, adjustment=None).to_dict()["adjustment"] is None
