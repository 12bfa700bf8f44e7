"""What is said about the noise model and the price of an edge."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from daglock import load
from daglock.criteria import default_gamma
from daglock.estimator import DAGLock
from daglock.report import words
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
