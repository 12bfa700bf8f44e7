"""Covariances of replicates in little room: those of the rows that were drawn, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock, Moments
from daglock.confidence.drawn import Sample
from daglock.confidence.resampled import FEWEST, MOST_BYTES, Resampled, n_kept, pack
from daglock.regimes import Regimes
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array


def table(n: int = 300) -> Array:
    X = linear_sem(erdos_renyi(5, 7, rng=1), n, rng=2)
    return np.asarray(X * np.array([1e-3, 1.0, 1e4, 1.0, 10.0]))


def close(found: Array, expected: Array) -> None:
    """To the digits of single precision, in units of the columns."""
    scale = np.sqrt(np.maximum(np.diagonal(expected), 0.0))
    scale = np.where(scale > 0.0, scale, 1.0)
    np.testing.assert_allclose(
        found / np.outer(scale, scale), expected / np.outer(scale, scale), atol=3e-7
    )


def test_what_is_packed_comes_back() -> None:
    X = table()
    whole = Moments.from_data(X)
    rng = np.random.default_rng(0)
    samples = [Moments.from_data(X[rng.integers(300, size=300)]) for _ in range(4)]
    every = np.arange(5)
    kept = Resampled(np.array([pack(Sample(one, every), whole) for one in samples]))
    assert len(kept) == 4
    for k in range(8):
        close(kept.covariance(k, whole, every.tolist()), samples[k % 4].cov)
        close(kept.covariance(k, whole, [3, 0]), samples[k % 4].cov[np.ix_([3, 0], [3, 0])])


def test_a_row_far_away_that_is_not_drawn_costs_no_digits() -> None:
    X = table()
    X[0] = 1e9
    whole, sample = Moments.from_data(X), Moments.from_data(X[1:])
    kept = Resampled(pack(Sample(sample, np.arange(5)), whole)[None])
    close(kept.covariance(0, whole, range(5)), sample.cov)


def test_near_copies_keep_what_tells_them_apart() -> None:
    X = table()
    X[:, 1] = X[:, 0] * 1e3 + 1e-4 * np.random.default_rng(3).standard_normal(300)
    whole, sample = Moments.from_data(X), Moments.from_data(X[::2])
    kept = Resampled(pack(Sample(sample, np.arange(5)), whole)[None])

    def left(S: Array) -> float:
        return float(S[1, 1] - S[0, 1] ** 2 / S[0, 0])

    assert left(kept.covariance(0, whole, range(5))) == pytest.approx(left(sample.cov), rel=1e-3)


def test_a_column_that_does_not_vary_has_zeros_and_the_others_are_as_they_are() -> None:
    X = table()
    whole, columns = Moments.from_data(X), np.array([0, 2, 4])
    sample = Moments.from_data(X[:50, columns])
    kept = Resampled(pack(Sample(sample, columns), whole)[None])
    found = kept.covariance(0, whole, range(5))
    assert not found[[1, 3]].any()
    close(found[np.ix_(columns, columns)], sample.cov)
    none = Resampled(pack(Sample(whole, np.array([2])), whole)[None])
    assert not none.covariance(0, whole, range(5)).any()


@pytest.mark.parametrize("some", [[0], [2, 1], [0, 1, 2]])
def test_regimes_are_pooled_as_they_are_asked_for(some: list[int]) -> None:
    X, labels = table(), np.repeat(["a", "b", "c"], [100, 120, 80])
    how: dict[str, Any] = {"regimes": labels, "targets": {"b": ["x1"], "c": ["x3"]}}
    model = DAGLock(random_state=0).fit(X, **how)
    whole = model.moments_
    kept = model.bootstrap(3, rng=0).resampled
    assert isinstance(whole, Regimes)
    assert kept is not None
    assert kept.packed.shape == (3, 3, 15)
    order = np.random.default_rng(0).permutation(300)
    sample = Regimes.from_labelled(X[order[:250]], labels[order[:250]], whole.names)
    one = Resampled(pack(Sample(whole.like(sample), np.arange(5)), whole)[None])
    parts = [sample.parts[g] for g in some]
    rows = [whole.parts[g].n for g in some]
    expected = sum(n * part.scatter / part.n for n, part in zip(rows, parts, strict=True))
    close(one.covariance(0, whole, range(5), np.array(some)), np.asarray(expected) / sum(rows))


def test_levels_that_are_not_drawn_have_zeros() -> None:
    rng = np.random.default_rng(0)
    group = rng.choice(list("abcd"), 400)
    frame = pd.DataFrame({"x": rng.normal(size=400), "g": group, "y": rng.normal(size=400)})
    whole = DAGLock().fit(frame).moments_
    for gone, zeros in (("b", [1]), ("d", [3]), ("a", [1, 2, 3])):  # a is what others stand beside
        sample = DAGLock().fit(frame[frame.g != gone]).moments_
        kept = Resampled(pack(Sample(sample, np.arange(3)), whole)[None])
        found = kept.covariance(0, whole, range(5))
        assert np.flatnonzero(np.diagonal(found) == 0.0).tolist() == zeros
        there = [k for k in range(5) if k not in zeros]
        names = [whole.columns.labels[k] for k in there]
        own = [sample.columns.labels.index(name) for name in names]
        close(found[np.ix_(there, there)], sample.columns.cov[np.ix_(own, own)])


def test_there_is_a_limit_to_the_room() -> None:
    for d in (20, 200, 400, 600, 1000):
        whole = Moments.from_covariance(np.eye(d), 50)
        n = n_kept(whole, 100)
        assert n == 0 or n >= FEWEST
        assert n * 4 * (d + d * (d - 1) // 2) <= MOST_BYTES
        assert n_kept(whole, 5) in (0, 5)


def test_the_draws_of_a_model_are_those_of_its_replicates() -> None:
    """The same seed draws the same rows, whatever is learned from them."""
    X = table()
    model = DAGLock("unequal", random_state=0).fit(X)
    kept = model.bootstrap(3, rng=7).resampled
    assert kept is not None
    for k, child in enumerate(np.random.default_rng(7).spawn(3)):
        drawn = X[child.integers(300, size=300)]
        close(kept.covariance(k, model.moments_, range(5)), np.cov(drawn.T, bias=True))
