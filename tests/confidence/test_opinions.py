"""Opinions: right where their model holds, silent on Gaussian data, blind to order and scale."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.confidence.opinions import OPINIONS, Opinion
from daglock.confidence.pair import Pair, pairs_of
from daglock.graph import WeightedDAG
from daglock.residuals import dependence
from daglock.typing import Array

NAMES = [opinion.name for opinion in OPINIONS]


def opinion(name: str) -> Opinion:
    return OPINIONS[NAMES.index(name)]


def effect(kind: str, rng: np.random.Generator, n: int = 600) -> Pair:
    """x -> y of some kind."""
    if kind == "linear, exponential":
        x = rng.exponential(size=n)
        return Pair(x, x + rng.exponential(size=n))
    if kind == "linear, uniform":
        x = rng.uniform(size=n)
        return Pair(x, x + rng.uniform(size=n))
    if kind == "curved":
        x = rng.standard_normal(n)
        return Pair(x, np.tanh(2 * x) + 0.3 * rng.standard_normal(n))
    x = rng.standard_normal(n)
    return Pair(x, 0.8 * x + 0.6 * rng.standard_normal(n))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("shape of the noise", "linear, exponential"),
        ("shape of the noise", "linear, uniform"),
        ("curved effects", "curved"),
        ("curved effects", "linear, uniform"),
    ],
)
def test_right_where_its_model_holds(name: str, kind: str) -> None:
    said = [opinion(name).look(effect(kind, np.random.default_rng(k))) for k in range(20)]
    assert np.mean(np.array(said) > 0) == 1.0
    assert np.median(said) > opinion(name).scale


@pytest.mark.parametrize("name", ["shape of the noise", "curved effects"])
def test_silent_on_gaussian_data(name: str) -> None:
    said = np.array(
        [opinion(name).look(effect("gaussian", np.random.default_rng(k))) for k in range(200)]
    )
    assert 0.4 < np.mean(said > 0) < 0.6
    assert np.mean(np.abs(said) > opinion(name).scale) < 0.05


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["curved", "linear, exponential"])
def test_columns_exchanged_or_rescaled(name: str, kind: str) -> None:
    pair = effect(kind, np.random.default_rng(3))
    said = opinion(name).look(pair)
    turned = opinion(name).look(Pair(pair.second, pair.first))
    scaled = opinion(name).look(Pair(7.0 * pair.first - 3.0, 0.01 * pair.second))
    assert turned == pytest.approx(-said, rel=1e-6)
    assert scaled == pytest.approx(said, rel=1e-6)


def test_dependence_has_the_mean_of_a_centred_chi_square() -> None:
    values = []
    for k in range(300):
        x, y = np.random.default_rng(k).standard_normal((2, 400))
        values.append(dependence(y, Pair(x, y).forward.basis))
    # χ² with 16 degrees of freedom less 16: mean 0, variance 32
    assert abs(np.mean(values)) < 3 * np.sqrt(32 / 300)
    assert 22 < np.var(values) < 44


@pytest.mark.parametrize("name", NAMES)
def test_columns_of_two_values_or_of_one_are_no_trouble(name: str) -> None:
    rng = np.random.default_rng(0)
    coin = (rng.random(200) < 0.5).astype(np.float64)
    for pair in (Pair(coin, rng.standard_normal(200)), Pair(coin, 1 - coin), Pair(coin, coin * 0)):
        assert np.isfinite(opinion(name).look(pair))


def test_a_pair_is_cleared_of_the_other_parents() -> None:
    rng = np.random.default_rng(0)
    z = rng.standard_normal(5000)
    x, y = z + rng.standard_normal(5000), z + rng.standard_normal(5000)
    X: Array = np.column_stack([z, x, y])
    parents = [np.array(P, dtype=np.intp) for P in ([], [0], [0])]
    weights = [np.ones(len(P)) for P in parents]
    dag = WeightedDAG.from_parents(np.arange(3), parents, weights, np.ones(2, dtype=np.bool_))
    (pair,) = pairs_of(X, dag, np.array([1]), np.array([2]))
    assert abs(np.corrcoef(x, y)[0, 1]) > 0.4
    assert abs(np.mean(pair.first * pair.second)) < 0.05
