"""Moments of rows with gaps, against closed forms, a plain twin and complete tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock import gaps as module
from daglock.engine.statistics import NEARLY, about_gaps
from daglock.errors import DataWarning, InvalidDataError
from daglock.gaps import FLOOR, Gaussian, effective_rows, fit_gaussian, log_likelihood
from daglock.moments import Moments
from daglock.typing import Array


def table(n: int = 300, d: int = 5, share: float = 0.2, seed: int = 0) -> Array:
    """Rows of a Gaussian with strong correlations and different scales, with gaps."""
    rng = np.random.default_rng(seed)
    mixing: Array = rng.normal(size=(d, d)) + np.eye(d)
    X = (rng.normal(size=(n, d)) @ mixing) * 10.0 ** rng.integers(-3, 4, size=d) + 5.0
    X[rng.random(X.shape) < share] = np.nan
    X[np.isnan(X).all(axis=1), 0] = 1.0
    return np.asarray(X, dtype=np.float64)


def rounding(found: Gaussian, n: int) -> float:
    """What rounding may take from a log-likelihood: ε changes the least eigenvalue λ by ε/λ."""
    scale = np.sqrt(np.diagonal(found.cov))
    least = np.linalg.eigvalsh(found.cov / np.outer(scale, scale))[0]
    at_floor = n * np.finfo(np.float64).eps / max(least, FLOOR)
    return float(10.0 * at_floor + 1e-9 * abs(found.likelihoods[-1]))


def twin(X: Array, steps: int) -> tuple[Array, Array, list[float]]:
    """The same by the textbook, a row at a time, from the moments of single columns."""
    n, d = X.shape
    mean, cov = np.nanmean(X, axis=0), np.diag(np.nanvar(X, axis=0))
    likelihoods = []
    for _ in range(steps):
        first, second, total = np.zeros(d), np.zeros((d, d)), 0.0
        for row in X:
            o = ~np.isnan(row)
            m = ~o
            S = cov[np.ix_(o, o)]
            B = np.linalg.solve(S, cov[np.ix_(o, m)]).T
            r = row[o] - mean[o]
            total -= 0.5 * (
                o.sum() * np.log(2 * np.pi) + np.linalg.slogdet(S)[1] + r @ np.linalg.solve(S, r)
            )
            filled = row.copy()
            filled[m] = mean[m] + B @ r
            first += filled
            second += np.outer(filled, filled)
            second[np.ix_(m, m)] += cov[np.ix_(m, m)] - B @ cov[np.ix_(o, m)]
        likelihoods.append(total)
        mean = first / n
        cov = second / n - np.outer(mean, mean)
    return cov, mean, likelihoods


def close(one: Array, other: Array, atol: float) -> None:
    """Compare covariances in standard deviations."""
    scale = np.sqrt(np.diagonal(other))
    np.testing.assert_allclose(
        one / scale / scale[:, None], other / scale / scale[:, None], rtol=0, atol=atol
    )


@pytest.mark.parametrize("accelerate", [True, False])
def test_agrees_with_a_plain_twin(accelerate: bool) -> None:
    X = table(n=80, d=4)
    cov, mean, likelihoods = twin(X, 300)
    found = fit_gaussian(X, tolerance=1e-9, accelerate=accelerate)
    close(found.cov, cov, 1e-6)
    np.testing.assert_allclose(found.means[0], mean, rtol=1e-6)
    # those of standardised columns differ by a constant
    scaled = likelihoods[-1] + (~np.isnan(X)).sum(axis=0) @ np.log(np.nanstd(X, axis=0))
    assert found.likelihoods[-1] == pytest.approx(scaled, abs=1e-5)
    assert log_likelihood(X, cov, mean) == pytest.approx(likelihoods[-1], abs=1e-6)


def test_one_step_is_that_of_the_twin() -> None:
    X = table(n=60, d=4)
    two, mean, likelihoods = twin(X, 2)
    start = np.diag(np.nanvar(X, axis=0)), np.nanmean(X, axis=0)
    found = fit_gaussian(X, start=start, max_steps=2, accelerate=False)
    close(found.cov, two, 1e-10)
    np.testing.assert_allclose(found.means[0], mean, rtol=1e-10)
    assert not found.converged
    steps = np.diff(found.likelihoods), np.diff(likelihoods)
    np.testing.assert_allclose(*steps, rtol=1e-8)


def test_two_columns_one_of_them_complete_has_a_closed_form() -> None:
    """The likelihood factors: x alone by all rows, y given x by the rows that have both."""
    rng = np.random.default_rng(3)
    x = rng.normal(2.0, 3.0, size=200)
    y = 1.0 - 0.7 * x + rng.normal(size=200)
    y[x > 3.0] = np.nan  # at random: it depends on x alone
    both = ~np.isnan(y)
    a, b = x[both], y[both]
    slope = np.cov(a, b, bias=True)[0, 1] / a.var()
    rest = b.var() - slope**2 * a.var()
    mean = b.mean() + slope * (x.mean() - a.mean())
    cov = np.array(
        [[x.var(), slope * x.var()], [slope * x.var(), rest + slope**2 * x.var()]],
    )
    moments = Moments.from_incomplete(np.column_stack([x, y]), tolerance=1e-11)
    np.testing.assert_allclose(moments.cov, cov, rtol=1e-8)
    np.testing.assert_allclose(moments.means, [x.mean(), mean], rtol=1e-8)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("accelerate", [True, False])
def test_the_likelihood_never_falls(share: float, accelerate: bool) -> None:
    for seed in range(5):
        found = fit_gaussian(table(120, 8, share, seed), accelerate=accelerate, max_steps=200)
        steps = np.diff(found.likelihoods)
        assert len(steps) > 1
        assert steps.min() >= -rounding(found, 120)


def test_acceleration_ends_at_the_same_point_in_fewer_steps() -> None:
    X = table(300, 6, 0.4)
    plain, quick = (fit_gaussian(X, tolerance=1e-8, accelerate=a) for a in (False, True))
    close(quick.cov, plain.cov, 1e-6)
    assert 2 * len(quick.likelihoods) < len(plain.likelihoods)


def test_without_gaps_it_is_the_complete_answer_and_near_it_with_few() -> None:
    X = table(500, 5, 0.0)
    complete = Moments.from_data(X)
    same = Moments.from_incomplete(X)
    assert np.array_equal(same.cov, complete.cov)
    assert (same.n, same.n_rows, same.missing, about_gaps(same)) == (500, 500, 0.0, "")
    away = []
    for gaps in (200, 20, 2):
        Y = X.copy()
        Y.flat[np.random.default_rng(0).choice(X.size, gaps, replace=False)] = np.nan
        moments = Moments.from_incomplete(Y)
        scale = np.sqrt(np.diagonal(complete.cov))
        away.append(np.abs((moments.cov - complete.cov) / scale / scale[:, None]).mean())
        assert moments.missing == pytest.approx(gaps / X.size)
    assert away[0] > 2 * away[1] > 4 * away[2]
    assert away[2] < 1e-3


def test_any_order_of_rows_and_columns_gives_the_same() -> None:
    X = table(150, 6, 0.3)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(150), rng.permutation(6)
    one, other = Moments.from_incomplete(X), Moments.from_incomplete(X[rows][:, columns])
    close(other.cov, one.cov[np.ix_(columns, columns)], 1e-8)
    assert one.n == other.n


def test_blocks_of_patterns_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X = table(200, 6, 0.3)
    whole = fit_gaussian(X)
    monkeypatch.setattr(module, "_BLOCK_CELLS", 20)
    close(fit_gaussian(X).cov, whole.cov, 1e-10)


def test_a_copy_and_a_sum_with_gaps_are_determined() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    X = np.column_stack([X, X[:, 0] + X[:, 1], 3.0 * X[:, 2]])
    X[rng.random(X.shape) < 0.15] = np.nan
    found = fit_gaussian(X)
    assert found.converged
    assert np.diff(found.likelihoods).min() >= -rounding(found, 400)
    for rest, combination in ((0, [1.0, 1.0, 0.0, -1.0, 0.0]), (0, [0.0, 0.0, 3.0, 0.0, -1.0])):
        a = np.array(combination)
        assert a @ found.cov @ a == pytest.approx(rest, abs=1e-11)
    from daglock.dependence.determined import find_determined

    assert len(find_determined(Moments.from_incomplete(X)).aside) == 2


def test_more_columns_than_rows_ends() -> None:
    X = table(20, 30, 0.2)
    found = fit_gaussian(X, max_steps=100)
    assert np.isfinite(found.cov).all()
    assert np.linalg.eigvalsh(found.cov).min() > -1e-8 * np.diagonal(found.cov).max()


def test_regimes_have_means_of_their_own() -> None:
    X = table(300, 4, 0.2)
    labels = np.arange(300) % 3
    shifted = X + 1000.0 * labels[:, None] * np.nanstd(X, axis=0)
    one = Moments.from_incomplete(X, labels=labels, tolerance=1e-8)
    other = Moments.from_incomplete(shifted, labels=labels, tolerance=1e-11)
    close(other.cov, one.cov, 1e-5)
    complete = table(300, 4, 0.0)
    expected = Moments.within_regimes(complete, labels)
    close(Moments.from_incomplete(complete, labels=labels).cov, expected.cov, 1e-12)


def test_a_warm_start_needs_fewer_steps() -> None:
    X = table(400, 6, 0.3)
    cold = fit_gaussian(X)
    warm = fit_gaussian(X, start=(cold.cov, cold.means[0]))
    assert len(warm.likelihoods) <= 2 < len(cold.likelihoods)
    close(warm.cov, cold.cov, 1e-4)


def test_a_start_that_counts_as_rows_is_left_where_rows_tell_something_else_only() -> None:
    X = table(400, 6, 0.3)
    cold = fit_gaussian(X, tolerance=1e-9)
    start = (cold.cov, cold.means[0])
    again = fit_gaussian(X, start=start, start_rows=50.0, tolerance=1e-9)
    close(again.cov, cold.cov, 1e-6)  # the same rows: it is what they tell
    drawn = X[np.random.default_rng(0).integers(len(X), size=len(X))]
    alone = fit_gaussian(drawn, start=start, tolerance=1e-9)
    near = fit_gaussian(drawn, start=start, start_rows=6.0, tolerance=1e-9)
    far = fit_gaussian(drawn, start=start, start_rows=1e9, tolerance=1e-9)
    once = fit_gaussian(drawn, start=start, max_steps=1).cov  # what it fills in stays for good
    scale = np.sqrt(np.outer(np.diagonal(cold.cov), np.diagonal(cold.cov)))
    moved = np.abs(alone.cov - cold.cov) / scale
    assert (np.abs(near.cov - alone.cov) / scale).max() < 0.05 * moved.max()
    assert (np.abs(far.cov - cold.cov) / scale).max() > 0.5 * moved.max()  # its own rows count
    assert np.abs(far.cov - once).max() / scale.max() < 0.05
    # nothing is left of the start where nothing is filled in
    whole = table(200, 4, 0.0)
    found = fit_gaussian(
        whole, start=(np.diag(whole.var(axis=0)), whole.mean(axis=0)), start_rows=9.0
    )
    close(found.cov, np.cov(whole.T, bias=True), 1e-9)


def test_rows_drawn_again_need_few_steps_where_a_sum_contradicts_its_gaps() -> None:
    """The sum of thirty columns counts a missing one as nothing: no covariance fits all rows."""
    slow, quick = 0, 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(50, 30)) + 3.0
        gaps = np.zeros(X.shape, dtype=np.bool_)
        for row in gaps[:5]:
            row[rng.choice(30, 3, replace=False)] = True
        X = np.column_stack([np.where(gaps, np.nan, X), np.where(gaps, 0.0, X).sum(axis=1)])
        fitted = fit_gaussian(X)
        drawn, start = X[rng.integers(50, size=50)], (fitted.cov, fitted.means[0])
        slow += len(fit_gaussian(drawn, start=start, tolerance=NEARLY).likelihoods)
        found = fit_gaussian(drawn, start=start, start_rows=31.0, tolerance=NEARLY)
        assert found.converged
        quick += len(found.likelihoods)
    assert 10 * quick < slow


def test_rows_without_values_are_no_rows_and_inputs_stay_as_they_are() -> None:
    X = table()
    padded = np.vstack([X, np.full((7, 5), np.nan)])
    before = padded.copy()
    moments = Moments.from_incomplete(padded, list("abcde"))
    np.testing.assert_array_equal(padded, before)
    assert moments.n_rows == 300
    close(moments.cov, Moments.from_incomplete(X).cov, 1e-12)
    assert "% of the cells missing" in repr(moments)


def test_what_cannot_be_used_is_named() -> None:
    X = table()
    X[:, 2] = np.nan
    with pytest.raises(InvalidDataError, match="Without any value: column 'c'"):
        Moments.from_incomplete(X, list("abcde"))
    X[:, 2] = np.where(np.arange(300) < 50, 1.0, np.nan)
    with pytest.raises(InvalidDataError, match=r"do not vary.*'c'"):
        Moments.from_incomplete(X, list("abcde"))
    X[:, 2] = np.inf
    with pytest.raises(InvalidDataError, match="infinite"):
        Moments.from_incomplete(X, list("abcde"))
    with pytest.raises(InvalidDataError, match="two rows"):
        Moments.from_incomplete([[1.0, np.nan], [np.nan, np.nan]])


def test_columns_that_are_never_observed_together_are_named() -> None:
    rng = np.random.default_rng(0)
    c = rng.normal(size=600)
    X = np.column_stack([c + rng.normal(size=600), c + rng.normal(size=600), c])
    X[:300, 0] = X[300:, 1] = np.nan
    with pytest.warns(DataWarning, match="Never observed together: column 'a' and column 'b'"):
        moments = Moments.from_incomplete(X, ["a", "b", "c"])
    precision = np.linalg.inv(moments.standardised().cov)
    partial = precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
    assert abs(partial) < 0.2  # nothing is made up where nothing is known


def test_rounded_values_keep_their_grid() -> None:
    X = np.random.default_rng(0).normal(50.0, 10.0, size=(300, 2)).round(1)
    X[:40, 0] = np.nan
    np.testing.assert_allclose(Moments.from_incomplete(X).resolution, 0.1)


def test_effective_rows() -> None:
    there = np.random.default_rng(0).random((4000, 6)) > 0.2
    assert effective_rows(there) == pytest.approx(4000 * 0.8**2.5, rel=0.03)
    assert effective_rows(np.ones((50, 3), dtype=np.bool_)) == 50
    uneven = np.ones((1000, 3), dtype=np.bool_)
    uneven[100:, 0] = False  # two of three pairs share 100 rows
    assert effective_rows(uneven) < 200


def test_the_callback_hears_of_every_round() -> None:
    heard: list[tuple[int, float]] = []
    Moments.from_incomplete(table(), progress=lambda *step: heard.append(step))
    assert len(heard) > 2
    assert [step for step, _ in heard] == sorted({step for step, _ in heard})


def test_ctrl_c_ends_it() -> None:
    def interrupt(*step: Any) -> None:
        raise KeyboardInterrupt

    X = table()
    before = X.copy()
    with pytest.raises(KeyboardInterrupt):
        Moments.from_incomplete(X, progress=interrupt)
    np.testing.assert_array_equal(X, before)


def test_merged_and_selected_moments_remember_the_gaps() -> None:
    moments = Moments.from_incomplete(table())
    assert moments.select([0, 1]).missing == moments.standardised().missing == moments.missing
    twice = moments.merge(Moments.from_data(table(share=0.0)))
    assert (twice.n_rows, twice.n) == (600, moments.n + 300)
    assert twice.missing == pytest.approx(moments.missing / 2)


@pytest.mark.parametrize("seed", range(10))
def test_a_covariance_that_is_hopeless_is_less_likely(seed: int) -> None:
    """What the covariance alone shows is so with the rows, too."""
    X = table(n=40, d=6, share=0.3, seed=seed)
    X = (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)
    rows = module._Rows(X, None)
    start, means = rows.first_guess()
    rows.more = module._More(start, 6.0)
    direction = np.random.default_rng(seed).standard_normal((6, 6))
    hopeless = 0
    for length in (0.0, 0.1, 0.3, 1.0, 3.0):
        cov = start + length * (direction + direction.T)
        likelihood = rows.step((cov, means))[1]
        assert not rows.is_hopeless(cov, likelihood)
        hopeless += rows.is_hopeless(cov, rows.step((start, means))[1])
    assert 0 < hopeless < 5


def test_steps_that_are_hopeless_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rare columns with gaps lead there."""
    rng = np.random.default_rng(12)
    X = np.cumsum(rng.standard_normal((300, 12)), axis=1)
    X[:, 4:] = 0.0
    for j in range(4, 12):
        X[rng.choice(300, 3, replace=False), j] = 1.0
    X[rng.random(X.shape) < 0.2] = np.nan
    for j in range(4, 12):
        X[rng.choice(300, 3, replace=False), j] = 1.0
    whole = fit_gaussian(X)
    drawn = X[np.random.default_rng(12).integers(300, size=300)]
    start = whole.cov, whole.means[0]
    how: dict[str, Any] = {"start": start, "start_rows": 12.0, "tolerance": NEARLY}
    least: list[float] = []

    def look(rows: Any, point: Any) -> Any:
        least.append(float(np.linalg.eigvalsh(point[0])[0]))
        return step(rows, point)

    step = module._Rows.step
    monkeypatch.setattr(module._Rows, "step", look)
    quick = fit_gaussian(drawn, **how)
    assert min(least) > -1e-6
    monkeypatch.setattr(module._Rows, "is_hopeless", lambda *_: False)
    slow = fit_gaussian(drawn, **how)
    assert min(least) < -0.01
    np.testing.assert_array_equal(quick.cov, slow.cov)
    np.testing.assert_array_equal(quick.means, slow.means)
