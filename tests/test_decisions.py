"""Decisions: each reason where it is the reason, and a record that comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from daglock import DAGLock
from daglock.decisions import NoiseReason, PriceReason, StartReason
from daglock.engine import Decisions, learn
from daglock.moments import Moments
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array


def table(d: int = 20, n: int = 500, seed: int = 0, spread: float = 1.0) -> Array:
    rng = np.random.default_rng(seed)
    variances = rng.uniform(1.0 / spread, spread, d)
    return linear_sem(erdos_renyi(d, d, rng=rng), n, noise_variances=variances, rng=rng)


def decide(X: Array, **options: Any) -> Decisions:
    return learn(Moments.from_data(X), **options).decisions


def test_the_noise_model_and_why() -> None:
    X = table()
    assert decide(X, noise="equal").noise_reason is NoiseReason.GIVEN
    agreed = decide(X)
    assert (agreed.noise, agreed.noise_reason) == ("equal", NoiseReason.AGREE)
    assert agreed.noise_gap is None
    standardised = decide((X - X.mean(axis=0)) / X.std(axis=0))
    assert (standardised.noise, standardised.noise_reason) == ("unequal", NoiseReason.ONE_SCALE)
    scored = decide(table(spread=4.0))
    assert scored.noise == "unequal"
    assert scored.noise_gap is not None
    assert (scored.noise_gap > 0.0) == (scored.noise_reason is NoiseReason.SCORE)
    assert decide(X, time_limit=0.0).noise_reason is NoiseReason.TIME


@pytest.mark.parametrize(("d", "n"), [(2, 500), (3, 500), (5, 100)])
def test_variances_of_few_columns_agree_by_chance(d: int, n: int) -> None:
    """Nothing tells a unit that was chosen so from noise that is so: no direction rests on it."""
    X = table(5, n)[:, :d]
    few = decide(X)
    assert (few.noise, few.noise_reason) == ("unequal", NoiseReason.FEW)
    assert decide(X, noise="equal").noise == "equal"


@pytest.mark.parametrize("n_copies", [1, 4])
def test_copies_do_not_make_few_columns_many(n_copies: int) -> None:
    """What is set aside brings no variance of its own: three columns are three."""
    X = table(5)[:, :3]
    many = np.column_stack([X, *(X * k for k in range(2, 2 + n_copies)), X[:, 0] + X[:, 1]])
    few = decide(many)
    assert (few.noise, few.noise_reason) == ("unequal", NoiseReason.FEW)
    assert decide(many, noise="equal").noise == "equal"
    assert decide(np.column_stack([table(), table()])).noise == "equal"


def test_the_price_and_why() -> None:
    given = decide(table(), ebic_gamma=0.3)
    assert (given.gamma, given.first_gamma, given.price_reason) == (0.3, 0.3, PriceReason.GIVEN)
    usual = decide(table())
    assert usual.gamma == usual.first_gamma
    assert usual.price_reason is PriceReason.DEFAULT
    rng = np.random.default_rng(0)
    weak = linear_sem(erdos_renyi(40, 80, weights=(0.15, 0.4), rng=rng), 200, rng=rng)
    lowered = decide(weak, noise="equal")
    assert lowered.gamma < lowered.first_gamma
    assert lowered.price_reason is PriceReason.LOWERED


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_where_the_search_began_and_how_far_it_went(noise: str) -> None:
    few = decide(table(d=6), noise=noise, n_restarts=7)
    assert few.exact
    assert (few.start, few.n_restarts) == (StartReason.NOWHERE, 0)
    search = replace(SETTINGS, max_exact=0)
    many = decide(table(d=6), noise=noise, n_restarts=7, settings=search)
    assert not many.exact
    assert many.n_restarts == 7
    usual = {"equal": StartReason.ORDER, "unequal": StartReason.CONTINUOUS}
    assert many.start is usual[noise]
    own = decide(table(), noise=noise, start=np.arange(20))
    assert own.start is StartReason.GIVEN
    late = decide(table(), noise=noise, time_limit=0.0)
    assert late.start is StartReason.TIME


def test_a_record_comes_back_and_a_person_can_read_it() -> None:
    decisions = DAGLock(random_state=0).fit(table()).decisions_
    record = json.loads(json.dumps(decisions.to_record()))
    assert Decisions.from_record(record) == decisions
    assert str(decisions).splitlines()[0] == "noise: equal (residuals agree)"
    with pytest.raises(ValueError, match="not a valid"):
        Decisions.from_record({**record, "start": "elsewhere"})
