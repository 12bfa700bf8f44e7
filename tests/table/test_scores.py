"""Normal scores: what they are, and that they are taken only where raw values mislead."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri

import daglock
from daglock import DAGLock
from daglock.decisions import NoiseReason
from daglock.errors import DataWarning, InvalidParameterError
from daglock.simulate import erdos_renyi, linear_sem
from daglock.simulate.sem import Noise
from daglock.table import Table
from daglock.table.kinds import ColumnKind, Kind
from daglock.table.scores import apply_scores, find_misleading, normal_scores, scores_sentence
from daglock.typing import Array


def linear(seed: int, noise: Noise = "gaussian", d: int = 8, n: int = 800) -> Array:
    variances = np.random.default_rng(seed).uniform(0.5, 2.0, d)
    return np.array(linear_sem(erdos_renyi(d, 2 * d, rng=seed), n, noise, variances, rng=seed))


def exponentiated(seed: int) -> Array:
    X = linear(seed)
    return np.asarray(np.exp((X - X.mean(axis=0)) / X.std(axis=0)))


# --- scores


def test_ranks_on_the_scale_of_a_gaussian() -> None:
    x = np.random.default_rng(0).standard_cauchy(501)
    z = normal_scores(x)
    assert z.mean() == pytest.approx(0.0, abs=1e-12)
    assert z.std() == pytest.approx(1.0)
    assert np.array_equal(np.argsort(z), np.argsort(x))
    expected = ndtri((np.arange(1, 502) - 0.5) / 501)
    assert np.allclose(np.sort(z), expected / expected.std())


def test_scores_do_not_depend_on_units_or_increasing_functions() -> None:
    x = np.random.default_rng(0).normal(size=100)
    assert np.allclose(normal_scores(x), normal_scores(np.exp(3.0 * x)))
    assert np.allclose(normal_scores(x), -normal_scores(-x))


def test_ties_share_and_gaps_stay() -> None:
    x = np.array([2.0, 1.0, 2.0, np.nan, 3.0])
    z = normal_scores(x)
    assert z[0] == z[2]
    assert np.isnan(z).tolist() == [False, False, False, True, False]
    assert normal_scores(np.full(3, np.nan)).tolist() == pytest.approx([np.nan] * 3, nan_ok=True)
    assert normal_scores(np.ones(3)).tolist() == [0.0, 0.0, 0.0]


# --- the rule


@pytest.mark.parametrize("noise", ["gaussian", "uniform", "laplace", "exponential", "gumbel"])
def test_lines_stay_raw_whatever_the_noise(noise: Noise) -> None:
    for seed in range(4):
        assert find_misleading(Table(linear(seed, noise))) == {}
        assert find_misleading(Table(np.round(4.0 * linear(seed, noise)))) == {}


def test_transformed_columns_are_scored_and_no_others() -> None:
    for seed in range(4):
        X, Y = linear(seed), exponentiated(seed)
        related = (np.abs(np.corrcoef(X.T)) > 0.4).sum(axis=1) > 1
        mixed = np.where(np.arange(8) < 4, Y, X)
        found = set(find_misleading(Table(mixed)))
        assert found <= {0, 1, 2, 3}
        assert found >= {j for j in range(4) if related[j]}


def test_too_few_rows_or_labels_are_left_alone() -> None:
    assert find_misleading(Table(exponentiated(0)[:30])) == {}
    labels = (ColumnKind(Kind.CATEGORICAL),) * 8
    assert find_misleading(Table(exponentiated(0), kinds=labels)) == {}
    assert apply_scores(Table(exponentiated(0), kinds=labels), "normal")[1] == {}


def test_gaps_are_no_trouble() -> None:
    X = exponentiated(0)
    whole = set(find_misleading(Table(X)))
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    assert len(whole & set(find_misleading(Table(X)))) >= len(whole) - 1


def test_what_is_asked_for() -> None:
    X = np.column_stack([linear(0), np.arange(800) % 2])
    before = X.copy()
    table, why = apply_scores(Table(X), "normal")
    assert list(why) == [f"x{j}" for j in range(8)]  # two values stay as they are
    assert np.allclose(table.data[:, 3], normal_scores(X[:, 3]))
    assert np.array_equal(table.data[:, 8], X[:, 8])
    assert np.array_equal(X, before)
    assert apply_scores(Table(X), "raw")[0].data is X
    with pytest.raises(InvalidParameterError, match="scores must be"):
        apply_scores(Table(X), "ranks")


def test_reasons_are_told_together() -> None:
    said = scores_sentence({"a": "skewed (skewness 4)", "b": "skewed (skewness 3)", "c": "bent"})
    assert "of a, b (skewed), c (bent):" in said


# --- the estimator


def test_the_graph_is_that_of_the_scores() -> None:
    X, Y = linear(1), exponentiated(1)
    with pytest.warns(DataWarning, match=r"^Ranks \(normal scores\) stand for the values of"):
        model = DAGLock().fit(Y)
    assert len(model.scores_) >= 7
    assert model.noise_model_ == "unequal"
    assert model.decisions_.noise_reason is NoiseReason.SCORES
    plain = DAGLock("unequal", scores="raw", shape="ignore").fit(
        np.column_stack([normal_scores(x) for x in X.T])
    )
    scored = DAGLock("unequal", scores="normal").fit(Y)
    assert np.array_equal(scored.cpdag_, plain.cpdag_)
    assert not DAGLock(scores="raw").fit(Y).scores_


def test_scores_are_kept_in_a_file_and_rows_are_scored_again(tmp_path: Path) -> None:
    Y = exponentiated(1)
    model = DAGLock(scores="normal", random_state=0).fit(Y)
    model.save(tmp_path / "model.npz")
    loaded = daglock.load(tmp_path / "model.npz")
    assert loaded.scores_ == model.scores_
    assert loaded.score(Y) == pytest.approx(model.score(Y))
    again = loaded.bootstrap(3, X=Y, rng=0, progress=False)
    assert np.array_equal(again.adjacent, model.bootstrap(3, rng=0, progress=False).adjacent)


def test_scores_are_not_passed_off_as_values(tmp_path: Path) -> None:
    """Rows that are drawn say so, and no value of a rank is held; saved and loaded alike."""
    rng = np.random.default_rng(0)
    y = rng.standard_normal(500)
    frame = pd.DataFrame({"price": np.exp(2.0 * y), "y": y + rng.standard_normal(500)})
    with pytest.warns(DataWarning, match="Ranks"):
        fitted = DAGLock("unequal").fit(frame)
    assert set(fitted.scores_) == {"price"}
    fitted.save(tmp_path / "model.npz")
    for model in (fitted, daglock.load(tmp_path / "model.npz")):
        with pytest.warns(DataWarning, match="values of price: what is returned of them is in st"):
            drawn = model.sample(2000, rng=0)
        assert drawn["price"].std() == pytest.approx(1.0, abs=0.1)
        with pytest.warns(DataWarning, match="values of price"):
            held = model.intervene({"y": 1.0})
        assert held.means["y"] == 1.0
        with pytest.raises(InvalidParameterError, match=r"^price was learned by ranks, .*'raw'"):
            model.intervene({"price": 100.0})
        with pytest.raises(InvalidParameterError, match="price was"):
            model.intervene({"y": 1.0, "price": 100.0})
    plain = DAGLock("unequal", scores="raw").fit(frame)
    assert plain.intervene({"price": 100.0}).means["price"] == 100.0
    assert len(plain.sample(3)) == 3
