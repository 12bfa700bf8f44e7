"""Products of rows, added to the upper triangle: by one call or by panels the same."""

from __future__ import annotations

import numpy as np
import pytest

from daglock import Moments
from daglock.moments import raw, sums


@pytest.fixture(params=["one call", "panels"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "panels":
        monkeypatch.setattr(raw, "_MOST_BYTES", 0)
        monkeypatch.setattr(raw, "_PANEL", 7)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_upper_triangle_is_that_of_the_product(order: str) -> None:
    rng = np.random.default_rng(0)
    whole = np.array(rng.normal(size=(24, 11)), order="C" if order == "C" else "F")
    B = whole[:23]  # rows of a larger array
    before = rng.normal(size=(23, 23))
    found = raw.add_product(B, np.array(before, order="F"), 0.3)
    expected = before + 0.3 * B @ B.T
    np.testing.assert_allclose(np.triu(found), np.triu(expected), rtol=1e-13, atol=1e-13)


@pytest.mark.usefixtures("way")
def test_moments_in_memory_and_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "LARGE", 4)
    X = np.random.default_rng(1).normal(size=(300, 23)) + 1e3
    expected = np.cov(X.T, bias=True)
    np.testing.assert_allclose(Moments.from_data(X).cov, expected, atol=1e-11)
    found = Moments.from_source(iter(np.array_split(X, 4)))
    np.testing.assert_allclose(found.cov, expected, atol=1e-11)
