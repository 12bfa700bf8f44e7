"""The path on plain arrays."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

from daglock._pace import OutOfTimeError
from daglock.constraints import LogDet
from daglock.graph import is_dag, order_of_cyclic
from daglock.losses import Gaussian
from daglock.penalties import MCP
from daglock.problem import Problem
from daglock.solvers.prox_linear_path import MUS, prox_linear_path
from tests.solvers.prox_linear_cases import backward, equal_variances, standardised


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_equal_variances_order_and_edges(seed: int) -> None:
    W, moments = equal_variances(30, 30, seed)
    path = prox_linear_path(moments.cov, profile=False, lam=0.2)
    assert path.is_dag
    assert is_dag(path.W)
    assert backward(W, order_of_cyclic(path.W)) <= 1
    found = (path.W != 0) & (W != 0)
    assert found.sum() >= 29
    assert np.count_nonzero(path.W) <= 34


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_standardised_data_order(seed: int) -> None:
    W, moments = standardised(30, 60, seed)
    path = prox_linear_path(moments.cov, n=moments.n)
    # A random order turns half of the edges; some may be turned without any loss of fit.
    assert backward(W, order_of_cyclic(path.W)) <= 12


def test_the_path_ends_at_a_dag_that_no_larger_mu_changes() -> None:
    _, moments = standardised(20, 30, seed=1)
    path = prox_linear_path(moments.cov, tolerance=1e-9, max_sweeps=500)
    assert path.is_dag
    assert path.trace.mu[-1] < MUS[-1]
    for mu in (path.trace.mu[-1], 1e3, 1e6):
        further = prox_linear_path(moments.cov, start=path.W, mus=[mu], tolerance=1e-9)
        np.testing.assert_allclose(further.W, path.W, atol=1e-7)


def test_trace_of_the_path() -> None:
    _, moments = standardised(20, 40, seed=2)
    path = prox_linear_path(moments.cov)
    n_stages = len(path.trace.mu)
    columns = (path.trace.n_sweeps, path.trace.change, path.trace.fingerprint)
    assert all(len(column) == n_stages for column in columns)
    assert path.trace.mu.tolist() == list(MUS[:n_stages])
    assert path.trace.n_nonzero[-1] == np.count_nonzero(path.W)
    assert ((path.trace.n_sweeps >= 1) & (path.trace.n_sweeps <= 10)).all()
    problem = Problem(Gaussian(moments), LogDet(), MCP(0.25, 3.0))
    assert path.trace.objective[-1] == pytest.approx(problem.objective(path.W))


@pytest.mark.parametrize("profile", [False, True])
def test_the_order_of_the_columns_does_not_matter(profile: bool) -> None:
    _, moments = standardised(25, 60, seed=4)
    S = moments.cov
    p = np.random.default_rng(0).permutation(25)
    W = prox_linear_path(S, profile=profile, n=1000).W
    permuted = prox_linear_path(S[np.ix_(p, p)], profile=profile, n=1000).W
    np.testing.assert_array_equal(permuted, W[np.ix_(p, p)])


@pytest.mark.parametrize("profile", [False, True])
def test_edges_that_are_not_allowed_stay_away(profile: bool) -> None:
    _, moments = standardised(15, 40, seed=5)
    allowed = np.random.default_rng(0).random((15, 15)) < 0.5
    path = prox_linear_path(moments.cov, profile=profile, lam=0.05, allowed=allowed)
    assert np.count_nonzero(path.W) > 0
    assert not path.W[~allowed].any()
    assert not path.W.diagonal().any()


def test_nothing_of_the_caller_is_changed() -> None:
    _, moments = standardised(10, 20, seed=6)
    S, start = moments.cov.copy(), np.full((10, 10), 0.01)
    np.fill_diagonal(start, 0.0)
    allowed = np.ones((10, 10), dtype=np.bool_)
    prox_linear_path(S, start=start, allowed=allowed)
    np.testing.assert_array_equal(S, moments.cov)
    assert (start[~np.eye(10, dtype=np.bool_)] == 0.01).all()
    assert allowed.all()


@pytest.mark.parametrize("profile", [False, True])
@pytest.mark.parametrize("n", [None, 20])
def test_fewer_rows_than_columns(profile: bool, n: int | None) -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(20, 40))
    S = np.asarray(np.corrcoef(X, rowvar=False))
    path = prox_linear_path(S, profile=profile, n=n)
    assert np.isfinite(path.W).all()
    assert np.isfinite(path.trace.objective).all()
    if profile and n is not None:
        assert np.count_nonzero(path.W) < 400


def test_duplicated_and_constant_columns() -> None:
    _, moments = standardised(10, 15, seed=8)
    index = [*range(10), 0, 3]
    S = moments.cov[np.ix_(index, index)].copy()
    S[11] = S[:, 11] = 0.0  # a column without variance
    for profile in (False, True):
        path = prox_linear_path(S, profile=profile)
        assert np.isfinite(path.W).all()
        assert not path.W[11].any()
        assert not path.W[:, 11].any()


def test_deadline() -> None:
    _, moments = standardised(10, 20, seed=9)
    with pytest.raises(OutOfTimeError):
        prox_linear_path(moments.cov, deadline=perf_counter())
