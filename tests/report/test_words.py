"""What is said about the noise model and the price of an edge."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from daglock import Moments, load
from daglock.criteria import default_gamma
from daglock.errors import DataWarning
from daglock.estimator import DAGLock
from daglock.report import words
from daglock.report.words import about_fit
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array


def rows(n: int, weights: tuple[float, float] = (0.5, 1.0), spread: float = 1.0) -> Array:
    rng = np.random.default_rng(0)
    W = erdos_renyi(20, 40, weights=weights, rng=rng)
    variances = rng.uniform(1.0 / spread, spread, 20) if spread > 1.0 else 1.0
    return linear_sem(W, n, noise_variances=variances, rng=rng)


def said(X: Array, noise: str = "auto") -> str:
    return words.noise(DAGLock(noise=noise, random_state=0).fit(X))


def test_why_this_noise_model() -> None:
    X = rows(500)
    assert said(X).endswith(
        "for all variables: the variances that this graph leaves unexplained agree."
    )
    assert said(X, "equal").endswith("as was asked for.")
    assert "of its own for each variable: the BIC prefers" in said(rows(500, spread=2.0))
    assert "for all variables: the BIC prefers" in said(rows(100, spread=1.35))


def test_standardised_columns_are_the_reason() -> None:
    X = rows(500)
    X /= X.std(axis=0)
    assert "all columns have the same variance, as after standardising" in said(X)
    assert said(X, "unequal").endswith("as was asked for.")


def test_a_lower_price_is_told_and_the_usual_one_is_not(tmp_path: Path) -> None:
    assert words.price(DAGLock(random_state=0).fit(rows(500))) == ""
    weak = rows(300, (0.1, 0.4))
    lower = DAGLock(random_state=0).fit(weak)
    first = default_gamma(300, 20)
    assert lower.learned_.ebic_gamma < first
    expected = f"(γ = {lower.learned_.ebic_gamma:.2f} instead of {first:.2f})"
    assert expected in words.price(lower)
    assert expected in " ".join(words.summary(lower))
    lower.save(tmp_path / "model.npz")
    assert words.price(load(tmp_path / "model.npz")) == words.price(lower)
    assert any("second search" in sentence for sentence in words.trace_text(lower))
    assert words.price(DAGLock(ebic_gamma=0.3, random_state=0).fit(weak)) == ""


def test_why_nobody_could_look_at_the_links(tmp_path: Path) -> None:
    """Too few rows, gaps, or no rows at all: each is called what it is."""
    begin, end = "could not be looked at, because ", "; so directions"

    def reason(model: DAGLock) -> str:
        said = about_fit(model, model.assess(5))
        return said.partition(begin)[2].partition(end)[0]

    X = rows(300)[:, :4]
    holes = X.copy()
    holes[np.arange(300), np.arange(300) % 4] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        few = DAGLock(random_state=0).fit(np.array([[1.0, 2.0], [2.0, 4.5]]))
        gaps = DAGLock(missing="model", random_state=0).fit(holes)
    assert reason(few) == "2 rows cannot tell"
    assert reason(gaps) == "too few rows are without a gap"
    assert reason(DAGLock().fit_moments(Moments.from_data(X))) == "the rows were not there"
    gaps.save(tmp_path / "model.npz")
    again = about_fit(load(tmp_path / "model.npz"), gaps.assess(5))
    assert "the rows were not there, or too few of them without a gap" in again
