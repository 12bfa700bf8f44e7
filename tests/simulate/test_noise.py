"""Moments of the noise distributions against their closed forms."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock.simulate import NOISES, sample_noise

# Skewness and excess kurtosis of each family; mean 0 and variance 1 for all.
SHAPE = {
    "gaussian": (0.0, 0.0),
    "exponential": (2.0, 6.0),
    "gumbel": (1.1395470994, 2.4),
    "uniform": (0.0, -1.2),
    "laplace": (0.0, 3.0),
}


def test_every_noise_has_its_closed_form_here() -> None:
    assert set(NOISES) == set(SHAPE)


@pytest.mark.parametrize("noise", SHAPE)
def test_first_four_moments(noise: Any) -> None:
    Z = sample_noise(noise, (1_000_000,), np.random.default_rng(0))
    skewness, excess = SHAPE[noise]
    assert Z.mean() == pytest.approx(0.0, abs=0.005)
    assert Z.var() == pytest.approx(1.0, abs=0.01)
    assert (Z**3).mean() == pytest.approx(skewness, abs=0.06)
    assert (Z**4).mean() - 3 == pytest.approx(excess, abs=0.4)


def test_unknown_noise_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="laplace"):
        sample_noise(cast(Any, "cauchy"), (3,), np.random.default_rng(0))
