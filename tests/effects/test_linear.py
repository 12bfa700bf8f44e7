"""Effects, samples and likelihood of a fitted model, against closed forms and SciPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from daglock import DAGLock
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.simulate import erdos_renyi, linear_sem

NAMES = [f"gene {k}" for k in range(8)]


@cache
def table() -> pd.DataFrame:
    W = erdos_renyi(8, 14, rng=5)
    X = linear_sem(W, 800, noise_variances=np.linspace(0.5, 3, 8), rng=6) + np.arange(8.0)
    return pd.DataFrame(X, columns=NAMES)


@cache
def model() -> DAGLock:
    return DAGLock("unequal", random_state=0).fit(table())


def test_total_effects_are_sums_over_paths() -> None:
    W = model().weights_.to_numpy()
    power, expected = np.eye(8), np.zeros((8, 8))
    for _ in range(8):
        power = power @ W
        expected += power
    effects = model().total_effects()
    assert list(effects.index) == list(effects.columns) == NAMES
    np.testing.assert_allclose(effects, expected, atol=1e-12)
    reach = np.linalg.matrix_power(np.eye(8) + (W != 0), 8) > 0
    assert (effects.to_numpy()[~reach] == 0.0).all()


def test_score_is_the_gaussian_log_density_per_row() -> None:
    fresh = table().iloc[:50] + 0.3
    W = model().weights_.to_numpy()
    inverse = np.linalg.inv(np.eye(8) - W)
    covariance = inverse.T @ np.diag(model().noise_variances_) @ inverse
    density = scipy.stats.multivariate_normal(table().mean().to_numpy(), covariance)
    assert model().score(fresh) == pytest.approx(density.logpdf(fresh).mean())
    assert model().score(fresh[:1]) == pytest.approx(float(density.logpdf(fresh[:1])))


def test_score_goes_by_name() -> None:
    assert model().score(table()[NAMES[::-1]]) == pytest.approx(model().score(table()))
    with pytest.raises(InvalidDataError, match="no column 'gene 0'"):
        model().score(table().rename(columns={"gene 0": "gene x"}))
    with pytest.raises(InvalidDataError, match="X has 3 features, but DAGLock is expecting 8"):
        model().score(table()[NAMES[:3]])
    assert model().score(table().to_numpy()) == pytest.approx(model().score(table()))


def test_the_learned_graph_predicts_better_than_none() -> None:
    empty = DAGLock("unequal", ebic_gamma=1e6).fit(table()[:400])
    assert not len(empty.edges_)
    learned = DAGLock("unequal", random_state=0).fit(table()[:400])
    assert learned.score(table()[400:]) > empty.score(table()[400:])


def test_samples_have_the_moments_of_the_model() -> None:
    rows = model().sample(200_000, rng=0)
    assert list(rows.columns) == NAMES
    W = model().weights_.to_numpy()
    inverse = np.linalg.inv(np.eye(8) - W)
    covariance = inverse.T @ np.diag(model().noise_variances_) @ inverse
    scale = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(rows.mean() - table().mean(), 0, atol=0.02 * scale.max())
    gap = (np.cov(rows.T, bias=True) - covariance) / np.outer(scale, scale)
    assert np.abs(gap).max() < 0.02
    pd.testing.assert_frame_equal(model().sample(5, rng=3), model().sample(5, rng=3))
    with pytest.raises(InvalidParameterError, match="n must be a whole number >= 1"):
        model().sample(0)


def test_an_intervention_cuts_what_leads_in_and_moves_what_leads_out() -> None:
    edges = model().edges_
    middle = next(name for name in edges.target if name in set(edges.source))
    held = model().intervene({middle: 12.0})
    effects = model().total_effects()
    means = table().mean()
    for name in NAMES:
        moved = means[name] + effects.loc[middle, name] * (12.0 - means[middle])
        assert held.means[name] == pytest.approx(12.0 if name == middle else moved)
    assert held.covariance.loc[middle].abs().max() == 0.0
    rows = held.sample(100_000, rng=1)
    assert (rows[middle] == 12.0).all()
    np.testing.assert_allclose(np.cov(rows.T, bias=True), held.covariance, atol=0.3)
    for name in NAMES:
        assert rows[name].mean() == pytest.approx(held.means[name], abs=0.1)
    assert held.values == {middle: 12.0}


def test_two_interventions_at_once() -> None:
    held = model().intervene({"gene 0": 1.0, "gene 1": -1.0})
    assert held.means["gene 0"] == 1.0
    assert held.means["gene 1"] == -1.0


def test_nothing_held_changes_nothing() -> None:
    np.testing.assert_allclose(list(model().intervene({}).means.values()), table().mean())


def test_unknown_variables_and_values_are_named() -> None:
    with pytest.raises(InvalidParameterError, match="no variable 'dose'; the variables are gene 0"):
        model().intervene({"dose": 1.0})
    word: Any = {"gene 0": "a"}
    with pytest.raises(InvalidParameterError, match="value of 'gene 0' must be a number; got 'a'"):
        model().intervene(word)
    plain = DAGLock("unequal", n_restarts=0).fit(table().to_numpy())
    assert plain.intervene({"x3": 2.0}).means["x3"] == 2.0


def test_no_density_where_a_column_is_determined() -> None:
    exact = np.repeat([[1.0, 2.0], [2.0, 4.0], [4.0, 8.0], [8.0, 16.0]], 3, axis=0)
    with pytest.warns(UserWarning, match="x1 is a copy of x0"):
        tied = DAGLock("unequal", n_restarts=0, determined="keep").fit(exact)
    tied.learned_.noise_variances[1] = 0.0
    with pytest.raises(InvalidParameterError, match="'x1' is determined exactly by its parents"):
        tied.score(exact)
