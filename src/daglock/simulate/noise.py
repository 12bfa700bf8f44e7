"""Noise distributions, each with mean zero and variance one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.typing import Array

Noise: TypeAlias = Literal["gaussian", "exponential", "gumbel", "uniform", "laplace"]
Sampler: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], Array]


def gaussian(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw from N(0, 1)."""
    return rng.standard_normal(shape)


def exponential(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw from Exp(1) - 1: skewness 2."""
    return rng.standard_exponential(shape) - 1.0


def gumbel(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw from the Gumbel distribution (skewness 1.14): its mean is loc + gamma scale."""
    scale = np.sqrt(6.0) / np.pi
    return rng.gumbel(-np.euler_gamma * scale, scale, shape)


def uniform(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw from the uniform distribution on [-sqrt(3), sqrt(3))."""
    return rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), shape)


def laplace(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw from the Laplace distribution with scale 1/sqrt(2)."""
    return rng.laplace(0.0, np.sqrt(0.5), shape)


NOISES: dict[str, Sampler] = {
    "gaussian": gaussian,
    "exponential": exponential,
    "gumbel": gumbel,
    "uniform": uniform,
    "laplace": laplace,
}


def sample_noise(noise: Noise, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Draw independent noise with mean zero and variance one.

    Parameters
    ----------
    noise : {"gaussian", "exponential", "gumbel", "uniform", "laplace"}
    shape : tuple of int
    rng : numpy.random.Generator

    Examples
    --------
    >>> Z = sample_noise("gumbel", (100_000,), np.random.default_rng(0))
    >>> bool(abs(Z.mean()) < 0.02), bool(abs(Z.var() - 1) < 0.05)
    (True, True)
    """
    if not isinstance(noise, str) or noise not in NOISES:
        raise InvalidParameterError(f"noise must be one of {', '.join(NOISES)}, not {noise!r}.")
    return NOISES[noise](rng, shape)
