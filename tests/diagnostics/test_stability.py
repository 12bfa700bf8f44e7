"""The stability threshold against the gradient of the loss itself."""

from __future__ import annotations

import numpy as np
import pytest

from daglock import Problem, solve
from daglock.constraints import SAHOC, Smoothed
from daglock.diagnostics import assumptions, stability_threshold
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solvers import SPG


def moments_of(seed: int, d: int = 7) -> Moments:
    X = linear_sem(erdos_renyi(d, 2 * d, rng=seed), 300, rng=seed + 1)
    X[:, 0] *= 40.0
    return Moments.from_data(X, names=[f"c{j}" for j in range(d)])


@pytest.mark.parametrize("seed", range(10))
def test_the_gradient_at_zero(seed: int) -> None:
    moments = moments_of(seed)
    found = stability_threshold(moments)
    for scaled, value, pair in (
        (moments, found.raw, found.raw_pair),
        (moments.standardised(), found.standardised, found.standardised_pair),
    ):
        problem = Problem(LeastSquares(scaled), SAHOC(), L1(1.0))
        assert value == pytest.approx(problem.force_at_zero())
        i, j = (moments.names.index(name) for name in pair) if moments.names else (0, 0)
        assert i < j
        assert abs(scaled.cov[i, j]) == pytest.approx(value)


def test_many_columns_are_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = moments_of(3, d=30)
    whole = stability_threshold(moments)
    monkeypatch.setattr(assumptions, "_BLOCK", 70)
    assert stability_threshold(moments) == whole


def test_columns_without_names_and_negative_covariances() -> None:
    S = np.array([[1.0, 0.1, 0.0], [0.1, 1.0, -0.9], [0.0, -0.9, 4.0]])
    found = stability_threshold(Moments.from_covariance(S, n=50))
    assert (found.raw, found.raw_pair) == (0.9, ("x1", "x2"))
    assert found.standardised == pytest.approx(0.45)


def test_what_it_means() -> None:
    """From the threshold on the paper's method stays at the empty graph, below it does not."""
    moments = moments_of(1)
    lam = stability_threshold(moments).raw
    constraint = Smoothed(SAHOC(alpha=0.5), delta=1e-7)
    empty, other = (
        solve(Problem(LeastSquares(moments), constraint, L1(x)), SPG(max_outer=1, max_inner=20))
        for x in (1.0001 * lam, 0.9 * lam)
    )
    assert empty.n_nonzero == 0
    assert other.n_nonzero > 0
