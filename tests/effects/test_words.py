"""What an effect says of columns that are no plain numbers: grades, words, ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock
from daglock.effects import Effect, LevelEffects

pytestmark = pytest.mark.filterwarnings("ignore::daglock.errors.DataWarning")


def fitted(**settings: Any) -> DAGLock:
    """Return a model of numbers, grades, two words and a category, in a known order."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(400, 5))
    x = noise[:, 0]
    grade = np.digitize(x + 0.5 * noise[:, 1], [-0.7, 0.7])
    y = x + 0.5 * grade + noise[:, 2]
    sick = y + noise[:, 3] > 0
    frame = pd.DataFrame(
        {
            "x": x,
            "grade": pd.Categorical.from_codes(grade, pd.Index(["lo", "mid", "hi"]), ordered=True),
            "y": y,
            "sick": np.where(sick, "yes", "no"),
            "site": np.array(["p", "q", "r"])[np.digitize(y + noise[:, 4], [-0.5, 1.0])],
        }
    )
    columns = list(settings.pop("only", frame.columns))
    return DAGLock(knowledge={"tiers": [[name] for name in columns]}, **settings).fit(
        frame[columns]
    )


def test_grades_are_raised_by_one_and_have_no_share() -> None:
    model = fitted()
    said = str(model.effect("x", "grade", n=5))
    assert "raises grade by" in said
    assert "share" not in said
    assert str(model.effect("grade", "site", n=5)).startswith("Raising grade by 1 ")


def test_two_words_are_called_by_their_names_also_without_categories() -> None:
    model = fitted(only=["x", "sick", "y"])
    assert str(model.effect("sick", "y", n=5)).startswith("sick yes instead of no raises y by")
    assert "raises the share of sick yes by" in str(model.effect("x", "sick", n=5))


@pytest.mark.parametrize("only", [["x", "grade", "y"], ["x", "y", "site"]])
def test_ranks_are_no_units_of_the_column(only: list[str]) -> None:
    model = fitted(only=only, scores="normal")
    found = model.effect("x", "y", n=5)
    assert found.to_dict()["scored"] == ["x", "y"]
    assert str(found).endswith(
        "Ranks stand for the values of x and y: 1 is a standard deviation of them."
    )
    assert "Ranks" not in str(fitted(only=only, scores="raw").effect("x", "y", n=5))


def test_doubts_about_a_category_are_those_of_all_its_levels() -> None:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 300)
    y = (group == 1) + rng.normal(size=300)
    site = np.digitize(y + rng.normal(size=300), [0, 1])
    words = {"group": np.array(["a", "b", "c"])[group], "site": np.array(["p", "q", "r"])[site]}
    model = DAGLock().fit(pd.DataFrame({**words, "y": y}))
    pairs = [("group", "site"), ("site", "group")]
    there, back = (model.effect(*pair, n=40) for pair in pairs)
    there, back = (there, back) if back.adjustment is None else (back, there)
    assert back.adjustment is None
    assert str(back).endswith("of the plausible graphs it is.")
    assert str(there).endswith("allow other values: see over_class of each.")
    assert len({effect.over_class for effect in there.effects}) > 1


@pytest.mark.parametrize("only", [["group", "site"], ["group", "y"], ["group", "site", "y"]])
def test_an_effect_of_a_category_that_is_not_seen_is_not_said_to_be_none(only: list[str]) -> None:
    """Counted, and beside numbers: the widest of the intervals of all levels."""
    rng = np.random.default_rng(2)
    words = np.array(["a", "b", "c"])
    frame = pd.DataFrame(
        {
            "group": words[rng.integers(0, 3, 500)],
            "site": words[rng.integers(0, 3, 500)],
            "y": rng.normal(size=500),
        }
    )[only]
    found = DAGLock(random_state=0).fit(frame).effect(only[0], only[-1], n=99)
    assert isinstance(found, LevelEffects)
    assert found.adjustment is None
    for effect in found.effects:
        assert effect.value == 0.0
        assert effect.low < effect.high
    unseen = tuple(replace(effect, probability_zero=1.0) for effect in found.effects)
    none = LevelEffects("group", "y", unseen)
    low, high = min(e.low for e in found.effects), max(e.high for e in found.effects)
    assert str(none).endswith(
        f"leave room for effects of {low:.3g} to {high:.3g}, each level by itself (90% intervals "
        "of regressions beside the causes of group)."
    )
    told = DAGLock(knowledge={"tiers": [[name] for name in only[::-1]]}).fit(frame)
    assert str(told.effect(only[0], only[-1], n=20)).endswith("any other that is plausible.")


@pytest.mark.parametrize(
    ("regimes", "said"),
    [
        (None, ""),
        ((9, 9), ""),
        ((7, 9), "From the rows of 7 of 9 regimes, which leave y and what lies between alone."),
        ((1, 9), "From the rows of 1 of 9 regimes, which leaves y and what lies between alone."),
        ((0, 9), "Every regime acts on y or on what lies between: the effect is an average"),
    ],
)
def test_from_which_regimes(regimes: tuple[int, int] | None, said: str) -> None:
    found = str(Effect("x", "y", 1.0, 0.5, 1.5, over_class=(1.0, 1.0), regimes=regimes))
    assert said in found
    assert ("regime" in found) == bool(said)


@pytest.mark.parametrize(
    ("high", "zero", "said"),
    [
        (0.55, 0.02, "Raising dose by 1 raises pain by 0.42 (90% interval 0.1 to 0.55)."),
        (
            0.55,
            0.6,
            "In the graph that was found raising dose by 1 raises pain by 0.42, but most plausible "
            "graphs have no such effect (90% interval 0.1 to 0.55).",
        ),
        (
            0.3,
            0.1,
            "In the graph that was found raising dose by 1 raises pain by 0.42, which is outside "
            "of what plausible graphs have (90% interval 0.1 to 0.3).",
        ),
    ],
)
def test_what_plausible_graphs_do_not_have_is_not_said_as_a_fact(
    high: float, zero: float, said: str
) -> None:
    effect = Effect("dose", "pain", 0.42, 0.1, high, adjustment=(), probability_zero=zero)
    assert str(effect).startswith(said)
    assert repr(effect).startswith("<Effect of dose on pain: 0.42, 90% interval 0.1 to")
