"""A covariance that does not fit into memory is formed in blocks of columns."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from daglock import DAGLock, Moments
from daglock.errors import InvalidDataError
from daglock.moments import blocked
from daglock.sources import as_source
from daglock.typing import Array


@pytest.fixture(name="X")
def rows() -> Array:
    """Rows far from zero."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((700, 23)) @ rng.standard_normal((23, 23)) + 1e6


@pytest.mark.parametrize("room", [8 * 23 * 5, 8 * 23, 10**9])
def test_blocks_give_the_same(room: int, X: Array) -> None:
    source = as_source(iter(np.split(X, 7)))
    assert source is not None
    names = tuple(f"x{j}" for j in range(23))
    n, means, cov = blocked.form_in_blocks(source, names, room=room)
    like = Moments.from_data(X)
    scale = np.sqrt(np.diagonal(like.cov))
    assert n == 700
    np.testing.assert_allclose(means, like.means, rtol=1e-12)
    assert np.abs((cov - like.cov) / scale / scale[:, None]).max() < 1e-12


def test_a_covariance_in_a_file_is_learned_from(X: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    like = DAGLock().fit_moments(Moments.from_source(iter(np.split(X, 7))))
    monkeypatch.setattr(blocked, "free_memory", lambda: 3000)
    moments = Moments.from_source(iter(np.split(X, 7)))
    found = DAGLock().fit_moments(moments)
    assert found.edges_["source"].tolist() == like.edges_["source"].tolist()
    np.testing.assert_allclose(found.edges_["weight"], like.edges_["weight"], rtol=1e-6)


def test_what_does_not_fit_is_said(X: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocked, "free_memory", lambda: 3000)
    X[3, 5] = np.nan
    with pytest.raises(InvalidDataError, match="'x5' has missing or infinite values"):
        Moments.from_source(iter(np.split(X, 7)))
    with pytest.raises(InvalidDataError, match="23 columns of numbers: learning takes about"):
        DAGLock().fit(iter(np.split(X, 7)))
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=100))
    with pytest.raises(InvalidDataError, match="fits neither into memory nor into the 100 bytes"):
        Moments.from_source(iter(np.split(X, 7)))
