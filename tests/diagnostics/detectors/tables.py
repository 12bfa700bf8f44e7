"""Ten tables with nothing wrong, of different kinds: no detector may warn of any of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from daglock.simulate import erdos_renyi, linear_sem
from daglock.table import Table
from daglock.typing import Array


def gaussian(seed: int, n: int = 600, d: int = 8) -> Array:
    """Rows of a random linear model, in units of their own."""
    rng = np.random.default_rng(seed)
    X = linear_sem(erdos_renyi(d, d, rng=seed), n, rng=seed)
    return np.asarray(X * rng.uniform(0.5, 20.0, d) + rng.uniform(-50.0, 50.0, d))


def heavier(seed: int) -> Array:
    """Noise of Student's t with five degrees of freedom, added along a chain."""
    X = np.random.default_rng(seed).standard_t(5, size=(600, 6))
    for j in range(1, 6):
        X[:, j] += 0.7 * X[:, j - 1]
    return X


def counts(seed: int) -> Array:
    """Counts, small and large, some zero."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=600)
    means = np.array([1.0, 3.0, 8.0, 30.0, 200.0])
    return rng.poisson(means * np.exp(0.15 * base)[:, None]).astype(np.float64)


def mixed(seed: int) -> Array:
    """Two binary columns, three measurements that depend on one of them, a grade."""
    rng = np.random.default_rng(seed)
    sex, smokes = rng.integers(0, 2, size=(2, 600))
    height = 165.0 + 12.0 * sex + rng.normal(0.0, 6.0, 600)
    weight = 0.9 * height - 90.0 + rng.normal(0.0, 8.0, 600)
    pressure = 110.0 + 6.0 * smokes + 0.1 * weight + rng.normal(0.0, 10.0, 600)
    grade = np.clip(np.round(3.0 + rng.normal(size=600)), 1, 5)
    return np.column_stack([sex, smokes, height, weight, pressure, grade])


def rounded(seed: int) -> Array:
    """Whole numbers and tenths."""
    X = gaussian(seed)
    return np.column_stack([X[:, :4].round(), X[:, 4:].round(1)])


def standardised(seed: int) -> Array:
    """Columns with mean 0 and variance 1."""
    X = gaussian(seed)
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def correlated(seed: int) -> Array:
    """Five columns with correlations near 0.9."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(600, 1)) + 0.35 * rng.normal(size=(600, 5))


def waves(seed: int) -> Array:
    """Bounded values, as of sines at random times, on lines: the rows are independent."""
    rng = np.random.default_rng(seed)
    S = np.sin(rng.uniform(0.0, 2.0 * np.pi, size=(600, 4)))
    return np.column_stack([S, S @ rng.normal(size=(4, 2)) + 0.3 * rng.normal(size=(600, 2))])


def in_order(seed: int) -> Array:
    """Independent rows that were sorted by one column afterwards."""
    X = gaussian(seed)
    return X[np.argsort(X[:, 2])]


CLEAN: dict[str, Callable[[int], Array]] = {
    "gaussian": gaussian,
    "heavier tails": heavier,
    "counts": counts,
    "mixed": mixed,
    "rounded": rounded,
    "small": lambda seed: gaussian(seed, n=30, d=5),
    "large": lambda seed: gaussian(seed, n=5000, d=12),
    "standardised": standardised,
    "correlated": correlated,
    "waves": waves,
    "sorted": in_order,
}


def table_of(data: Array, *names: str) -> Table:
    """Return a table; columns without a name are called v1, v2, ..."""
    d = data.shape[1]
    return Table(data, (*names, *(f"v{j}" for j in range(1, d + 1 - len(names)))))
